import type { DraftReply } from '#contract/drafts.ts';
import { formatDate, formatMoney, sumsByCurrency } from '../../lib/format.ts';
import { StateBadge, ToneBadge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import styles from './approval.module.css';
import { approvalWords } from './words.ts';

/** The name of a row: “Invoice 48213”, with the number where there is one, else the PSA's id. */
export const nameOf = ({ what, number, entityid }: DraftReply): string => `${what ?? 'Document'} ${number ?? entityid}`;

/** The drafts, each with what was said of it. @param chosen null where nothing can be chosen */
export function DraftTable({
  drafts,
  chosen,
  onChosen,
  onOpen,
}: {
  drafts: readonly DraftReply[];
  chosen: ReadonlySet<string> | null;
  onChosen: (chosen: ReadonlySet<string>) => void;
  onOpen: (draft: DraftReply) => void;
}) {
  const waiting = drafts.filter(({ state }) => state === 'waiting');
  const picked = chosen === null ? waiting : waiting.filter(({ id }) => chosen.has(id));
  return (
    <DataTable
      label={approvalWords.documents}
      columns={columns}
      rows={drafts}
      rowKey={({ id }) => id}
      rowLabel={nameOf}
      onOpen={onOpen}
      {...(chosen !== null && {
        selection: { chosen, onChange: onChosen, all: waiting.map(({ id }) => id), rowName: nameOf },
      })}
      totals={sumsByCurrency(picked).map(({ amount, currency, count }) => ({
        key: currency ?? '',
        label: chosen === null ? approvalWords.count(count) : approvalWords.selected(count),
        cells: { amount: formatMoney(amount, currency) },
      }))}
    />
  );
}

const columns: readonly Column<DraftReply>[] = [
  {
    key: 'document',
    head: approvalWords.heads.document,
    cell: (draft) => (
      <span className={styles.document}>
        {nameOf(draft)}
        <Remarks draft={draft} />
      </span>
    ),
    placeholderWidth: 120,
    narrow: 'title',
  },
  { key: 'party', head: approvalWords.heads.party, cell: ({ party }) => party, placeholderWidth: 140 },
  {
    key: 'date',
    head: approvalWords.heads.date,
    cell: ({ date }) => (date === null ? '' : formatDate(date)),
    width: '120px',
    placeholderWidth: 80,
    narrow: 'hide',
  },
  {
    key: 'state',
    head: approvalWords.heads.state,
    cell: (draft) => <State draft={draft} />,
    width: '150px',
    placeholderWidth: 60,
  },
  {
    key: 'amount',
    head: approvalWords.heads.amount,
    align: 'end',
    cell: ({ amount, currency }) => (amount === null ? '' : formatMoney(amount, currency)),
    width: '140px',
    placeholderWidth: 70,
    narrow: 'trail',
  },
];

function State({ draft }: { draft: DraftReply }) {
  if (draft.state === 'approved') return <StateBadge state="syncing" label={approvalWords.onItsWay} />;
  if (draft.changed !== null)
    return <ToneBadge tone={draft.changed.after_approval ? 'bad' : 'info'}>{approvalWords.changed}</ToneBadge>;
  return <StateBadge state="held" label={approvalWords.waiting} />;
}

/** Notes under a document: its changes, who approved it first, who started it, how the last try ended, its warnings. */
function Remarks({ draft }: { draft: DraftReply }) {
  const { changed, warnings, first_approved_by: first, prepared_by: by, reason } = draft;
  return (
    <>
      {changed?.changes.slice(0, 2).map(({ what, was, is }) => (
        <span key={what} className={styles.remark}>
          {what}: <del>{was}</del> → <ins>{is}</ins>
        </span>
      ))}
      {first !== null && <span className={styles.remark}>{approvalWords.approvedBy(first)}</span>}
      {by !== null && <span className={styles.remark}>{approvalWords.startedBy(by)}</span>}
      {reason !== null && <span className={styles.remark}>{reason}</span>}
      {warnings.map(({ code, message }) => (
        <span key={`${code} ${message}`} className={styles.warning}>
          {message}
        </span>
      ))}
    </>
  );
}
