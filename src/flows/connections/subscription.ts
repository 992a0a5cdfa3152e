import { inParallel } from '#core/in-parallel.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { KindReadiness } from '#core/settings/kind-readiness.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import { settingsValid } from '#core/settings/validate.ts';
import type { Kind } from '#core/kinds.ts';
import type { Job } from '#core/ports/jobs.ts';
import { standsStill } from '#core/ports/standstills.ts';
import { stillStopped } from '#core/stopped-jobs.ts';
import type { Connection, Service, SyncState, Tenant } from '#core/tenant.ts';
import type { Instant } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';
import { settingsFacts, type Deployment } from '../settings/facts.ts';
import { readKindReadiness } from '../settings/setup.ts';

/** Everything that the Overview and the shell tell of a client. */
export interface SubscriptionView {
  readonly tenant: Tenant;
  /** One per service, in a fixed order, whether it was ever connected or not. */
  readonly connections: readonly Connection[];
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly settingsValid: boolean;
  readonly kinds: readonly KindReadiness[];
  readonly states: Readonly<Partial<Record<Kind, SyncState>>>;
  readonly facts: SettingsFacts;
  /** Runs that were stopped as a whole, and whose reason may still stand; at most one per kind. */
  readonly stopped: readonly Job[];
  /** Since when nothing of the client goes on, by a defect of ours; null while it does. */
  readonly standstillSince: Instant | null;
}

const services = ['psa', 'accounting'] as const satisfies readonly Service[];

/** Reads the subscription; the validity of the settings is computed anew, because the world around them changes. */
export async function readSubscription(deployment: Deployment, context: TenantContext): Promise<SubscriptionView> {
  const { store } = context;
  const [tenant, connections, settings, itemSettings, states, facts, newestJobs, standstill] = await inParallel([
    store.readTenant(),
    store.listConnections(),
    store.readSettings(),
    store.readItemSettings(),
    store.readSyncStates(),
    settingsFacts(deployment, context),
    store.listNewestJobs(),
    store.readStandstill(),
  ]);
  const now = context.clock.now();
  return {
    tenant,
    connections: services.map((service) => connections.find((one) => one.service === service) ?? never(service)),
    settings,
    itemSettings,
    settingsValid: settingsValid(settings, facts),
    kinds: await readKindReadiness(context, settings, facts),
    states,
    facts,
    stopped: stillStopped(newestJobs, states, now),
    standstillSince: standstill !== null && standsStill(standstill, now) ? standstill.since : null,
  };
}

const never = (service: Service): Connection => ({
  service,
  status: 'inactive',
  name: '',
  user: null,
  externalId: null,
  connectedAt: null,
  problem: null,
  consentEndsAt: null,
});
