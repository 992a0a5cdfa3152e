import { PlainMappings } from './plain-list.tsx';

/** Lines of business of the PSA and the locations of the books. */
export const Component = () => (
  <PlainMappings namespace="Location" screen="locations" target={['location', 'locations']} />
);
