import { useState } from 'react';
import { clearSyncErrors } from '#contract/psa.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { call } from '../../lib/call.ts';
import { refreshAll } from '../../lib/queries.ts';
import { psaEntities } from './documents.ts';
import { messageOf } from './use-submit.ts';
import { clearedBefore, clearingProgress } from './words.ts';

/** Documents in one call: the PSA takes a call for each of them, and the progress is shown after each part. */
const maxPerCall = 200;

/** Clears the sync status of any number of documents, in parts. */
export function useClearStatus() {
  const [progress, setProgress] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);

  /** @returns how many were cleared; null when a part was refused, which `error` then explains. */
  const clear = async (kind: SubmittableKind, ids: readonly number[]): Promise<number | null> => {
    setError(null);
    setPending(true);
    const { entity } = psaEntities[kind];
    let cleared = 0;
    try {
      for (let start = 0; start < ids.length; start += maxPerCall) {
        if (ids.length > maxPerCall) setProgress(clearingProgress(start, ids.length));
        const part = ids.slice(start, start + maxPerCall);
        const { data } = await call(clearSyncErrors, { params: { entity }, body: { ids: part } });
        cleared += data.cleared.length;
      }
      return cleared;
    } catch (refusal) {
      setError(clearedBefore(cleared, ids.length, messageOf(refusal)));
      return null;
    } finally {
      setPending(false);
      setProgress(null);
      for (const name of ['psa', 'jobs', 'attention'] as const) void refreshAll(name);
    }
  };
  return { clear, progress, error, isPending, reset: () => setError(null) };
}
