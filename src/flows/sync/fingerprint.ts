import { createHash } from 'node:crypto';
import type { Kind } from '#core/kinds.ts';
import { addSeconds, dateIn } from '#core/values/dates.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Searcher } from './kinds/kind.ts';

/**
 * Documents that are still held, or refused as before, look the same in the PSA until something changes in the books:
 * they are decided anew once an hour.
 */
const restSeconds = 3_600;

/** What a search saw, as one short text: the same as long as all that it decides by is the same. */
export function fingerprintOf({ context, tenant }: Searcher, settings: Settings, seen: readonly unknown[]): string {
  const today = dateIn(context.clock.now(), tenant.timeZone);
  return createHash('sha256')
    .update(JSON.stringify([settings, today, seen]))
    .digest('base64url');
}

/** What is kept of a fingerprint that has to be looked at again, at the latest after an hour. */
export const fingerprintUntil = ({ context }: Searcher, fingerprint: string): string =>
  `${fingerprint} ${addSeconds(context.clock.now(), restSeconds)}`;

/** Whether a kind sees what it saw when nothing was to do, so that no other look is needed yet. */
export function isUnchanged({ turn, context }: Searcher, kind: Kind, fingerprint: string): boolean {
  if (turn === null) return false;
  const [settled, until] = turn.fingerprints[kind]?.split(' ') ?? [];
  const isSame = settled === fingerprint && (until === undefined || context.clock.now() < until);
  // What an unfinished attempt or a job will leave behind is not known yet.
  return isSame && !turn.hasUnfinished && !turn.hasJobs;
}
