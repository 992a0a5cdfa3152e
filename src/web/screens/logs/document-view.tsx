import { Box, Text } from '@mantine/core';
import type { DocumentViewReply } from '#contract/planned.ts';
import type { Kind } from '#core/kinds.ts';
import { formatAmount, formatMoney, formatQuantity } from '../../data/format.ts';
import { Icon } from '../../components/icons.tsx';
import { type QuickBooksDocument, type DocumentLine, readDocument } from './document.ts';
import styles from './document-view.module.css';

interface LineColumn {
  readonly head: string;
  readonly isNumber?: boolean;
  readonly isCentred?: boolean;
  readonly cell: (line: DocumentLine) => React.ReactNode;
}

const number: LineColumn = { head: 'Line', isNumber: true, cell: (line) => line.number };
const description: LineColumn = {
  head: 'Description',
  cell: (line) => <bdi className={styles.text}>{line.description}</bdi>,
};
const quantity: LineColumn = {
  head: 'Qty',
  isNumber: true,
  cell: (line) => line.quantity && formatQuantity(line.quantity),
};
const unitPrice: LineColumn = {
  head: 'Unit Price',
  isNumber: true,
  cell: (line) => line.unitPrice && formatAmount(line.unitPrice),
};
const amount: LineColumn = { head: 'Amount', isNumber: true, cell: (line) => line.amount && formatAmount(line.amount) };
const taxable: LineColumn = {
  head: 'Taxable',
  isCentred: true,
  cell: ({ isTaxable }) => isTaxable === true && <Tick />,
};
const billable: LineColumn = {
  head: 'Billable/Customer',
  cell: ({ billable: status, customer }) => (
    <>
      {status}
      {status !== null && customer !== null && ', '}
      <bdi>{customer}</bdi>
    </>
  ),
};

const salesColumns = [number, description, quantity, unitPrice, amount, taxable];
const columnsOf: Record<Kind, readonly LineColumn[]> = {
  invoice: salesColumns,
  payment: salesColumns,
  void: salesColumns,
  difference: salesColumns,
  purchase_order: [number, description, quantity, unitPrice, amount, billable],
  expense_report: salesColumns,
};

const totalLabels: Readonly<Record<Kind, string>> = {
  invoice: 'Invoice Total',
  payment: 'Invoice Total',
  void: 'Invoice Total',
  difference: 'Invoice Total',
  purchase_order: 'Purchase Order Total',
  expense_report: 'Bill Total',
};

interface DocumentViewProps {
  type: Kind;
  isCreditMemo: boolean;
  document: Readonly<Record<string, unknown>>;
  isTest: boolean;
  /** Name of the customer or vendor; planned documents contain only the id. */
  party: string | null;
  /** The plan, which provides names, tax and total that the document lacks; null without a plan. */
  planned: Pick<DocumentViewReply, 'tax' | 'total' | 'tax_known' | 'lines'> | null;
}

/** Shows a QuickBooks document with its lines and totals. */
export function DocumentView({ type, isCreditMemo, document, isTest, party, planned }: DocumentViewProps) {
  const read = readDocument(
    document,
    planned?.lines.map(({ customer }) => customer),
  );
  const known = planned?.tax_known === true ? planned : null;
  const [tax, total] = [read.totalTax ?? known?.tax ?? null, read.total ?? known?.total ?? null];
  const columns = columnsOf[type];
  const amountAt = columns.indexOf(amount);
  const isSale = type !== 'purchase_order' && type !== 'expense_report';
  const unknown = isTest ? 'set by QuickBooks' : '—';
  const totals: readonly (readonly [string, string | null])[] = [
    ...(total === null ? [['Sum of the lines', read.subtotal] as const] : []),
    ...(isSale ? [['Total Tax', tax] as const] : []),
    [isCreditMemo ? 'Credit Memo Total' : totalLabels[type], total],
  ];
  return (
    <div className={styles.document} data-test={isTest}>
      <Facts read={read} isSale={isSale} party={party} unknown={unknown} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll area needs keyboard focus */}
      <div className={styles.scroll} tabIndex={0} role="region" aria-label="Lines">
        <table className={styles.lines}>
          <thead>
            <tr>
              {columns.map(({ head, isNumber, isCentred }) => (
                <th key={head} scope="col" data-number={isNumber} data-centred={isCentred}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {read.lines.map((line) => (
              <tr key={line.key}>
                {columns.map(({ head, isNumber, isCentred, cell }) => (
                  <td key={head} data-number={isNumber} data-centred={isCentred}>
                    {cell(line)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            {totals.map(([label, value], index) => (
              <tr key={label} data-last={index === totals.length - 1}>
                <th scope="row" colSpan={amountAt}>
                  {label}
                </th>
                <td data-number>
                  {value === null ? (
                    <Box component="span" c="dimmed" fw={400}>
                      {unknown}
                    </Box>
                  ) : (
                    formatMoney(value, read.currency)
                  )}
                </td>
                {columns.length > amountAt + 1 && <td colSpan={columns.length - amountAt - 1} />}
              </tr>
            ))}
          </tfoot>
        </table>
      </div>
      {read.comments !== null && (
        <div className={styles.comments}>
          <Text span c="dimmed" size="xs">
            Comments
          </Text>
          <p className={styles.text}>{read.comments}</p>
        </div>
      )}
    </div>
  );
}

interface FactsProps {
  read: QuickBooksDocument;
  isSale: boolean;
  party: string | null;
  unknown: string;
}

function Facts({ read, isSale, party, unknown }: FactsProps) {
  const shipTo = read.shipTo.length === 0 ? '(no shipping address)' : read.shipTo.join('\n');
  const vendor = [read.vendor?.id, read.vendor?.name ?? party]
    .filter((part) => part !== null && part !== undefined)
    .join(' / ');
  const facts: readonly (readonly [string, string])[] = [
    ['Id', read.id ?? unknown],
    ['Number', read.number ?? unknown],
    ...(isSale
      ? ([
          ['Customer', read.customer ?? party ?? '—'],
          ['Shipping address', shipTo],
        ] as const)
      : ([['Vendor Id / Name', vendor === '' ? '—' : vendor]] as const)),
    ...read.customFields.map(({ name, value }) => [name, value] as const),
    ...(isSale ? ([['Email Status', read.emailStatus ?? '—']] as const) : []),
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" c="dimmed" size="xs">
            {name}
          </Text>
          <dd className={styles.text}>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Tick() {
  return (
    <Box component="span" display="inline-flex" c="soft" style={{ verticalAlign: 'middle' }}>
      <Icon name="check" size={16} />
      <span className={styles.tickWord}>taxable</span>
    </Box>
  );
}
