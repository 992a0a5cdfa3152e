import { PlainMappings } from './plain-list.tsx';

/** Maps PSA tax regions to QuickBooks tax codes. */
export const Component = () => (
  <PlainMappings
    namespace="TaxRegion"
    title="Tax Regions"
    lead={(psa) =>
      `${psa} tax regions are mapped to QuickBooks tax codes. Unmapped regions use the tax code with the same name.`
    }
    what="tax region mappings"
    target={['tax code', 'tax codes']}
  />
);
