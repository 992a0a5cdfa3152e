import { useQuery } from '@tanstack/react-query';
import { submitAll } from '#contract/calls/sync.ts';
import type { JobReply } from '#contract/jobs.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import { showError } from '../../components/flash.ts';
import { cacheJob } from '../../data/follow-job.ts';
import { useAction } from '../../data/queries.ts';
import { psaQuery } from '../../data/screen-queries.ts';
import { psaEntities } from './documents.ts';
import { useClearStatus } from './use-clear-status.ts';

/** The PSA field that contains the ERROR mark. */
const markFields = {
  invoice: 'invoiceNumber',
  purchase_order: 'externalPONumber',
  expense_report: 'quickBooksReferenceNumber',
} as const satisfies Record<SubmittableKind, string>;

/**
 * Documents with the ERROR mark of an earlier sync in the PSA. No sync picks them up until the mark is cleared.
 *
 * @param isEnabled false: does not search
 * @param onTested receives the test that `clear` starts
 * @returns their PSA ids, ascending, and `clear`, which removes the mark and tests all eligible documents
 */
export function useErrorMarks(kind: SubmittableKind, isEnabled = true, onTested?: (job: JobReply) => void) {
  const { entity } = psaEntities[kind];
  const field = markFields[kind];
  const search = { key: ['error-marks'], conditions: () => [{ field, op: 'endsWith' as const, value: errorSentinel }] };
  const found = useQuery({ ...psaQuery(entity, search, ['id', field]), enabled: isEnabled });
  const submit = useAction(submitAll, {
    onSuccess: ({ job }) => {
      cacheJob(job);
      onTested?.(job);
    },
  });
  const { clear, isPending } = useClearStatus(showError);
  const clearAndTest = async (ids: readonly number[]) => {
    if ((await clear(kind, ids)) !== null)
      submit.mutate({ params: { kind: kinds[kind].segment }, body: { mode: 'test', force: false } });
  };
  return {
    ids:
      isEnabled && found.data?.isComplete === true
        ? found.data.items.flatMap(({ id }) => (typeof id === 'number' ? [id] : []))
        : [],
    clear: (ids: readonly number[]) => void clearAndTest(ids),
    isPending: isPending || submit.isPending,
  };
}
