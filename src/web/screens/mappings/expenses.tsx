import { useState } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceWords } from './namespaces.ts';
import { useMappings } from './use-mappings.ts';

const tabs = [
  { key: 'ExpenseCategoryBillable', label: 'Billable' },
  { key: 'ExpenseCategoryNonBillable', label: 'Non-Billable' },
] as const;

/** Expense categories of the PSA and the expense accounts they are booked to. */
export function Component() {
  const { psa } = useEnvironment();
  const [tab, setTab] = useState<(typeof tabs)[number]['key']>('ExpenseCategoryBillable');
  const mappings = useMappings(tab);
  return (
    <MappingPage
      title="Expense Mappings"
      lead={`${psa.label} expense categories are mapped to QuickBooks expense accounts. Syncing an expense report with an unmapped category fails.`}
      what="expense mappings"
      mappings={mappings}
    >
      <Tabs label="Expenses" tabs={tabs} open={tab} onOpen={setTab}>
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
