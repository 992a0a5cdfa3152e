import { inParallel } from '#core/in-parallel.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { AuditEvent } from '#core/records/audit.ts';
import { settingKeys, withDefaultAccounts, type SettingKey, type Settings } from '#core/settings/definitions.ts';
import type { KindReadiness } from '#core/settings/kind-readiness.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import { settingsValid } from '#core/settings/validate.ts';
import type { Kind } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import type { ServicePause } from '#core/records/service-pauses.ts';
import { isStalled } from '#core/records/stalls.ts';
import { stillStopped } from '#core/stopped-jobs.ts';
import type { Connection, GuideState, SyncState, Tenant } from '#core/tenant.ts';
import type { Instant } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';
import { cachedListsAsOf } from './cached-lists.ts';
import { psaListsReadAt } from './reference-data.ts';
import { type Deployment, factsFrom, readCachedFacts, renewFacts } from '../settings/readiness.ts';
import { readCachedCategories, readKindReadiness } from '../settings/setup.ts';

/** State of a client for the Overview and the shell. */
export interface SubscriptionView {
  readonly tenant: Tenant;
  /** One connection per service in a fixed order, also for services that were never connected. */
  readonly connections: readonly Connection[];
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly settingsValid: boolean;
  readonly kinds: readonly KindReadiness[];
  readonly states: Readonly<Partial<Record<Kind, SyncState>>>;
  readonly facts: SettingsFacts;
  /** Jobs that were stopped as a whole and whose cause may still exist; at most one per kind. */
  readonly stopped: readonly Job[];
  /** Since when the client's syncs are stalled by a bug; null if they are not. */
  readonly stalledSince: Instant | null;
  /** Services that limit the calls of the client or do not respond at the moment. */
  readonly pauses: readonly (ServicePause & {
    /** When the stored data on the screens was read; null if there is none. */
    readonly dataFrom: Instant | null;
  })[];
  /** The last change to a different company, while syncs that it turned off are still off; otherwise null. */
  readonly leftCompany: LeftCompany | null;
  readonly guide: GuideState;
}

/** A change to a different company after which some syncs are still off. */
export interface LeftCompany {
  readonly at: Instant;
  /** Settings of the automatic syncs that it turned off and that are still off. */
  readonly turnedOff: readonly SettingKey[];
}

/**
 * Reads the subscription. Validates the settings again, because the services' data may have changed.
 *
 * @param refresh re-reads the lists of both services first.
 */
export async function readSubscription(
  deployment: Deployment,
  context: TenantContext,
  { refresh = false }: { readonly refresh?: boolean } = {},
): Promise<SubscriptionView> {
  const renewed = refresh ? await renewFacts(deployment, context) : null;
  const [
    tenant,
    settings,
    itemSettings,
    states,
    newestJobs,
    stall,
    pauses,
    { events },
    guide,
    cachedFacts,
    categories,
  ] = await context.store.readInOneTransaction((store) => {
    const within = { store, clock: context.clock };
    return inParallel([
      store.readTenant(),
      store.readSettings(),
      store.readItemSettings(),
      store.readSyncStates(),
      store.listNewestJobs(),
      store.readStall(),
      store.listPauses(),
      store.listAudit({ page: 1, pageSize: 1, actions: ['company.forgotten'] }),
      store.readGuide(),
      readCachedFacts(within),
      readCachedCategories(within),
    ]);
  });
  const { connections } = cachedFacts;
  const facts = renewed ?? (await factsFrom(deployment, context, cachedFacts));
  const now = context.clock.now();
  return {
    tenant,
    connections,
    settings: withDefaultAccounts(settings, facts),
    itemSettings,
    settingsValid: settingsValid(settings, facts),
    kinds: await readKindReadiness(context, settings, facts, tenant.timeZone, categories),
    states,
    facts,
    stopped: stillStopped(newestJobs, states, now),
    stalledSince: stall !== null && isStalled(stall, now) ? stall.since : null,
    pauses: await inParallel(
      pauses.map(async (pause) => ({
        ...pause,
        dataFrom: await (pause.service === 'psa' ? psaListsReadAt(context) : cachedListsAsOf(context)),
      })),
    ),
    leftCompany: unanswered(events[0], settings),
    guide,
  };
}

/** Returns the syncs that a change to a different company turned off and that are still off. */
function unanswered(event: AuditEvent | undefined, settings: Settings): LeftCompany | null {
  const after = event?.after;
  const listed = typeof after === 'object' && after !== null && 'turned_off' in after ? after['turned_off'] : [];
  const keys = Array.isArray(listed) ? listed : [];
  const turnedOff = settingKeys.filter((key) => keys.includes(key) && settings[key] === false);
  return event === undefined || turnedOff.length === 0 ? null : { at: event.at, turnedOff };
}
