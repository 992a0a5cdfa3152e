import { useEnvironment } from '../../data/environment.ts';
import { SearchedMappings } from './companies.tsx';
import { MappingPage } from './mapping-page.tsx';
import { useMappings } from './use-mappings.ts';

/** Maps PSA companies to QuickBooks customers. */
export function Component() {
  const { psa } = useEnvironment();
  const mappings = useMappings('Customer');
  return (
    <MappingPage
      title="Customer Mappings"
      lead={`For invoices, purchase orders and payments, ${psa.label} companies are mapped to QuickBooks customers. Mapping is optional: without it, companies are mapped automatically by matching the customer’s display name.`}
      what="customer mappings"
      mappings={mappings}
    >
      <SearchedMappings namespace="Customer" mappings={mappings} />
    </MappingPage>
  );
}
