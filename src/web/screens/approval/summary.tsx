import { WarningRow } from '../../components/action-bar.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import { Figure, Figures } from '../../components/figures.tsx';
import { Button, Text, Box, Group } from '@mantine/core';
import type { ApprovalRunReply } from '#contract/drafts.ts';
import type { LedgerEntryReply } from '#contract/planned.ts';
import { kinds } from '#core/kinds.ts';
import { decimal, minus, sum } from '#core/values/decimal.ts';
import { countOf, formatAmount, formatCount, formatMoney, formatSums, sumsByCurrency } from '../../data/format.ts';
import { Panel, Rows } from '../../components/page.tsx';
import styles from './approval.module.css';
import { documentStates } from '../../components/badge.tsx';
import { Note } from '../../components/note.tsx';

/** The totals of a run: amount, new records, warnings, and documents that are not posted yet. */
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
    <Figures columns="2fr 1fr 1fr 1fr">
      <Figure
        label={documentStates.awaits_approval}
        value={formatSums(sumsByCurrency(run.sums)) || '0.00'}
        note={byKind.join(' and ')}
      />
      <Figure
        label="New in QuickBooks"
        value={formatCount(run.new_records.length)}
        note={newRecords.length === 0 ? 'Everything exists already' : newRecords.join(', ')}
      />
      <Figure
        label="Warnings"
        value={formatCount(run.warnings.length)}
        note={warned === 0 ? 'No warnings' : `on ${countOf(warned, 'document')}`}
      />
      <Figure label="Approved" value={formatCount(run.on_their_way)} note="Not posted yet" />
    </Figures>
  );
}

/** Lists the warnings of documents. @param onChoose selects the documents of a warning; null if the user cannot */
export function Warnings({
  warnings,
  onChoose = null,
}: {
  warnings: readonly { code: string; message: string; documents: number; draft_ids?: readonly string[] }[];
  onChoose?: ((ids: readonly string[]) => void) | null;
}) {
  if (warnings.length === 0) return null;
  return (
    <Panel title="Warnings" flush>
      <Rows>
        {warnings.map(({ code, message, documents, draft_ids: ids = [] }) => (
          <WarningRow
            key={code}
            aside={
              onChoose !== null && (
                <Button
                  className={styles.noPrint ?? ''}
                  variant="default"
                  size="xs"
                  onClick={() => onChoose(ids)}
                  aria-label={`Select only ${countOf(documents, 'document')}: ${message}`}
                >
                  {`Select only ${documents === 1 ? 'this' : `these ${documents}`}`}
                </Button>
              )
            }
          >
            {message}
            {documents > 1 && <Note>{` and ${countOf(documents - 1, 'more document')}`}</Note>}
          </WarningRow>
        ))}
      </Rows>
    </Panel>
  );
}

/** Debits and credits by account, class and tax agency, in one table per currency. */
export function Ledger({ effects }: { effects: ApprovalRunReply['effects'] }) {
  return effects
    .filter(({ entries }) => entries.length > 0)
    .map(({ currency, tax_known: isTaxKnown, entries }) => (
      <Panel key={currency} title={effects.length > 1 ? `Debits and credits, ${currency}` : 'Debits and credits'} flush>
        <EntryTable label={`Accounts in ${currency}`} entries={entries} currency={currency} />
        {!isTaxKnown && (
          <Text pt="sm" pr="md" pb={12} pl="md" c="dimmed" size="xs">
            QuickBooks calculates the tax of some documents. This table shows the billed tax.
          </Text>
        )}
      </Panel>
    ));
}

interface EntryTableProps {
  label: string;
  entries: readonly LedgerEntryReply[];
  currency: string | null;
}

/** The debit and credit of each account, with their totals. */
export function EntryTable({ label, entries, currency }: EntryTableProps) {
  const total = (side: 'debit' | 'credit') =>
    formatMoney(sum(entries.flatMap((one) => (one[side] === null ? [] : [decimal(one[side])]))), currency);
  // Empty columns would waste space on a phone.
  const hasClasses = entries.some((one) => one.class !== null);
  const hasTax = entries.some((one) => one.tax_agency !== null);
  return (
    <PlainTable
      label={label}
      heads={['Account', hasClasses && 'Class', hasTax && 'Tax', { end: 'Debit' }, { end: 'Credit' }]}
    >
      <tbody>
        {entries.map(({ account, class: of, tax_agency: tax, debit, credit }) => (
          <tr key={JSON.stringify([account, of, tax])}>
            <th scope="row">
              <bdi>{account}</bdi>
            </th>
            {hasClasses && (
              <td>
                <bdi>{of}</bdi>
              </td>
            )}
            {hasTax && (
              <td>
                <bdi>{tax}</bdi>
              </td>
            )}
            <td data-end>{debit === null ? '' : formatAmount(debit)}</td>
            <td data-end>{credit === null ? '' : formatAmount(credit)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={1 + Number(hasClasses) + Number(hasTax)}>
            Total
          </th>
          <td data-end>{total('debit')}</td>
          <td data-end>{total('credit')}</td>
        </tr>
      </tfoot>
    </PlainTable>
  );
}

/** Compares the amount of each customer, vendor and employee with last month. */
export function Parties({ parties }: { parties: ApprovalRunReply['parties'] }) {
  if (parties.length === 0) return null;
  return (
    <Panel title="By customer and vendor, compared with last month" flush>
      <PlainTable
        label="By customer and vendor"
        heads={[
          'Name',
          { end: 'Documents', className: styles.wide },
          { end: 'Now' },
          { end: 'Last month', className: styles.wide },
          { end: 'Difference' },
        ]}
      >
        <tbody>
          {parties.map(({ type, party, currency, count, amount, last_month: before }) => (
            <tr key={JSON.stringify([type, party, currency])}>
              <th scope="row">
                <bdi>{party}</bdi>
                <Note> {kinds[type].plural.toLowerCase()}</Note>
              </th>
              <td data-end className={styles.wide}>
                {count}
              </td>
              <td data-end>{formatMoney(amount, currency)}</td>
              <td data-end className={styles.wide}>
                {before.count === 0 ? 'none' : formatMoney(before.amount, currency)}
              </td>
              <td data-end>{formatMoney(minus(decimal(amount), decimal(before.amount)), currency)}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Panel>
  );
}

/** Lists customers, vendors and items that posting would create. */
export function NewRecords({ records }: { records: ApprovalRunReply['new_records'] }) {
  if (records.length === 0) return null;
  return (
    <Panel title="New in QuickBooks" flush>
      <Rows>
        {records.map(({ list, name, account, documents }) => (
          <Group component="li" key={JSON.stringify([list, name, account])} gap={12} px="md" py={8} fz="sm">
            <Text span w={72} c="dimmed" size="xs">
              {list}
            </Text>
            <Box component="span" flex="1 1 180px" miw={0}>
              <bdi>{name}</bdi>
            </Box>
            <Note>
              {account === null ? '' : `${account} · `}
              {countOf(documents, 'document')}
            </Note>
          </Group>
        ))}
      </Rows>
    </Panel>
  );
}
