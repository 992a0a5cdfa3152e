import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { clearSyncErrors } from '#contract/calls/psa.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { call } from '../../data/call.ts';
import { refreshAll } from '../../data/queries.ts';
import { psaEntities } from './documents.ts';
import { messageOf } from './use-submit.ts';
import { formatCount } from '../../data/format.ts';

/** Maximum documents per call. The PSA needs one call per document; progress is shown after each part. */
const maxPerCall = 200;

/**
 * Clears the sync status of any number of documents, in parts.
 *
 * @returns `clear`: returns the number of cleared documents; null if a part failed, with the reason in `error`.
 */
export function useClearStatus(onError?: (reason: string) => void) {
  const [progress, setProgress] = useState<string | null>(null);
  const { mutateAsync, error, isPending, reset } = useMutation({
    mutationFn: async ({ kind, ids }: { kind: SubmittableKind; ids: readonly number[] }) => {
      const { entity } = psaEntities[kind];
      let cleared = 0;
      try {
        for (let start = 0; start < ids.length; start += maxPerCall) {
          if (ids.length > maxPerCall) setProgress(`Cleared ${formatCount(start)} of ${formatCount(ids.length)}…`);
          const part = ids.slice(start, start + maxPerCall);
          const { data } = await call(clearSyncErrors, { params: { entity }, body: { ids: part } });
          cleared += data.cleared.length;
        }
        return cleared;
      } catch (reason) {
        const before = cleared === 0 ? '' : `Cleared ${formatCount(cleared)} of ${formatCount(ids.length)}. `;
        throw new Error(`${before}${messageOf(reason)}`, { cause: reason });
      }
    },
    onError: ({ message }) => onError?.(message),
    onSettled: () => {
      setProgress(null);
      void refreshAll('psa', 'jobs', 'attention');
    },
  });
  const clear = (kind: SubmittableKind, ids: readonly number[]) => mutateAsync({ kind, ids }).catch(() => null);
  return { clear, progress, error: error?.message ?? null, isPending, reset };
}
