import { useSearchParams } from 'react-router';
import { settleException } from '#contract/calls/closes.ts';
import type { JobReply } from '#contract/jobs.ts';
import { settlements, type Settlement } from '#core/reconciliation/exception-actions.ts';
import { showError } from '../../components/flash.ts';
import { cacheJob } from '../../data/follow-job.ts';
import { useAction } from '../../data/queries.ts';
import { messageOf } from '../sync/use-submit.ts';

/** A difference and how to settle it. */
export interface Settling {
  readonly key: string;
  readonly action: Settlement;
}

const names = { review: 'review', key: 'difference', action: 'by' } as const;

/**
 * Settles a difference in two steps: a test whose result the user reviews, then the live run. The address contains the
 * review, so that a reload restores it and Back returns to the month.
 *
 * @returns `reviewing`: the open review or null; `plan` starts a test and opens its review; `replan` opens the test that
 *   replaces it; `send` posts exactly the reviewed plan and throws refusals
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
    replan: ({ key: of, action: by }: NonNullable<typeof reviewing>, to: string) =>
      setQuery({ [names.review]: to, [names.key]: of, [names.action]: by }, { replace: true }),
    send: ({ key: of, action: by, test: reviewed }: NonNullable<typeof reviewing>) =>
      submit({ key: of, action: by, mode: 'live', reviewed }),
    leave: () => setQuery({}, { replace: true }),
  };
}
