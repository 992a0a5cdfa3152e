import type { Subscription } from '#contract/subscription.ts';
import { readinessOf } from '../../../lib/subscription.ts';

const closedKey = 'guide-closed';

/** True once both services are connected, until somebody has closed the guide in this browser. */
export const isGuideShown = (subscription: Subscription): boolean =>
  readinessOf(subscription).connectionsOk &&
  subscription.status !== 'suspended' &&
  subscription.status !== 'cancelled' &&
  !isGuideClosed(subscription.client.id);

/** Whether somebody has closed the guide of this client in this browser. */
export const isGuideClosed = (clientId: string): boolean => localStorage.getItem(closedKey) === clientId;

/** Remembers that the guide of this client was closed. */
export const noteGuideClosed = ({ client }: Subscription): void => localStorage.setItem(closedKey, client.id);
