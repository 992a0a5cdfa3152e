import { Tabs } from '../../ui/tabs.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceWords } from './namespaces.ts';
import { useMappingAddress } from './use-mapping-address.ts';
import { useMappings } from './use-mappings.ts';
import { expenseTabs, mappingLabels } from './words.ts';

/** Expense categories of the PSA and the expense accounts they are booked to. */
export function Component() {
  const { tabOf, change } = useMappingAddress();
  const tab = tabOf(expenseTabs) ?? 'ExpenseCategoryBillable';
  const mappings = useMappings(tab);
  return (
    <MappingPage screen="expenses" mappings={mappings}>
      <Tabs
        label={mappingLabels.expenses}
        tabs={expenseTabs}
        open={tab}
        onOpen={(to) => change({ tab: to, q: null, inactive: null })}
      >
        <MappingList
          key={tab}
          words={namespaceWords[tab]}
          mappings={mappings}
          rows={mappings.table.isPlaceholderData ? undefined : mappings.table.data?.rows}
          listKey={tab}
        />
      </Tabs>
    </MappingPage>
  );
}
