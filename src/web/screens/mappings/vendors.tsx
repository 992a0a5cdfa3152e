import { Tabs } from '../../ui/tabs.tsx';
import { SearchedMappings } from './companies.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceWords } from './namespaces.ts';
import { useMappingAddress } from './use-mapping-address.ts';
import { useMappings } from './use-mappings.ts';
import { mappingLabels, vendorTabs } from './words.ts';

/** Vendor companies and employees of the PSA, and their QuickBooks vendors. */
export function Component() {
  const { tabOf, change } = useMappingAddress();
  const tab = tabOf(vendorTabs) ?? 'Vendor';
  const mappings = useMappings(tab);
  return (
    <MappingPage screen="vendors" mappings={mappings}>
      <Tabs
        label={mappingLabels.vendors}
        tabs={vendorTabs}
        open={tab}
        onOpen={(to) => change({ tab: to, q: null, inactive: null })}
      >
        {tab === 'Vendor' ? (
          <SearchedMappings namespace="Vendor" mappings={mappings} />
        ) : (
          <MappingList
            words={namespaceWords.Employee}
            mappings={mappings}
            rows={mappings.table.isPlaceholderData ? undefined : mappings.table.data?.rows}
            listKey={tab}
          />
        )}
      </Tabs>
    </MappingPage>
  );
}
