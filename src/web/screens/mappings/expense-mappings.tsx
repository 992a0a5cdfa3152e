import { useEnvironment } from '../../data/environment.ts';
import { Tabs } from '../../components/tabs.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceLabels } from './namespaces.ts';
import { useMappingAddress } from './use-mapping-address.ts';
import { useMappings } from './use-mappings.ts';

const tabs = [
  { key: 'ExpenseCategoryBillable', label: 'Billable' },
  { key: 'ExpenseCategoryNonBillable', label: 'Non-Billable' },
] as const;

/** Maps PSA expense categories to QuickBooks expense accounts. */
export function Component() {
  const { tabOf, change } = useMappingAddress();
  const { psa } = useEnvironment();
  const tab = tabOf(tabs) ?? 'ExpenseCategoryBillable';
  const mappings = useMappings(tab);
  return (
    <MappingPage
      title="Expense Mappings"
      lead={`${psa.label} expense categories are mapped to QuickBooks expense accounts. Syncing an expense report with an unmapped category fails.`}
      what="expense mappings"
      mappings={mappings}
    >
      <Tabs label="Expenses" tabs={tabs} open={tab} onOpen={(to) => change({ tab: to, q: null, inactive: null })}>
        <MappingList
          key={tab}
          labels={namespaceLabels[tab]}
          mappings={mappings}
          rows={mappings.table.isPlaceholderData ? undefined : mappings.table.data?.rows}
          listKey={tab}
        />
      </Tabs>
    </MappingPage>
  );
}
