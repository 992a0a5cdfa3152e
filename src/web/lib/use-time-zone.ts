import { useQuery } from '@tanstack/react-query';
import { subscriptionQuery } from './queries.ts';
import { useSession } from './current-session.ts';

/** The zone of a browser, for people without a client. */
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The clock of every screen (IANA name): the client's, in which its documents and log speak too; else the browser's. */
export function useTimeZone(): string {
  const hasClient = (useSession()?.claims.client ?? null) !== null;
  return useQuery({ ...subscriptionQuery(), enabled: hasClient }).data?.time_zone ?? ownZone;
}
