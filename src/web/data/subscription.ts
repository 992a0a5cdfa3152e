import type { ServiceKey } from '#contract/services.ts';
import type { ConnectionReply, Subscription } from '#contract/subscription.ts';
import { consentEndsSoon } from '#core/tenant.ts';
import { instant } from '#core/values/dates.ts';

/** Setup state of a subscription (screens reference 1.3). */
export interface Readiness {
  readonly isPsaConnected: boolean;
  readonly isAccountingConnected: boolean;
  /** Both services are connected. */
  readonly connectionsOk: boolean;
  readonly settingsOk: boolean;
}

/** Returns the setup state; without a subscription, no step is done. */
export function readinessOf(subscription: Subscription | null | undefined): Readiness {
  const isActive = (service: ServiceKey) => connectionOf(subscription, service)?.status === 'active';
  const isPsaConnected = isActive('autotask');
  const isAccountingConnected = isActive('qbo');
  return {
    isPsaConnected,
    isAccountingConnected,
    connectionsOk: isPsaConnected && isAccountingConnected,
    settingsOk: subscription?.settings_valid === true,
  };
}

const connectedKey = 'connected-client';

/** Returns true if both services of a client were connected in the last known state. */
export const wereConnectedLastTime = (clientId: string): boolean => localStorage.getItem(connectedKey) === clientId;

/** Remembers whether both services of a client are connected. */
export function rememberConnected(clientId: string, areConnected: boolean): void {
  if (areConnected) localStorage.setItem(connectedKey, clientId);
  else if (wereConnectedLastTime(clientId)) localStorage.removeItem(connectedKey);
}

/**
 * Returns when the access to a service expires, if it expires soon and must be renewed.
 *
 * @param nowMs epoch milliseconds
 * @returns null if it does not expire soon, or not at all.
 */
export function consentEndingSoon(connection: ConnectionReply | undefined, nowMs: number): string | null {
  if (connection?.status !== 'active' || connection.consent_ends_at === null) return null;
  return consentEndsSoon(instant(connection.consent_ends_at), instant(nowMs)) ? connection.consent_ends_at : null;
}

/** The connection to one service, if the subscription has it. */
export const connectionOf = (
  subscription: Subscription | null | undefined,
  service: ServiceKey,
): ConnectionReply | undefined => subscription?.connections.find((one) => one.service === service);
