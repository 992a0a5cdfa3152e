import { Stack, Text } from '@mantine/core';
import type { DraftReply } from '#contract/drafts.ts';
import { formatDate, formatMoney, sumsByCurrency, countOf } from '../../data/format.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { StateBadge, ToneBadge, documentStates } from '../../components/badge.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import styles from './approval.module.css';
import { Note } from '../../components/note.tsx';
import { ReplacedFields } from '../../components/replaced-fields.tsx';
import { useEnvironment } from '../../data/environment.ts';

/** Returns the name of a draft, e.g. “Invoice 48213”: its number, or the PSA's id if it has none. */
export const nameOf = ({ what, number, entityid }: DraftReply): string => `${what ?? 'Document'} ${number ?? entityid}`;

interface DraftTableProps {
  drafts: readonly DraftReply[];
  chosen: ReadonlySet<string> | null;
  onChosen: (chosen: ReadonlySet<string>) => void;
  /** The id of the open draft. */
  current: string | undefined;
  onOpen: (draft: DraftReply) => void;
}

/** Lists drafts with their changes and warnings. @param chosen null if the user cannot select drafts */
export function DraftTable({ drafts, chosen, onChosen, current, onOpen }: DraftTableProps) {
  const waiting = drafts.filter(({ state }) => state === 'waiting');
  const picked = chosen === null ? waiting : waiting.filter(({ id }) => chosen.has(id));
  return (
    <DataTable
      label="Documents"
      columns={columns}
      rows={drafts}
      rowKey={({ id }) => id}
      rowLabel={nameOf}
      onOpen={onOpen}
      current={current}
      {...(chosen !== null && {
        selection: { chosen, onChange: onChosen, all: waiting.map(({ id }) => id), rowName: nameOf },
      })}
      totals={sumsByCurrency(picked).map(({ amount, currency, count }) => ({
        key: currency ?? '',
        label: chosen === null ? countOf(count, 'document') : `${countOf(count, 'document')} selected`,
        cells: { amount: formatMoney(amount, currency) },
      }))}
    />
  );
}

const columns: readonly Column<DraftReply>[] = [
  {
    key: 'document',
    head: 'Document',
    cell: (draft) => (
      <Stack component="span" gap={0} miw={0} style={{ overflowWrap: 'anywhere' }}>
        <DocumentLink type={draft.type} entityid={draft.entityid}>
          {nameOf(draft)}
        </DocumentLink>
        <Notes draft={draft} />
      </Stack>
    ),
    narrow: 'title',
  },
  { key: 'party', head: 'Customer or vendor', cell: ({ party }) => <bdi>{party}</bdi> },
  {
    key: 'date',
    head: 'Date',
    cell: ({ date }) => (date === null ? '' : formatDate(date)),
    width: '120px',
    narrow: 'hide',
  },
  { key: 'state', head: 'State', cell: (draft) => <State draft={draft} />, width: '150px' },
  {
    key: 'amount',
    head: 'Amount',
    align: 'end',
    cell: ({ amount, currency }) => (amount === null ? '' : formatMoney(amount, currency)),
    width: '140px',
    narrow: 'trail',
  },
];

function State({ draft }: { draft: DraftReply }) {
  if (draft.state === 'approved') return <StateBadge state="syncing" label="Approved" />;
  if (draft.changed !== null)
    return <ToneBadge tone={draft.changed.after_approval ? 'bad' : 'info'}>Changed</ToneBadge>;
  return <StateBadge state="held" label={documentStates.awaits_approval} />;
}

/** The changes, replaced fields, first approver, author, last failure and warnings of a draft. */
function Notes({ draft }: { draft: DraftReply }) {
  const { accounting } = useEnvironment();
  const { changed, replaces, warnings, first_approved_by: first, prepared_by: by, reason } = draft;
  return (
    <>
      {changed?.changes.slice(0, 2).map(({ what, was, is }) => (
        <Text span key={what} c="dimmed" size="xs" className={styles.remark ?? ''}>
          {what}: <del>{was}</del> → <ins>{is}</ins>
        </Text>
      ))}
      {replaces.length > 0 && (
        <>
          <Note>{`Updates ${accounting.label}; other fields there stay:`}</Note>
          <ReplacedFields changes={replaces} />
        </>
      )}
      {first !== null && <Note>{`Approved by ${first}. One more approval is needed.`}</Note>}
      {by !== null && <Note>{`Started by ${by}.`}</Note>}
      {reason !== null && <Note>{reason}</Note>}
      {warnings.map(({ code, message }) => (
        <Text span key={`${code} ${message}`} c="held" size="xs">
          {message}
        </Text>
      ))}
    </>
  );
}
