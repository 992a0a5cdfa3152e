import { inParallel } from '#core/in-parallel.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import { withDefaultAccounts, type Settings } from '#core/settings/definitions.ts';
import type { KindReadiness } from '#core/settings/kind-readiness.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import { settingsValid } from '#core/settings/validate.ts';
import type { Kind } from '#core/kinds.ts';
import type { Job } from '#core/ports/jobs.ts';
import { isStandstill } from '#core/ports/standstills.ts';
import { stillStopped } from '#core/stopped-jobs.ts';
import type { Connection, Service, SyncState, Tenant } from '#core/tenant.ts';
import type { Instant } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';
import { renewFacts, settingsFacts, type Deployment } from '../settings/facts.ts';
import { readKindReadiness } from '../settings/setup.ts';

/** State of a client for the Overview and the shell. */
export interface SubscriptionView {
  readonly tenant: Tenant;
  /** Connections, one per service, in a fixed order, whether it was ever connected or not. */
  readonly connections: readonly Connection[];
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly settingsValid: boolean;
  readonly kinds: readonly KindReadiness[];
  readonly states: Readonly<Partial<Record<Kind, SyncState>>>;
  readonly facts: SettingsFacts;
  /** Runs that were stopped as a whole, and whose reason may still stand; at most one per kind. */
  readonly stopped: readonly Job[];
  /** Beginning of a standstill of the client, by a defect of ours; null while there is none. */
  readonly standstillSince: Instant | null;
}

const services = ['psa', 'accounting'] as const satisfies readonly Service[];

/**
 * Reads the subscription; the validity of the settings is computed anew, because the world around them changes.
 *
 * @param refresh reads the lists of both services anew before.
 */
export async function readSubscription(
  deployment: Deployment,
  context: TenantContext,
  { refresh = false }: { readonly refresh?: boolean } = {},
): Promise<SubscriptionView> {
  const [[tenant, connections, settings, itemSettings, states, newestJobs, standstill], facts] = await inParallel([
    context.store.readInOneTransaction((store) =>
      inParallel([
        store.readTenant(),
        store.listConnections(),
        store.readSettings(),
        store.readItemSettings(),
        store.readSyncStates(),
        store.listNewestJobs(),
        store.readStandstill(),
      ]),
    ),
    refresh ? renewFacts(deployment, context) : settingsFacts(deployment, context),
  ]);
  const now = context.clock.now();
  return {
    tenant,
    connections: services.map((service) => connections.find((one) => one.service === service) ?? never(service)),
    settings: withDefaultAccounts(settings, facts),
    itemSettings,
    settingsValid: settingsValid(settings, facts),
    kinds: await readKindReadiness(context, settings, facts, tenant.timeZone),
    states,
    facts,
    stopped: stillStopped(newestJobs, states, now),
    standstillSince: standstill !== null && isStandstill(standstill, now) ? standstill.since : null,
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
