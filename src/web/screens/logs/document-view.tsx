import type { DocumentViewReply } from '#contract/planned.ts';
import type { Kind } from '#core/kinds.ts';
import { formatAmount, formatMoney, formatQuantity } from '../../lib/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { type BooksDocument, type DocumentLine, readDocument } from './document.ts';
import styles from './document-view.module.css';
import { creditMemoTotal, documentWords, totalWords } from './words.ts';

const { heads } = documentWords;

interface LineColumn {
  readonly head: string;
  readonly isNumber?: boolean;
  readonly isCentred?: boolean;
  readonly cell: (line: DocumentLine) => React.ReactNode;
}

const number: LineColumn = { head: heads.line, isNumber: true, cell: (line) => line.number };
const description: LineColumn = {
  head: heads.description,
  cell: (line) => <span className={styles.text}>{line.description}</span>,
};
const quantity: LineColumn = {
  head: heads.quantity,
  isNumber: true,
  cell: (line) => line.quantity && formatQuantity(line.quantity),
};
const unitPrice: LineColumn = {
  head: heads.unitPrice,
  isNumber: true,
  cell: (line) => line.unitPrice && formatAmount(line.unitPrice),
};
const amount: LineColumn = {
  head: heads.amount,
  isNumber: true,
  cell: (line) => line.amount && formatAmount(line.amount),
};
const taxable: LineColumn = {
  head: heads.taxable,
  isCentred: true,
  cell: ({ isTaxable }) => isTaxable === true && <Tick />,
};
const billable: LineColumn = {
  head: heads.billable,
  cell: (line) => [line.billable, line.customer].filter((part) => part !== null).join(', '),
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

/** A QuickBooks document as a person reads it: head, lines, totals under their column. */
export function DocumentView({
  type,
  isCreditMemo,
  document,
  isTest,
  party,
  planned,
}: {
  type: Kind;
  isCreditMemo: boolean;
  document: Readonly<Record<string, unknown>>;
  isTest: boolean;
  /** The name of the customer or the vendor, which a document that was only planned does not carry. */
  party: string | null;
  /** The plan, which names what the document has by id, and says tax and total before the books do; null without one. */
  planned: Pick<DocumentViewReply, 'tax' | 'total' | 'tax_known' | 'lines'> | null;
}) {
  const read = readDocument(
    document,
    planned?.lines.map(({ customer }) => customer),
  );
  const known = planned?.tax_known === true ? planned : null;
  const [tax, total] = [read.totalTax ?? known?.tax ?? null, read.total ?? known?.total ?? null];
  const columns = columnsOf[type];
  const amountAt = columns.indexOf(amount);
  const isSale = type !== 'purchase_order' && type !== 'expense_report';
  // In a test the books have not added anything up: they would.
  const unknown = isTest ? documentWords.byBooks : '—';
  const totals: readonly (readonly [string, string | null])[] = [
    ...(total === null ? [[documentWords.sum, read.subtotal] as const] : []),
    ...(isSale ? [[documentWords.tax, tax] as const] : []),
    [isCreditMemo ? creditMemoTotal : totalWords[type], total],
  ];
  return (
    <div className={styles.document} data-test={isTest}>
      <Facts read={read} isSale={isSale} party={party} unknown={isTest ? documentWords.givenByBooks : '—'} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it */}
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={documentWords.lines}>
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
            {totals.map(([word, value], index) => (
              <tr key={word} data-last={index === totals.length - 1}>
                <th scope="row" colSpan={amountAt}>
                  {word}
                </th>
                <td data-number>
                  {value === null ? <span className={styles.dim}>{unknown}</span> : formatMoney(value, read.currency)}
                </td>
                {columns.length > amountAt + 1 && <td colSpan={columns.length - amountAt - 1} />}
              </tr>
            ))}
          </tfoot>
        </table>
      </div>
      {read.comments !== null && (
        <div className={styles.comments}>
          <span className={styles.label}>{documentWords.comments}</span>
          <p className={styles.text}>{read.comments}</p>
        </div>
      )}
    </div>
  );
}

function Facts({
  read,
  isSale,
  party,
  unknown,
}: {
  read: BooksDocument;
  isSale: boolean;
  party: string | null;
  unknown: string;
}) {
  const shipTo = read.shipTo.length === 0 ? documentWords.noShipTo : read.shipTo.join('\n');
  const vendor = [read.vendor?.id, read.vendor?.name ?? party]
    .filter((part) => part !== null && part !== undefined)
    .join(' / ');
  const facts: readonly (readonly [string, string])[] = [
    [documentWords.id, read.id ?? unknown],
    [documentWords.number, read.number ?? unknown],
    ...(isSale
      ? ([
          [documentWords.customer, read.customer ?? party ?? '—'],
          [documentWords.shipTo, shipTo],
        ] as const)
      : ([[documentWords.vendor, vendor === '' ? '—' : vendor]] as const)),
    ...read.customFields.map(({ name, value }) => [name, value] as const),
    ...(isSale ? ([[documentWords.emailStatus, read.emailStatus ?? '—']] as const) : []),
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className={styles.label}>{name}</dt>
          <dd className={styles.text}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Tick() {
  return (
    <span className={styles.tick}>
      <Icon name="check" size={16} />
      <span className={styles.tickWord}>{documentWords.taxable}</span>
    </span>
  );
}
