import { kindNames } from '#core/kinds.ts';
import type { AttentionDocument } from '#contract/attention.ts';
import { showError } from '../../components/flash.ts';
import { refreshAll } from '../../data/queries.ts';
import { messageOf, useSubmit } from '../sync/use-submit.ts';

/**
 * Tests documents again, in a separate job per kind. Shows a rejected request in the message bar.
 *
 * @param onReview opens the review of the tests once all of them are queued; without it, they are only tests
 */
export function useTestAgain(onReview?: (jobIds: readonly string[]) => void) {
  const { submit, isPending } = useSubmit(onReview !== undefined);
  const run = async (documents: readonly Pick<AttentionDocument, 'type' | 'entityid'>[]) => {
    const ids: string[] = [];
    try {
      for (const kind of kindNames) {
        const chosen = documents.filter(({ type }) => type === kind).map(({ entityid }) => entityid);
        if (chosen.length > 0) ids.push((await submit(kind, chosen, { mode: 'test', force: false })).id);
      }
      onReview?.(ids);
    } catch (error) {
      showError(messageOf(error));
    }
    await refreshAll('jobs');
  };
  return {
    testAgain: (documents: readonly Pick<AttentionDocument, 'type' | 'entityid'>[]) => void run(documents),
    isPending,
  };
}
