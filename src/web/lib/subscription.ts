import type { ServiceKey } from '#contract/services.ts';
import type { ConnectionReply, Subscription } from '#contract/subscription.ts';

/** What screens ask of a subscription (specification 1, section 3). */
export interface Readiness {
  readonly isPsaConnected: boolean;
  readonly isBooksConnected: boolean;
  /** Both services are connected. */
  readonly connectionsOk: boolean;
  readonly settingsOk: boolean;
}

/** How far the setup has come; nothing has without a subscription. */
export function readinessOf(subscription: Subscription | null | undefined): Readiness {
  const isActive = (service: ServiceKey) => connectionOf(subscription, service)?.status === 'active';
  const isPsaConnected = isActive('autotask');
  const isBooksConnected = isActive('qbo');
  return {
    isPsaConnected,
    isBooksConnected,
    connectionsOk: isPsaConnected && isBooksConnected,
    settingsOk: subscription?.settings_valid === true,
  };
}

/** The connection to one service, when the subscription knows it. */
export const connectionOf = (
  subscription: Subscription | null | undefined,
  service: ServiceKey,
): ConnectionReply | undefined => subscription?.connections.find((one) => one.service === service);
