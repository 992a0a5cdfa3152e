import { createHash } from 'node:crypto';
import type { Kind } from '#core/kinds.ts';
import { addSeconds, dateIn } from '#core/values/dates.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Searcher } from './kinds/kind.ts';

/**
 * Documents that are held or were rejected look unchanged in the PSA until something changes in QuickBooks, so they are
 * decided again once an hour.
 */
const ttlSeconds = 3_600;

/** Returns a fingerprint of a search result and everything else that the decision depends on. */
export function fingerprintOf(
  { context, tenant, session }: Searcher,
  settings: Settings,
  seen: readonly unknown[],
): string {
  const today = dateIn(context.clock.now(), tenant.timeZone);
  return (
    createHash('sha256')
      // After records were lost in a restore, everything is checked again.
      .update(JSON.stringify([settings, today, seen, session?.gap ?? null]))
      .digest('base64url')
  );
}

/** Returns the fingerprint with the time of the next check, an hour from now. */
export const fingerprintUntil = ({ context }: Searcher, fingerprint: string): string =>
  `${fingerprint} ${addSeconds(context.clock.now(), ttlSeconds)}`;

/**
 * Returns true if a kind's search result is the same as when there was nothing to do, so that it need not be checked.
 */
export function isUnchanged({ session, context }: Searcher, kind: Kind, fingerprint: string): boolean {
  if (session === null) return false;
  const [stored, until] = session.fingerprints[kind]?.split(' ') ?? [];
  const isSame = stored === fingerprint && (until === undefined || context.clock.now() < until);
  // The outcome of an unfinished attempt or job is not known yet.
  return isSame && !session.hasUnfinished && !session.hasJobs;
}
