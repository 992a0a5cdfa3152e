import { inParallel } from '#core/in-parallel.ts';
import { Refusal } from '#core/refusal.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { validateSettings } from '#core/settings/validate.ts';
import { statusText } from '#core/tenant.ts';
import type { TenantContext } from '../context.ts';
import { settingsFacts } from './facts.ts';

/** Whether a sync can run now; if not, the reason for users. */
export type Readiness =
  | { readonly isReady: true }
  | {
      readonly isReady: false;
      readonly code: 'not_connected' | 'settings_invalid' | 'subscription_ended';
      readonly message: string;
    };

const no = (code: Exclude<Readiness, { isReady: true }>['code'], message: string): Readiness => ({
  isReady: false,
  code,
  message,
});

/**
 * Returns whether a sync can run. Called before a user or the schedule submits anything (domain reference 11.1 and
 * 11.3).
 *
 * @throws ServiceError when this is unknown, because a service does not respond and its lists were never read.
 */
export async function readiness(context: TenantContext): Promise<Readiness> {
  const [tenant, connections] = await inParallel([context.store.readTenant(), context.store.listConnections()]);
  if (tenant.status === 'suspended' || tenant.status === 'cancelled')
    return no('subscription_ended', `The subscription is ${statusText(tenant.status)}. Please contact support.`);
  const lost = connections.find((one) => one.status !== 'active' && one.problem !== null);
  if (lost !== undefined) return no('not_connected', `${lost.problem} See Connections.`);
  let labels;
  try {
    const [psa, accounting] = await inParallel([context.psa(), context.accounting()]);
    labels = { psa: psa.describe, accounting: accounting.describe };
  } catch (error) {
    if (error instanceof Refusal) return no('not_connected', error.message);
    throw error;
  }
  // The voids flag affects which settings are offered, not which are valid.
  const deployment = { descriptors: labels, config: { voidsEnabled: false } };
  const settings = await context.store.readSettings();
  if (missingSettings(settings, await settingsFacts(deployment, context, { fallback: 'kept' })) === null)
    return { isReady: true };
  // A user may have fixed it in QuickBooks just now.
  const facts = await settingsFacts(deployment, context, { refresh: true, fallback: 'kept' });
  const missing = missingSettings(settings, facts);
  if (missing === null) return { isReady: true };
  if (!facts.isConnected)
    return no('not_connected', `Connect ${labels.psa.label} and ${labels.accounting.label} first, under Connections.`);
  return no('settings_invalid', missing);
}

/** Returns why the settings prevent a sync, for users; null if they do not. */
export function missingSettings(settings: Settings, facts: SettingsFacts): string | null {
  const [first, ...more] = validateSettings(settings, facts);
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : ` And ${more.length} more.`;
  return `Complete your settings first: ${first.error}${others} See Settings.`;
}
