import { MappingScreen } from './mapping-screen.tsx';

/** Maps PSA tax regions to QuickBooks tax codes. */
export const Component = () => (
  <MappingScreen
    title="Tax Regions"
    lead={(psa) =>
      `${psa} tax regions are mapped to QuickBooks tax codes. Unmapped regions use the tax code with the same name.`
    }
    what="tax region mappings"
    tabs={[{ key: 'TaxRegion', label: 'Tax Regions' }]}
  />
);
