import { MappingScreen } from './mapping-screen.tsx';

/** Maps PSA expense categories to QuickBooks expense accounts. */
export const Component = () => (
  <MappingScreen
    title="Expense Mappings"
    lead={(psa) =>
      `${psa} expense categories are mapped to QuickBooks expense accounts. Syncing an expense report with an unmapped category fails.`
    }
    what="expense mappings"
    label="Expenses"
    tabs={[
      { key: 'ExpenseCategoryBillable', label: 'Billable' },
      { key: 'ExpenseCategoryNonBillable', label: 'Non-Billable' },
    ]}
  />
);
