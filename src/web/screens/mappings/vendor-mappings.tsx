import { useEnvironment } from '../../data/environment.ts';
import { Tabs } from '../../components/tabs.tsx';
import { SearchedMappings } from './companies.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceLabels } from './namespaces.ts';
import { useMappingAddress } from './use-mapping-address.ts';
import { useMappings } from './use-mappings.ts';

const tabs = [
  { key: 'Vendor', label: 'Companies' },
  { key: 'Employee', label: 'Employees' },
] as const;

/** Maps PSA vendor companies and employees to QuickBooks vendors. */
export function Component() {
  const { tabOf, change } = useMappingAddress();
  const { psa } = useEnvironment();
  const tab = tabOf(tabs) ?? 'Vendor';
  const mappings = useMappings(tab);
  return (
    <MappingPage
      title="Vendor Mappings"
      lead={`For purchase orders, ${psa.label} vendor companies are mapped to QuickBooks vendors. Mapping is optional: without it, companies are mapped automatically by matching the vendor’s display name.`}
      what="vendor mappings"
      mappings={mappings}
    >
      <Tabs
        label="Companies and employees"
        tabs={tabs}
        open={tab}
        onOpen={(to) => change({ tab: to, q: null, inactive: null })}
      >
        {tab === 'Vendor' ? (
          <SearchedMappings namespace="Vendor" mappings={mappings} />
        ) : (
          <MappingList
            labels={namespaceLabels.Employee}
            mappings={mappings}
            rows={mappings.table.isPlaceholderData ? undefined : mappings.table.data?.rows}
            listKey={tab}
          />
        )}
      </Tabs>
    </MappingPage>
  );
}
