import { inParallel } from '#core/in-parallel.ts';
import type { Actor } from '#core/records/audit.ts';
import { companyTaken, Refusal } from '#core/refusal.ts';
import type { SettingDefinition } from '#core/settings/definition.ts';
import { settingDefinitions, settingKeys, type SettingKey, type Settings } from '#core/settings/definitions.ts';
import type { AccountingCredentials, PsaCredentials, Service } from '#core/tenant.ts';
import { addSeconds, dateIn } from '#core/values/dates.ts';
import type { App, TenantContext } from '../context.ts';
import { accountNames, activateIfReady, settingsFacts } from '../settings/readiness.ts';
import { leaveCompany, type Stopped } from './leave-company.ts';
import { cachePrefixes } from './reference-data.ts';

/** A company of a service that a tenant is about to be connected to. */
export interface Candidate {
  readonly service: Service;
  readonly externalId: string;
  readonly name: string;
  readonly user: string;
  readonly credentials: PsaCredentials | AccountingCredentials;
  readonly allowsDifferentCompany: boolean;
}

/**
 * Connects a tenant to a company. If it is a different company than before, the user must have confirmed that. Mappings
 * and accounts of the former company are deleted first, because they would refer to another company's records.
 * References in the PSA stay, and unfinished documents are closed ({@link leaveCompany}). Automatic syncs are turned
 * off until a user decides that the waiting documents belong to the new company and turns them on.
 *
 * @throws Refusal `company_taken` when another tenant has the company, `different_company` when the change was not
 *   confirmed.
 */
export async function adoptCompany(
  app: App,
  context: TenantContext,
  candidate: Candidate,
  actor: Actor,
): Promise<void> {
  const { store, clock } = context;
  const { service, externalId, name, user } = candidate;
  // Checked before anything is deleted. If two tenants pass the check at once, the database lets only one connect.
  if (await isTaken(app, context.tenantId, candidate)) throw companyTaken(name);
  const before = (await store.listConnections()).find((connection) => connection.service === service) ?? null;
  // If the company's id was lost with the encryption key, only its name is known.
  const isDifferent =
    before !== null &&
    (before.externalId === null
      ? before.connectedAt !== null && before.name !== name
      : before.externalId !== externalId);
  if (isDifferent && !candidate.allowsDifferentCompany)
    throw new Refusal(
      'conflict',
      'different_company',
      `“${name}” is a different company than “${before.name}”, which was connected before. Connecting it clears mappings and accounts. Synced documents keep their references; unfinished ones stop with an error. Queued jobs end, drafts close, and automatic syncs turn off.`,
    );
  const connect = async (stopped: Stopped | null) => {
    if (stopped !== null) await forgetCompany(context, service, actor, stopped);
    // Dropped before and after saving, so that a crash in between cannot leave the former company's lists.
    await store.dropCached(cachePrefixes[service]);
    await store.saveConnection(
      { service, status: 'active', name, user, externalId, connectedAt: clock.now(), problem: null },
      candidate.credentials,
      {
        at: clock.now(),
        actor,
        action: 'connection.made',
        subject: app.descriptors[service].key,
        before: before === null ? null : { name: before.name, user: before.user, status: before.status },
        after: { name, user, status: 'active' },
      },
    );
    await store.dropCached(cachePrefixes[service]);
  };
  if (isDifferent) await leaveCompany(app, context, { service, before: before.name, after: name }, connect);
  else await connect(null);
  await reconsider(app, context);
}

/** Seconds until settings are evaluated again if their lists could not be read. */
const reconsiderAgainSeconds = 300;

/**
 * Evaluates the settings again after a connection changed. If QuickBooks does not respond and its lists were never
 * read, the maintenance of the connection does this later, so that the client does not stay pending.
 */
export async function reconsider(app: App, context: TenantContext): Promise<void> {
  const { store, clock } = context;
  const facts = await settingsFacts(app, context);
  await activateIfReady(context, await store.readSettings(), facts);
  if (facts.isConnected && facts.preferences === null)
    await store.scheduleMaintenance(addSeconds(clock.now(), reconsiderAgainSeconds));
}

const isTaken = async (app: App, tenantId: string, { service, externalId }: Candidate): Promise<boolean> =>
  (await app.store.findConnected(service, externalId)).some((id) => id !== tenantId);

const automaticSyncs = [
  'inv_sync_active',
  'void_sync_active',
  'pay_sync_active',
  'po_sync_active',
  'exp_sync_active',
] as const satisfies SettingKey[];

async function forgetCompany(context: TenantContext, service: Service, actor: Actor, stopped: Stopped): Promise<void> {
  const { store, clock } = context;
  const [mappings, settings, names, payments] = await inParallel([
    store.listMappings(),
    store.readSettings(),
    accountNames(context),
    store.listOpenPayments(dateIn(clock.now(), 'UTC')),
  ]);
  const isAccount = (definition: SettingDefinition) => definition.type === 'account';
  const accounts = settingKeys.filter((key) => isAccount(settingDefinitions[key]) && settings[key] !== null);
  const syncs = automaticSyncs.filter((key) => settings[key]);
  const cleared = {
    ...Object.fromEntries(accounts.map((key) => [key, null])),
    ...Object.fromEntries(syncs.map((key) => [key, false])),
  } as Partial<Settings>;
  await store.deleteMappings(mappings.map((mapping) => mapping.id));
  await store.markPostingsGone(service);
  if (accounts.length + syncs.length > 0) await store.changeSettings((now) => ({ ...now, ...cleared }), actor, names);
  await store.addAudit({
    at: clock.now(),
    actor,
    action: 'company.forgotten',
    subject: null,
    before: { mappings: mappings.length, accounts: accounts.length },
    after: {
      turned_off: syncs,
      jobs: stopped.jobs,
      drafts: stopped.drafts.map((group) => ({ ...group })),
      payments_owed: payments.due.length,
    },
  });
}
