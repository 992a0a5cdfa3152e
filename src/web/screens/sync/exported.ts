import { kinds, type SubmittableKind } from '#core/kinds.ts';
import type { ExportColumn } from '../../components/list-export.tsx';
import { type Row, statusLabels } from './columns.tsx';
import { shownStatus } from './shown-status.ts';

const parties = { invoice: 'Customer', purchase_order: 'Vendor', expense_report: 'Employee' } as const;
const names = { invoice: 'Invoice number', purchase_order: 'PO number', expense_report: 'Name' } as const;
const references = { purchase_order: 'External PO number', expense_report: 'QuickBooks reference number' } as const;

/** Returns the file name and the columns of an exported list of documents. Times are as the PSA returns them, in UTC. */
export const exportedOf = (
  kind: SubmittableKind,
): { readonly name: string; readonly columns: readonly ExportColumn<Row>[] } => ({
  name: `tallybridge-${kinds[kind].plural.toLowerCase().replaceAll(' ', '-')}`,
  columns: [
    ['PSA ID', ({ id }) => String(id), 'number'],
    ['Sync status', (row) => statusLabels[shownStatus(row)]],
    [parties[kind], ({ party }) => party],
    [names[kind], ({ name }) => name],
    ...(kind === 'invoice' ? [] : [[references[kind], ({ reference }: Row) => reference] as const]),
    ...(kind === 'purchase_order'
      ? [['Memo', ({ memo }: Row) => memo] as const]
      : [
          ['Amount', ({ total }: Row) => total, 'amount'] as const,
          ['Currency', ({ currency }: Row) => currency] as const,
        ]),
    ...(kind === 'invoice' ? [['Invoice date', ({ invoicedAt }: Row) => dayOf(invoicedAt)] as const] : []),
    [kind === 'expense_report' ? 'Submitted (UTC)' : 'Created (UTC)', ({ createdAt }) => createdAt],
    ...(kind === 'invoice'
      ? [
          ['Synced (UTC)', ({ syncedAt }: Row) => syncedAt] as const,
          ['Paid', ({ paidOn }: Row) => dayOf(paidOn)] as const,
        ]
      : []),
  ],
});

const dayOf = (at: string | null): string | null => at?.slice(0, 10) ?? null;
