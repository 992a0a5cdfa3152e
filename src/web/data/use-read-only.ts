import { useQuery } from '@tanstack/react-query';
import type { SubscriptionStatus } from '#core/tenant.ts';
import { useSession } from './current-session.ts';
import { subscriptionQuery } from './queries.ts';

/** The status of an ended subscription, whose client can only read and export; null for an active one. */
export function useEndedStatus(): SubscriptionStatus | null {
  const hasClient = useSession()?.claims.client !== null;
  const { data } = useQuery({ ...subscriptionQuery(), enabled: hasClient });
  return data?.status === 'suspended' || data?.status === 'cancelled' ? data.status : null;
}

/** Whether forms are read-only, because the subscription has ended. */
export const useReadOnly = (): boolean => useEndedStatus() !== null;
