import { requireUnchanged, type FieldValues } from '#core/changed-meanwhile.ts';
import { tokensChannel } from '#core/ports/announcements.ts';
import { type MaintenanceDue, RefreshUnderWay } from '#core/records/connections.ts';
import { sql, type Selectable } from 'kysely';
import type { TenantSession } from '#core/records/tenant-sessions.ts';
import { companyTaken, Refusal } from '#core/refusal.ts';
import type { AccountingCredentials, Connection, PsaCredentials, Service, NewConnection } from '#core/tenant.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import { insertAudit } from './audit.ts';
import type { Tx } from './database.ts';
import { isConnectionFailure } from './database.ts';
import { codeOf, constraintOf, DatabaseUnavailable } from './errors.ts';
import type { Scope, TenantWork } from './scope.ts';
import { companyOnce, credentialsField, externalHash, externalIdField, secretsOf, type Secrets } from './secrets.ts';
import { cleanOrNull, movedTenants, type Tables } from './tables.ts';
import { makeDue } from './tenants.ts';
import { makeFeedDue } from './notifications.ts';

const services = ['psa', 'accounting'] as const satisfies readonly Service[];

/** PostgreSQL's error code for a lock timeout. */
const lockNotAvailable = '55P03';
const maxStoreTries = 3;
/** Interval for renewing the tokens of an unused connection, so that its refresh token never expires. */
const idleSeconds = 7 * 86_400;
/** Time after which another worker takes over the maintenance of a connection from a dead worker. */
const maintenanceRetrySeconds = 3_600;
/** A disconnected access is revoked at once; if that fails, the revocation is retried after this time. */
const revokeRetrySeconds = 300;

const endedField = 'connections.accounting.ended';

