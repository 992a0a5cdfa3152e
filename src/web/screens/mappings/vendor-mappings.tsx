import { SearchedMappings } from './companies.tsx';
import { MappingScreen } from './mapping-screen.tsx';

/** Maps PSA vendor companies and employees to QuickBooks vendors. */
export const Component = () => (
  <MappingScreen
    title="Vendor Mappings"
    lead={(psa) =>
      `For purchase orders, ${psa} vendor companies are mapped to QuickBooks vendors. Mapping is optional: without it, companies are mapped automatically by matching the vendor’s display name.`
    }
    what="vendor mappings"
    label="Companies and employees"
    tabs={[
      { key: 'Vendor', label: 'Companies', list: SearchedMappings },
      { key: 'Employee', label: 'Employees' },
    ]}
  />
);
