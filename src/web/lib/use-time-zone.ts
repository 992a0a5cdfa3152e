import { useQuery } from '@tanstack/react-query';
import { subscriptionQuery } from './queries.ts';
import { useSession } from './current-session.ts';

/** The browser's time zone, for users without a client. */
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * The time zone of every screen (IANA name): the client's, which its documents and log also use; without a client, the
 * browser's.
 */
export function useTimeZone(): string {
  const hasClient = (useSession()?.claims.client ?? null) !== null;
  return useQuery({ ...subscriptionQuery(), enabled: hasClient }).data?.time_zone ?? ownZone;
}
