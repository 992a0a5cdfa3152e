import { useParams } from 'react-router';
import { Deliveries } from './deliveries.tsx';
import { Endpoints } from './endpoints.tsx';

/** The addresses that get signed events, or the deliveries to one of them. */
export function Component() {
  const { id } = useParams();
  return id === undefined ? <Endpoints /> : <Deliveries key={id} id={id} />;
}
