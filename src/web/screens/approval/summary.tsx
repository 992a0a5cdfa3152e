import type { ApprovalRunReply } from '#contract/drafts.ts';
import type { LedgerEntryReply } from '#contract/planned.ts';
import { kinds } from '#core/kinds.ts';
import { decimal, minus, sum } from '#core/values/decimal.ts';
import { countOf, formatAmount, formatCount, formatMoney, formatSums, sumsByCurrency } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Panel } from '../../ui/page.tsx';
import styles from './approval.module.css';
import { summaryWords } from './words.ts';

const { heads, partyHeads } = summaryWords;

/** The head of the page: how many, how much, what is new, what to look at. */
export function Numbers({ run }: { run: ApprovalRunReply }) {
  const byKind = [...Map.groupBy(run.sums, ({ type }) => type)].map(([type, sums]) =>
    countOf(
      sums.reduce((count, one) => count + one.count, 0),
      kinds[type].label.toLowerCase(),
    ),
  );
  const ofList = (list: ApprovalRunReply['new_records'][number]['list']) =>
    run.new_records.filter((one) => one.list === list).length;
  const newRecords = (['customer', 'vendor', 'item'] as const).flatMap((list) =>
    ofList(list) === 0 ? [] : [countOf(ofList(list), list)],
  );
  const warned = new Set(run.warnings.flatMap(({ draft_ids: ids }) => ids)).size;
  return (
    <dl className={styles.numbers}>
      <Figure
        label={summaryWords.waits}
        value={formatSums(sumsByCurrency(run.sums)) || '0.00'}
        note={byKind.join(' and ')}
      />
      <Figure
        label={summaryWords.isNew}
        value={formatCount(run.new_records.length)}
        note={newRecords.length === 0 ? summaryWords.nothingNew : newRecords.join(', ')}
      />
      <Figure
        label={summaryWords.warnings}
        value={formatCount(run.warnings.length)}
        note={warned === 0 ? summaryWords.noWarnings : summaryWords.warned(warned)}
      />
      <Figure label={summaryWords.onTheirWay} value={formatCount(run.on_their_way)} note={summaryWords.notPostedYet} />
    </dl>
  );
}

export function Figure({ label, value, note }: { label: string; value: string; note: string }) {
  return (
    <div className={styles.figure}>
      <dt>{label}</dt>
      <dd className={styles.value}>{value}</dd>
      <dd className={styles.dim}>{note}</dd>
    </div>
  );
}

/** The warnings of a run, by their kind. @param onChoose null where nothing can be chosen */
export function Warnings({
  warnings,
  onChoose,
}: {
  warnings: ApprovalRunReply['warnings'];
  onChoose: ((ids: readonly string[]) => void) | null;
}) {
  if (warnings.length === 0) return null;
  return (
    <Panel title={summaryWords.warnings} flush>
      <ul className={styles.warnings}>
        {warnings.map(({ code, message, draft_ids: ids }) => (
          <li key={code}>
            <Icon name="warning" size={16} />
            <span className={styles.grow}>
              {message}
              {ids.length > 1 && <span className={styles.dim}>{summaryWords.more(ids.length - 1)}</span>}
            </span>
            {onChoose !== null && (
              <Button
                className={styles.noPrint ?? ''}
                variant="default"
                size="xs"
                data-size="xs"
                onClick={() => onChoose(ids)}
                aria-label={summaryWords.selectOnlyOf(ids.length, message)}
              >
                {summaryWords.selectOnly(ids.length)}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Debits and credits by account, class and tax agency; each currency by itself. */
export function Ledger({ effects }: { effects: ApprovalRunReply['effects'] }) {
  return effects
    .filter(({ entries }) => entries.length > 0)
    .map(({ currency, tax_known: isTaxKnown, entries }) => (
      <Panel key={currency} title={summaryWords.ledger(effects.length > 1 ? currency : null)} flush>
        <EntryTable label={summaryWords.accountsIn(currency)} entries={entries} currency={currency} />
        {!isTaxKnown && <p className={styles.note}>{summaryWords.taxUnknown}</p>}
      </Panel>
    ));
}

/** The amount that is booked on each account, and that both sides come to the same. */
export function EntryTable({
  label,
  entries,
  currency,
}: {
  label: string;
  entries: readonly LedgerEntryReply[];
  currency: string | null;
}) {
  const total = (side: 'debit' | 'credit') =>
    formatMoney(sum(entries.flatMap((one) => (one[side] === null ? [] : [decimal(one[side])]))), currency);
  // A column that nothing stands in is only in the way on a phone.
  const hasClasses = entries.some((one) => one.class !== null);
  const hasTax = entries.some((one) => one.tax_agency !== null);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{heads.account}</th>
            {hasClasses && <th scope="col">{heads.class}</th>}
            {hasTax && <th scope="col">{heads.tax}</th>}
            <th scope="col" data-end>
              {heads.debit}
            </th>
            <th scope="col" data-end>
              {heads.credit}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ account, class: of, tax_agency: tax, debit, credit }) => (
            <tr key={JSON.stringify([account, of, tax])}>
              <th scope="row">{account}</th>
              {hasClasses && <td>{of}</td>}
              {hasTax && <td>{tax}</td>}
              <td data-end>{debit === null ? '' : formatAmount(debit)}</td>
              <td data-end>{credit === null ? '' : formatAmount(credit)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={1 + Number(hasClasses) + Number(hasTax)}>
              {heads.total}
            </th>
            <td data-end>{total('debit')}</td>
            <td data-end>{total('credit')}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** Each customer, vendor or employee beside what was posted for them last month. */
export function Parties({ parties }: { parties: ApprovalRunReply['parties'] }) {
  if (parties.length === 0) return null;
  return (
    <Panel title={summaryWords.parties} flush>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it */}
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={summaryWords.partiesList}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{partyHeads.name}</th>
              <th scope="col" data-end data-wide>
                {partyHeads.documents}
              </th>
              <th scope="col" data-end>
                {partyHeads.now}
              </th>
              <th scope="col" data-end data-wide>
                {partyHeads.before}
              </th>
              <th scope="col" data-end>
                {partyHeads.difference}
              </th>
            </tr>
          </thead>
          <tbody>
            {parties.map(({ type, party, currency, count, amount, last_month: before }) => (
              <tr key={JSON.stringify([type, party, currency])}>
                <th scope="row">
                  {party}
                  <span className={styles.dim}> {kinds[type].plural.toLowerCase()}</span>
                </th>
                <td data-end data-wide>
                  {count}
                </td>
                <td data-end>{formatMoney(amount, currency)}</td>
                <td data-end data-wide>
                  {before.count === 0 ? summaryWords.none : formatMoney(before.amount, currency)}
                </td>
                <td data-end>{formatMoney(minus(decimal(amount), decimal(before.amount)), currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

/** Customers, vendors and items that would be made beside the documents. */
export function NewRecords({ records }: { records: ApprovalRunReply['new_records'] }) {
  if (records.length === 0) return null;
  return (
    <Panel title={summaryWords.isNew} flush>
      <ul className={styles.newRecords}>
        {records.map(({ list, name, account, documents }) => (
          <li key={JSON.stringify([list, name, account])}>
            <span className={styles.kind}>{list}</span>
            <span className={styles.grow}>{name}</span>
            <span className={styles.dim}>
              {account === null ? '' : `${account} · `}
              {summaryWords.count(documents)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