/** A tenant's connections to its services, with their secrets. */
export const connections = {
  /** Lists one connection per service in a fixed order, also for services that were never connected. */
  listConnections: async ({ tx, tenantId, vault }: TenantWork): Promise<readonly Connection[]> => {
    const rows = await tx.selectFrom('connections').selectAll().where('tenant_id', '=', tenantId).execute();
    const secrets = secretsOf(tx, vault, tenantId);
    const found: Connection[] = [];
    for (const service of services) {
      const row = rows.find((one) => one.service === service);
      found.push(row === undefined ? never(service) : await toConnection(secrets, row));
    }
    return found;
  },

  /**
   * Activates a connection and encrypts its credentials.
   *
   * @param audit event of the user's action; saved in the same transaction.
   * @throws Refusal `company_taken` (409) when another tenant is connected to the company. Of two concurrent calls, one
   *   succeeds.
   */
  saveConnection: (
    work: TenantWork,
    connection: NewConnection,
    credentials: PsaCredentials | AccountingCredentials,
    audit?: NewAuditEvent,
  ): Promise<void> =>
    oncePerCompany(connection.name, async () => {
      const { tx, tenantId, vault, clock } = work;
      const secrets = secretsOf(tx, vault, tenantId);
      const { service, externalId } = connection;
      const accounting = service === 'accounting' ? (credentials as AccountingCredentials) : null;
      const values = {
        ...(accounting === null ? {} : { consent_ends_at: accounting.refreshTokenEndsAt }),
        status: connection.status,
        name: connection.name,
        user_name: connection.user,
        external_id: externalId === null ? null : await secrets.seal(externalIdField(service), externalId),
        external_hash: externalId === null ? null : externalHash(vault, service, externalId),
        connected_at: connection.connectedAt,
        problem: connection.problem,
        credentials: await secrets.seal(credentialsField(service), JSON.stringify(credentials)),
      };
      await tx
        .insertInto('connections')
        .values({ tenant_id: tenantId, service, ...values })
        .onConflict((conflict) => conflict.columns(['tenant_id', 'service']).doUpdateSet(values))
        .execute();
      if (accounting !== null) {
        const isLeft = await keepsEnded(work, accounting.realmId);
        const seconds = isLeft ? revokeRetrySeconds : idleSeconds;
        await scheduleMaintenance(tx, tenantId, addSeconds(clock.now(), seconds));
      }
      await makeDue(tx, tenantId, clock.now());
      if (accounting !== null) {
        await makeFeedDue(tx, tenantId);
        await announceTokens(tx, tenantId);
      }
      if (audit !== undefined) await insertAudit(tx, tenantId, audit);
    }),

  /**
   * Changes the state of a connection. A problem on an active connection means that a user has to act in the service.
   *
   * @throws Refusal `company_taken` (409) when a lost connection would become active and another tenant has the company
   *   by now.
   */
  markConnection: (
    { tx, tenantId, clock }: TenantWork,
    service: Service,
    change: { status: 'active' | 'inactive'; problem?: string | null; name?: string },
  ): Promise<void> =>
    oncePerCompany(change.name ?? '', async () => {
      const problem = change.status === 'active' ? (change.problem ?? null) : change.problem;
      const before = await of(tx, tenantId, service).executeTakeFirst();
      const hadProblem = before !== undefined && (before.status !== 'active' || before.problem !== null);
      if (change.status === 'active' && problem === null && hadProblem) {
        await makeDue(tx, tenantId, clock.now());
        if (service === 'accounting') await makeFeedDue(tx, tenantId);
      }
      await tx
        .insertInto('connections')
        .values({
          tenant_id: tenantId,
          service,
          status: change.status,
          name: change.name ?? '',
          problem: cleanOrNull(problem ?? null),
        })
        .onConflict((conflict) =>
          conflict.columns(['tenant_id', 'service']).doUpdateSet({
            status: change.status,
            ...(problem === undefined ? {} : { problem: cleanOrNull(problem) }),
            ...(change.name === undefined ? {} : { name: change.name }),
          }),
        )
        .execute();
    }),

  /**
   * Deletes the credentials; name and external id remain, so that a later connection to another company is detected.
   *
   * @param was name of the company that the user saw; see `requireUnchanged`
   * @throws ChangedMeanwhile when another company is connected
   */
  removeCredentials: async ({ tx, tenantId }: TenantWork, service: Service, was?: FieldValues): Promise<void> => {
    const row = await of(tx, tenantId, service).forUpdate().executeTakeFirst();
    requireUnchanged(was, { name: row?.name ?? '' });
    await tx
      .updateTable('connections')
      .set({ credentials: null, status: 'inactive', problem: null, consent_ends_at: null })
      .where('tenant_id', '=', tenantId)
      .where('service', '=', service)
      .execute();
  },

  /**
   * Ends the connection to QuickBooks: its tokens are no longer used. They are stored separately until they are revoked
   * at QuickBooks; null when there are none.
   *
   * @param was name of the company that the user saw; see `requireUnchanged`
   * @throws ChangedMeanwhile when another company is connected
   */
  endAccountingAccess: async (
    { tx, tenantId, vault }: TenantWork,
    now: Instant,
    was?: FieldValues,
  ): Promise<AccountingCredentials | null> => {
    const secrets = secretsOf(tx, vault, tenantId);
    const row = await of(tx, tenantId, 'accounting').forUpdate().executeTakeFirst();
    requireUnchanged(was, { name: row?.name ?? '' });
    if (row === undefined || row.credentials === null) return null;
    const credentials = (await openCredentials(secrets, row)) as AccountingCredentials;
    await own(tx, tenantId)
      .set({
        credentials: null,
        status: 'inactive',
        problem: null,
        consent_ends_at: null,
        ended: await secrets.seal(endedField, JSON.stringify(credentials)),
        ended_at: now,
      })
      .execute();
    await scheduleMaintenance(tx, tenantId, addSeconds(now, revokeRetrySeconds));
    await announceTokens(tx, tenantId);
    return credentials;
  },

  /** Deletes the stored tokens after they were revoked, or when revoking them is given up. */
  forgetEndedAccess: async ({ tx, tenantId }: TenantWork): Promise<void> => {
    await own(tx, tenantId).set({ ended: null, ended_at: null }).execute();
  },

  /**
   * Claims due maintenance of the QuickBooks connection; null when none is due or another worker does it. The worker
   * has one hour; after that another one may claim it.
   */
  claimMaintenance: async ({ tx, tenantId, vault }: TenantWork, now: Instant): Promise<MaintenanceDue | null> => {
    const { numUpdatedRows } = await scheduleMaintenance(tx, tenantId, addSeconds(now, maintenanceRetrySeconds), now);
    const row = numUpdatedRows === 0n ? undefined : await of(tx, tenantId, 'accounting').executeTakeFirst();
    if (row === undefined) return null;
    const isIdle = row.status === 'active' && row.credentials !== null;
    const { ended, ended_at: at } = row;
    // No maintenance is needed until a user connects again.
    if (!isIdle && ended === null) await scheduleMaintenance(tx, tenantId, null);
    const credentials =
      ended === null ? null : JSON.parse(await secretsOf(tx, vault, tenantId).open(endedField, ended));
    return { isIdle, ended: at === null ? null : { credentials: credentials as AccountingCredentials, at } };
  },

  /** Sets the time of the next maintenance of the QuickBooks connection. */
  scheduleMaintenance: async ({ tx, tenantId }: TenantWork, at: Instant): Promise<void> => {
    await scheduleMaintenance(tx, tenantId, at);
  },

  // Credentials stored for a service were sealed with that service's type.
  /**
   * Reads the PSA credentials; null when there are none, or when the service rejected them: only a connection test uses
   * those again.
   */
  readPsaCredentials: async (
    work: TenantWork,
    how?: { readonly evenIfLost?: boolean },
  ): Promise<PsaCredentials | null> => (await readCredentials(work, 'psa', how)) as PsaCredentials | null,
  /** Reads the QuickBooks credentials; null as for the PSA. */
  readAccountingCredentials: async (
    work: TenantWork,
    how?: { readonly evenIfLost?: boolean },
  ): Promise<AccountingCredentials | null> =>
    (await readCredentials(work, 'accounting', how)) as AccountingCredentials | null,
};

