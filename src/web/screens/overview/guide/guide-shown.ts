import type { Subscription } from '#contract/subscription.ts';
import { readinessOf } from '../../../lib/subscription.ts';

/**
 * Whether the first steps are shown: once both services are connected, until the settings are complete and an automatic
 * sync is on, or somebody closes them; also when somebody has opened them again.
 */
export function isGuideShown(subscription: Subscription): boolean {
  const { status, guide, kinds } = subscription;
  const { connectionsOk, settingsOk } = readinessOf(subscription);
  if (!connectionsOk || status === 'suspended' || status === 'cancelled' || guide === 'closed') return false;
  return guide === 'open' || !settingsOk || kinds.every(({ is_on: isOn }) => !isOn);
}

const shownKey = 'guide-shown';

/** Whether this browser showed the first steps of the client last time: their code is then loaded early. */
export const wasGuideShown = (clientId: string): boolean => localStorage.getItem(shownKey) === clientId;

/** Remembers it for the next time. */
export function noteGuideShown(clientId: string, isShown: boolean): void {
  if (isShown) localStorage.setItem(shownKey, clientId);
  else if (wasGuideShown(clientId)) localStorage.removeItem(shownKey);
}
