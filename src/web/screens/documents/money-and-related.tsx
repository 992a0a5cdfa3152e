import type { CurrentDocumentReply, DocumentReply } from '#contract/documents.ts';
import { kinds } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatDate, formatDateTime, formatMoney } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { Panel } from '../../components/page.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import { Note } from '../../components/note.tsx';
import { TwoLines } from '../../components/two-lines.tsx';
import { postingText, wordsOf } from './texts.ts';

interface Props {
  document: DocumentReply;
  current: CurrentDocumentReply | undefined;
}

/** Payments, credits and bills of the document in QuickBooks, and what was posted for it. */
export const MoneyAndRelated = (props: Props) => (
  <>
    <Payments {...props} />
    <Postings {...props} />
  </>
);

const titles = { invoice: 'Payments and credits', purchase_order: 'Bills', expense_report: 'Payments' } as const;

function Payments({ document: { type, currency }, current }: Props) {
  const { psa } = useEnvironment();
  const applied = current?.accounting.applied ?? [];
  const paidOn = current?.psa.paid_on ?? null;
  if (applied.length === 0 && paidOn === null) return null;
  return (
    <Panel title={titles[type]} flush>
      {applied.length > 0 && (
        <PlainTable label={titles[type]} heads={['Document', 'Date', { end: 'Total' }]}>
          <tbody>
            {applied.map(({ type: of, id, number, date, total, voided }) => (
              <tr key={`${of} ${id}`}>
                <th scope="row">
                  {wordsOf(of)} <bdi>{number ?? id}</bdi>
                  {voided && ' (voided)'}
                </th>
                <td>{date === null ? '' : formatDate(date)}</td>
                <td data-end>{total === null ? '' : formatMoney(total, currency)}</td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
      {paidOn !== null && (
        <p style={{ padding: 'var(--tb-2) var(--tb-4)' }}>
          <Note>
            Paid in {psa.label} on {formatDate(paidOn)}
          </Note>
        </p>
      )}
    </Panel>
  );
}

/** Every document that was created in QuickBooks for this one. The current document alone needs no list. */
function Postings({ document: { postings, type, currency } }: Props) {
  const { accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const [only] = postings;
  if (postings.length === 0 || (postings.length === 1 && only?.type === type && only.status === 'synced')) return null;
  return (
    <Panel title={`Documents in ${accounting.short_label}`} flush>
      <PlainTable label={`Documents in ${accounting.short_label}`} heads={['Document', 'Status', { end: 'Total' }]}>
        <tbody>
          {postings.map((one) => (
            <tr key={`${one.type} ${one.created_at} ${one.number} ${one.status}`}>
              <th scope="row">
                <TwoLines note={one.type === type ? null : `For a ${kinds[one.type].label.toLowerCase()}`}>
                  {one.form === null ? kinds[one.type].label : wordsOf(one.form)} <bdi>{one.number}</bdi>
                </TwoLines>
              </th>
              <td>
                <TwoLines note={formatDateTime(one.created_at, timeZone)}>{postingText(one.status)}</TwoLines>
              </td>
              <td data-end>{one.total === null ? '' : formatMoney(one.total, currency)}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Panel>
  );
}