/** Not one transaction: what a lost connection prevented is saved in another one. */
export const tokenRefresh = (scope: Scope) => ({
  /**
   * Runs one token refresh at a time for the tenant. `refresh` gets the newest stored tokens, and its result is stored
   * before it is returned, unless other tokens were stored meanwhile: then those are returned. It may return null to
   * keep the stored tokens. Only other refreshes wait for it.
   *
   * @throws RefreshUnderWay when another refresh did not end in time; this call did not contact the service.
   */
  refreshAccountingCredentials: (
    refresh: (current: AccountingCredentials) => Promise<AccountingCredentials | null>,
  ): Promise<AccountingCredentials> => refreshCredentials(scope, refresh),
});

type Row = Selectable<Tables['connections']>;

/** Converts a violation of the unique company index into a readable refusal. */
async function oncePerCompany(name: string, save: () => Promise<void>): Promise<void> {
  try {
    await save();
  } catch (error) {
    if (codeOf(error) === '23505' && constraintOf(error) === companyOnce) throw companyTaken(name);
    throw error;
  }
}

/**
 * A connection of a client that was moved is not found: if its tokens were renewed or revoked here, the other deployment
 * would lose its access.
 */
const of = (tx: Tx, tenantId: string, service: Service) =>
  tx
    .selectFrom('connections')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('service', '=', service)
    .where('tenant_id', 'not in', sql<string>`${movedTenants}`);

const own = (tx: Tx, tenantId: string) =>
  tx.updateTable('connections').where('tenant_id', '=', tenantId).where('service', '=', 'accounting');

/** Announces to a session that uses the tokens that a user ended or replaced them. */
const announceTokens = (tx: Tx, tenantId: string) => sql`select pg_notify(${tokensChannel}, ${tenantId})`.execute(tx);

/** Schedules the next maintenance of the QuickBooks connection; with `dueAt`, only if it was due by then. */
function scheduleMaintenance(tx: Tx, tenantId: string, at: Instant | null, dueAt?: Instant) {
  const all = tx.updateTable('tenants').set({ maintenance_at: at }).where('id', '=', tenantId);
  return (dueAt === undefined ? all : all.where('maintenance_at', '<=', dueAt)).executeTakeFirst();
}

/**
 * Returns true if the ended access must still be revoked. Revoking an old access to the same company would also end the
 * new one; an access to another company is still revoked.
 */
