import type { Subscription } from '#contract/subscription.ts';
import { readinessOf } from '../../../data/subscription.ts';

/**
 * Returns true if the first steps are shown: after both services are connected, until the settings are complete and an
 * automatic sync is on, or until a user closes them. A user can reopen them.
 */
export function isGuideShown(subscription: Subscription): boolean {
  const { status, guide, kinds } = subscription;
  const { connectionsOk, settingsOk } = readinessOf(subscription);
  if (!connectionsOk || status === 'suspended' || status === 'cancelled' || guide === 'closed') return false;
  return guide === 'open' || !settingsOk || kinds.every(({ is_on: isOn }) => !isOn);
}

const shownKey = 'guide-shown';

/** Returns true if this browser showed the client’s first steps last time, so that their code loads early. */
export const wasGuideShown = (clientId: string): boolean => localStorage.getItem(shownKey) === clientId;

export function rememberGuideShown(clientId: string, isShown: boolean): void {
  if (isShown) localStorage.setItem(shownKey, clientId);
  else if (wasGuideShown(clientId)) localStorage.removeItem(shownKey);
}
