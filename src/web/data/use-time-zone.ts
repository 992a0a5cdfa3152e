import { useQuery } from '@tanstack/react-query';
import { subscriptionQuery } from './queries.ts';
import { useSession } from './current-session.ts';

/** The browser's time zone, for users without a client. */
const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone of all screens (IANA name): the client’s, or the browser’s without a client. */
export function useTimeZone(): string {
  const hasClient = (useSession()?.claims.client ?? null) !== null;
  return useQuery({ ...subscriptionQuery(), enabled: hasClient }).data?.time_zone ?? browserZone;
}