async function keepsEnded({ tx, tenantId, vault }: TenantWork, realmId: string): Promise<boolean> {
  const row = await of(tx, tenantId, 'accounting').executeTakeFirst();
  const sealed = row?.ended ?? null;
  if (sealed === null) return false;
  const ended = JSON.parse(await secretsOf(tx, vault, tenantId).open(endedField, sealed)) as AccountingCredentials;
  if (ended.realmId !== realmId) return true;
  await own(tx, tenantId).set({ ended: null, ended_at: null }).execute();
  return false;
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

async function toConnection(secrets: Secrets, row: Row): Promise<Connection> {
  return {
    service: row.service,
    status: row.status,
    name: row.name,
    user: row.user_name,
    externalId: row.external_id === null ? null : await secrets.open(externalIdField(row.service), row.external_id),
    connectedAt: row.connected_at,
    problem: row.problem,
    consentEndsAt: row.consent_ends_at,
  };
}

/** Returns both services' credentials; null for a service without credentials, or whose credentials were refused. */
export async function readBothCredentials({ tx, tenantId, vault }: TenantWork): Promise<TenantSession['credentials']> {
  const rows = await tx.selectFrom('connections').selectAll().where('tenant_id', '=', tenantId).execute();
  const secrets = secretsOf(tx, vault, tenantId);
  const opened = async (service: Service) => {
    const row = rows.find((one) => one.service === service);
    return row?.status === 'active' ? openCredentials(secrets, row) : null;
  };
  // Credentials stored for a service were sealed with that service's type.
  return {
    psa: (await opened('psa')) as PsaCredentials | null,
    accounting: (await opened('accounting')) as AccountingCredentials | null,
  };
}

async function readCredentials(
  { tx, tenantId, vault }: TenantWork,
  service: Service,
  how?: { readonly evenIfLost?: boolean },
): Promise<unknown> {
  const row = await of(tx, tenantId, service).executeTakeFirst();
  const isUsable = row?.status === 'active' || how?.evenIfLost === true;
  return row === undefined || !isUsable ? null : openCredentials(secretsOf(tx, vault, tenantId), row);
}

async function openCredentials(secrets: Secrets, row: Row): Promise<unknown> {
  return row.credentials === null
    ? null
    : JSON.parse(await secrets.open(credentialsField(row.service), row.credentials));
}

/**
 * Refreshes the tokens, one refresh at a time. A dedicated lock is held during the request, so a process that waited
 * for it finds the new tokens. Disconnecting and reconnecting do not wait for this lock. If a worker dies, the lock is
 * released at once; if a worker stalls, the database ends its transaction.
 *
 * Invariant: an answer replaces only the tokens that were used for the request. A late answer is saved while these
 * tokens are still stored, because they may be invalid by now; if they were replaced, the answer is dropped. The same
 * applies to an answer after which the database connection was lost. Losing a rotated token would force the customer to
 * connect again.
 */
async function refreshCredentials(
  scope: Scope,
  refresh: (current: AccountingCredentials) => Promise<AccountingCredentials | null>,
): Promise<AccountingCredentials> {
  const answer: { value?: AccountingCredentials; replaces?: string } = {};
  try {
    return await scope.inTransaction(async (tx) => {
      await oneAtATime(tx, scope);
      const { row, current } = await credentialsOf(scope, tx);
      const next = await refresh(current);
      if (next === null) return current;
      answer.value = next;
      answer.replaces = row.credentials ?? '';
      return replaceCredentials(scope, tx, answer.replaces, next);
    });
  } catch (error) {
    const { value, replaces = '' } = answer;
    if (value === undefined || !(error instanceof DatabaseUnavailable || isConnectionFailure(error))) throw error;
    for (let tries = 1; ; tries += 1) {
      try {
        return await scope.inTransaction((tx) => replaceCredentials(scope, tx, replaces, value));
      } catch (again) {
        if (tries === maxStoreTries || again instanceof Refusal) throw again;
      }
    }
  }
}

/** Waits until no other refresh of the tenant is running, and holds the lock for the rest of this transaction. */
async function oneAtATime(tx: Tx, { tenantId, refreshLimits: { heldMs, waitMs } }: Scope): Promise<void> {
  await sql`
    select set_config('lock_timeout', ${String(waitMs)}, true),
           set_config('statement_timeout', ${String(2 * waitMs)}, true),
           set_config('idle_in_transaction_session_timeout', ${String(heldMs)}, true)`.execute(tx);
  try {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`refresh of tokens ${tenantId}`}, 0))`.execute(tx);
  } catch (error) {
    if (codeOf(error) === lockNotAvailable) throw new RefreshUnderWay({ cause: error });
    throw error;
  }
}

/** Replaces the credentials that the new ones were derived from; returns the credentials stored in the end. */
async function replaceCredentials(
  scope: Scope,
  tx: Tx,
  replaces: string,
  next: AccountingCredentials,
): Promise<AccountingCredentials> {
  const { row, current } = await credentialsOf(scope, tx, 'locked');
  if (row.credentials !== replaces) return current;
  await storeCredentials(scope, tx, next);
  return next;
}

async function credentialsOf(
  scope: Scope,
  tx: Tx,
  how?: 'locked',
): Promise<{ row: Row; current: AccountingCredentials }> {
  const found = of(tx, scope.tenantId, 'accounting');
  const row = await (how === 'locked' ? found.forUpdate() : found).executeTakeFirst();
  const current = row === undefined ? null : await openCredentials(secretsOf(tx, scope.vault, scope.tenantId), row);
  if (row === undefined || current === null)
    throw new Refusal(
      'conflict',
      'not_connected',
      'The accounting service is not connected. Connect it on the Connections page.',
    );
  return { row, current: current as AccountingCredentials };
}

async function storeCredentials(scope: Scope, tx: Tx, credentials: AccountingCredentials): Promise<void> {
  const sealed = await secretsOf(tx, scope.vault, scope.tenantId).seal(
    credentialsField('accounting'),
    JSON.stringify(credentials),
  );
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set({ credentials: sealed, consent_ends_at: credentials.refreshTokenEndsAt })
    .where('tenant_id', '=', scope.tenantId)
    .where('service', '=', 'accounting')
    .executeTakeFirst();
  assert(numUpdatedRows === 1n, 'a locked connection exists');
  await scheduleMaintenance(tx, scope.tenantId, addSeconds(scope.clock.now(), idleSeconds));
}
