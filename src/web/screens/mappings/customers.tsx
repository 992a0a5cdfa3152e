import { SearchedMappings } from './companies.tsx';
import { MappingPage } from './mapping-page.tsx';
import { useMappings } from './use-mappings.ts';

/** Customer Mappings. */
export function Component() {
  const mappings = useMappings('Customer');
  return (
    <MappingPage screen="customers" mappings={mappings}>
      <SearchedMappings namespace="Customer" mappings={mappings} />
    </MappingPage>
  );
}
