import type { ReactNode } from 'react';
import type { AttentionGroupReply, AttentionReply } from '#contract/attention.ts';
import { kinds, submittableKinds } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import type { DocumentState } from '../../components/badge.tsx';
import { useEnvironment } from '../../data/environment.ts';
import { countOf } from '../../data/format.ts';
import { useErrorMarks } from '../sync/use-error-marks.ts';
import { CauseCard } from './cause-card.tsx';
import { ChangedCard, titleOfChange } from './changed-since.tsx';
import { ErrorMarksCard } from './error-marks.tsx';
import { SkippedCard } from './skipped-documents.tsx';
import { describeSkipped } from './skipped-text.ts';
import { describeDocuments, documentsOf } from './summaries.ts';

/** One line of the list, and its fix. */
export interface Cause {
  readonly key: string;
  readonly state: DocumentState;
  readonly title: string;
  readonly note: string;
  readonly fix: ReactNode;
}

/** Causes under a heading with the number of their documents; null if no document waits for them. */
export interface CauseSection {
  readonly title: string;
  readonly count: string | null;
  readonly hint: string | null;
  readonly causes: readonly Cause[];
}

type OnReview = (jobIds: readonly string[]) => void;

/**
 * Returns all causes by what they wait for: a user first. A section without causes is omitted.
 *
 * @param onReview receives the ids of the test jobs to review before posting
 */
export function useCauses(data: AttentionReply | undefined, onReview: OnReview): readonly CauseSection[] {
  const { psa } = useEnvironment();
  const marks = useMarks(data?.groups);
  if (data === undefined) return [];
  const groupsIn = (state: AttentionGroupReply['state']) => data.groups.filter((group) => group.state === state);
  const failed = groupsIn('needs_you');
  const marked = marks.reduce((sum, { ids }) => sum + ids.length, 0);
  const waiting = (title: string, state: 'held' | 'retrying', hint: string): CauseSection => ({
    title,
    count: countOfDocuments(documentsOf(groupsIn(state)).length),
    hint,
    causes: groupsIn(state).map((group) => causeOf(group, onReview)),
  });
  const sections: readonly CauseSection[] = [
    {
      title: 'Failed',
      count: countOfDocuments(documentsOf(failed).length + marked),
      hint: null,
      causes: [...failed.map((group) => causeOf(group, onReview)), ...marks.map(causeOfMarks)],
    },
    {
      title: 'Changed after posting',
      count: countOfDocuments(countIn(data.changed_since)),
      hint: null,
      causes: data.changed_since.map((one) => ({
        key: `changed ${one.month}`,
        state: 'needs_you',
        title: titleOfChange(one),
        note: 'Open the month to see each one.',
        fix: <ChangedCard change={one} />,
      })),
    },
    {
      title: 'Skipped',
      count: countOfDocuments(countIn(data.left_out)),
      hint: 'Automatic syncs skip these documents. The nightly month check found them.',
      causes: data.left_out.map((one) => ({
        key: `skipped ${one.type} ${one.because}`,
        state: 'held',
        title: describeSkipped(one, psa.label),
        note: '',
        fix: <SkippedCard skipped={one} onReview={onReview} />,
      })),
    },
    waiting('On hold', 'held', 'Automatic syncs post these documents once their date or limit allows it.'),
    waiting('Retrying', 'retrying', 'A service failed or limited calls. The next sync tries again.'),
  ];
  return sections.filter(({ causes }) => causes.length > 0);
}

const countOfDocuments = (count: number): string | null => (count === 0 ? null : countOf(count, 'document'));

const countIn = (parts: readonly { readonly count: number }[]): number =>
  parts.reduce((sum, { count }) => sum + count, 0);

const states = { needs_you: 'needs_you', held: 'held', retrying: 'waiting' } as const satisfies Record<
  AttentionGroupReply['state'],
  DocumentState
>;

const causeOf = (group: AttentionGroupReply, onReview: OnReview): Cause => ({
  key: group.key,
  state: states[group.state],
  title: group.message.replace(/\.$/, ''),
  note: group.documents.length === 0 ? 'No document waits for it.' : describeDocuments(group.documents),
  fix: <CauseCard group={group} onReview={onReview} />,
});

type Marks = { readonly kind: (typeof submittableKinds)[number] } & ReturnType<typeof useErrorMarks>;

/**
 * Documents with the ERROR mark in the PSA but no log entry, e.g. marked by another program. No sync picks them up, so
 * their cause offers to clear the mark.
 */
function useMarks(groups: readonly AttentionGroupReply[] = []): readonly Marks[] {
  const invoice = useErrorMarks('invoice');
  const order = useErrorMarks('purchase_order');
  const report = useErrorMarks('expense_report');
  const found = { invoice, purchase_order: order, expense_report: report };
  return submittableKinds.flatMap((kind) => {
    const reported = new Set(
      groups.flatMap(({ documents }) => documents.flatMap(({ type, entityid }) => (type === kind ? [entityid] : []))),
    );
    const ids = found[kind].ids.filter((id) => !reported.has(id));
    return ids.length === 0 ? [] : [{ ...found[kind], kind, ids }];
  });
}

function causeOfMarks({ kind, ids, clear, isPending }: Marks): Cause {
  const documents = countOf(ids.length, kinds[kind].label.toLowerCase());
  const title = `${documents} ${ids.length === 1 ? 'is' : 'are'} marked ${errorSentinel}`;
  return {
    key: `marks ${kind}`,
    state: 'needs_you',
    title,
    note: documents,
    fix: <ErrorMarksCard title={title} ids={ids} isPending={isPending} onClear={() => clear(ids)} />,
  };
}
