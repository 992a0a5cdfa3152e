import { PlainMappings } from './plain-list.tsx';

/** Lines of business of the PSA and the classes of the books. */
export const Component = () => (
  <PlainMappings namespace="LineOfBusiness" screen="linesOfBusiness" target={['class', 'classes']} />
);
