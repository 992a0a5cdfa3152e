import { SearchedMappings } from './companies.tsx';
import { MappingScreen } from './mapping-screen.tsx';

/** Maps PSA companies to QuickBooks customers. */
export const Component = () => (
  <MappingScreen
    title="Customer Mappings"
    lead={(psa) =>
      `For invoices, purchase orders and payments, ${psa} companies are mapped to QuickBooks customers. Mapping is optional: without it, companies are mapped automatically by matching the customer’s display name.`
    }
    what="customer mappings"
    tabs={[{ key: 'Customer', label: 'Companies', list: SearchedMappings }]}
  />
);
