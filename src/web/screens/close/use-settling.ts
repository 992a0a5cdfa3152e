import { useSearchParams } from '../../lib/router.tsx';
import { settleException } from '#contract/closes.ts';
import type { JobReply } from '#contract/jobs.ts';
import { settlements, type Settlement } from '#core/reconciliation/exception-actions.ts';
import { showError } from '../../lib/flash.ts';
import { cacheJob } from '../../lib/follow-job.ts';
import { useAction } from '../../lib/queries.ts';
import { messageOf } from '../sync/use-submit.ts';

/** How a difference of a month is settled. */
export interface Settling {
  readonly key: string;
  readonly action: Settlement;
}

const names = { review: 'review', key: 'difference', action: 'by' } as const;

/**
 * Settling a difference of a month: planned as a test first and reviewed, then sent. The address keeps the review with
 * the difference, so that a reload finds it again and Back leads to the month.
 *
 * @returns `reviewing`: the id of the test, null while nothing is reviewed; `plan` begins one and opens it; `send` settles
 *   exactly what was planned, and throws what was refused
 */
export function useSettling(month: string) {
  const [query, setQuery] = useSearchParams();
  const settle = useAction(settleException, {
    changes: ['closes', 'attention'],
    onError: () => undefined,
    showsMessage: ({ body }) => body.mode === 'live',
  });
  const submit = async (body: Parameters<typeof settle.mutateAsync>[0]['body']): Promise<JobReply> => {
    const { job } = (await settle.mutateAsync({ params: { month }, body })).data;
    cacheJob(job);
    return job;
  };
  const [key, action] = [query.get(names.key), settlements.find((one) => one === query.get(names.action))];
  const test = query.get(names.review);
  const reviewing = test === null || key === null || action === undefined ? null : { test, key, action };
  return {
    reviewing,
    isPlanning: settle.isPending,
    plan: (settling: Settling) =>
      void submit({ ...settling, mode: 'test' }).then(
        ({ id }) => setQuery({ [names.review]: id, [names.key]: settling.key, [names.action]: settling.action }),
        (refusal: unknown) => showError(messageOf(refusal)),
      ),
    send: ({ key: of, action: by, test: reviewed }: NonNullable<typeof reviewing>) =>
      submit({ key: of, action: by, mode: 'live', reviewed }),
    leave: () => setQuery({}, { replace: true }),
  };
}
