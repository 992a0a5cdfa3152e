import { PlainMappings } from './plain-list.tsx';

/** Tax regions of the PSA and the tax codes of the books. */
export const Component = () => (
  <PlainMappings namespace="TaxRegion" screen="taxRegions" target={['tax code', 'tax codes']} />
);
