import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { submitAll } from '#contract/sync.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import { showError } from '../../lib/flash.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { useAction } from '../../lib/queries.ts';
import { psaQuery } from '../../lib/screen-queries.ts';
import { psaEntities } from './documents.ts';
import { useClearStatus } from './use-clear-status.ts';

/** The PSA field of each kind that carries the mark of an earlier try. */
const markFields = {
  invoice: 'invoiceNumber',
  purchase_order: 'externalPONumber',
  expense_report: 'quickBooksReferenceNumber',
} as const satisfies Record<SubmittableKind, string>;

/**
 * Documents that an earlier try has left marked ERROR in the PSA: no sync takes them up before the mark is cleared.
 *
 * @param isAsked false: nothing is looked for
 * @returns their PSA ids, ascending, and `clear`, which takes the mark off and tests all that is eligible then
 */
export function useMarked(kind: SubmittableKind, isAsked = true) {
  const { entity } = psaEntities[kind];
  const field = markFields[kind];
  const search = {
    key: ['marked'],
    conditions: () => [{ field, op: 'endsWith' as const, value: errorSentinel }],
  };
  const found = useQuery({ ...psaQuery(entity, search, ['id', field]), enabled: isAsked });
  const submit = useAction(submitAll, { onSuccess: ({ job }) => noteJob(job) });
  const { clear, error, isPending } = useClearStatus();
  useEffect(() => {
    if (error !== null) showError(error);
  }, [error]);
  const clearAndTest = async (ids: readonly number[]) => {
    if ((await clear(kind, ids)) !== null)
      submit.mutate({ params: { kind: kinds[kind].segment }, body: { mode: 'test', force: false } });
  };
  return {
    ids: isAsked ? (found.data ?? []).flatMap(({ id }) => (typeof id === 'number' ? [id] : [])) : [],
    clear: (ids: readonly number[]) => void clearAndTest(ids),
    isPending: isPending || submit.isPending,
  };
}
