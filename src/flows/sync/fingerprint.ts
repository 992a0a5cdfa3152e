import { createHash } from 'node:crypto';
import type { Kind } from '#core/kinds.ts';
import { addSeconds, dateIn } from '#core/values/dates.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Searcher } from './kinds/kind.ts';

/**
 * Documents that are still held, or refused as before, look the same in the PSA until something changes in the books:
 * they are decided anew once an hour.
 */
const ttlSeconds = 3_600;

/** Fingerprint of what a search saw, one short text: the same as long as all that it decides by is the same. */
export function fingerprintOf(
  { context, tenant, session }: Searcher,
  settings: Settings,
  seen: readonly unknown[],
): string {
  const today = dateIn(context.clock.now(), tenant.timeZone);
  return (
    createHash('sha256')
      // After a gap in our records everything is looked at anew.
      .update(JSON.stringify([settings, today, seen, session?.gap ?? null]))
      .digest('base64url')
  );
}

/** Fingerprint with the time at which it has to be looked at again, an hour from now. */
export const fingerprintUntil = ({ context }: Searcher, fingerprint: string): string =>
  `${fingerprint} ${addSeconds(context.clock.now(), ttlSeconds)}`;

/** Whether a kind sees what it saw when nothing was to do, so that no other look is needed yet. */
export function isUnchanged({ session, context }: Searcher, kind: Kind, fingerprint: string): boolean {
  if (session === null) return false;
  const [kept, until] = session.fingerprints[kind]?.split(' ') ?? [];
  const isSame = kept === fingerprint && (until === undefined || context.clock.now() < until);
  // The outcome of an unfinished attempt or a job is not known yet.
  return isSame && !session.hasUnfinished && !session.hasJobs;
}
