import type { Subscription } from '#contract/subscription.ts';
import { readinessOf } from '../../../lib/subscription.ts';

const closedKey = 'guide-closed';

/** True once both services are connected, until somebody has closed the guide in this browser. */
export const isGuideShown = (subscription: Subscription): boolean =>
  readinessOf(subscription).connectionsOk &&
  subscription.status !== 'suspended' &&
  subscription.status !== 'cancelled' &&
  localStorage.getItem(closedKey) !== subscription.client.id;

/** Remembers that the guide of this client was closed. */
export const noteGuideClosed = ({ client }: Subscription): void => localStorage.setItem(closedKey, client.id);
