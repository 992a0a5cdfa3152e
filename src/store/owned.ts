import { sql, type Expression } from 'kysely';
import { ownedKinds, type Owned, type OwnedKind, type Owner, type Succession } from '#core/owned.ts';
import type { Actor, NewAuditEvent } from '#core/records/audit.ts';
import { Refusal } from '#core/refusal.ts';
import { insertAudit } from './audit.ts';
import type { Tx } from './database.ts';
import { mailAdministrators, type MailsTo } from './outbox.ts';
import type { TenantWork } from './scope.ts';
import { isId } from './tables.ts';

/** Lists of a client whose rows have an owner: API keys, webhook endpoints and chats. */

type OwnedTable = 'api_keys' | 'webhook_endpoints' | 'chats';

/** The rows of a client, or one of them. */
export interface RowsOf {
  readonly tenant_id: string;
  readonly id?: string;
}

/** One of the lists, with its query. */
export interface OwnedList<Row> {
  readonly table: OwnedTable;
  readonly rowsOf: (
    tx: Tx,
    which: RowsOf,
  ) => {
    execute(): Promise<Row[]>;
    executeTakeFirstOrThrow(): Promise<Row>;
    forUpdate(): { executeTakeFirst(): Promise<Row | undefined> };
  };
}

/** Returns the audit event of a change, from the row before it. Its errors are rethrown, and nothing is changed. */
export type EventOf<Row> = (before: Row) => NewAuditEvent;

/** Selects the owner of a row of this table. */
export const ownerOf = (table: OwnedTable) => {
  const username = sql<string>`coalesce(${sql.ref(`${table}.owner`)}, ${sql.ref(`${table}.created_by`)})`;
  return sql<Owner>`json_build_object('username', ${username}, 'isActive', exists (
    select from users where tenant_id = ${sql.ref(`${table}.tenant_id`)} and username = ${username} and is_active))`.as(
    'owner',
  );
};

/**
 * Adds a row and the audit event in one transaction; null when the client has `limit` rows already. Concurrent requests
 * wait for one another, so that they cannot exceed the limit together.
 *
 * @param mailsTo emails to the other active administrators, in the same transaction.
 * @throws Refusal `unauthorized` when the user was deactivated after the request began.
 */
export async function addOwned<Row>(
  { table, rowsOf }: OwnedList<Row>,
  { tx, tenantId }: TenantWork,
  limit: number,
  event: NewAuditEvent,
  insert: () => { executeTakeFirstOrThrow(): Promise<{ readonly id: string }> },
  mailsTo?: MailsTo,
): Promise<Row | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${table} ${tenantId}`}, 0))`.execute(tx);
  await refuseFormerUser(tx, tenantId, event.actor);
  const { count } = await tx
    .selectFrom(table)
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (count >= limit) return null;
  const { id } = await insert().executeTakeFirstOrThrow();
  await insertAudit(tx, tenantId, event);
  if (mailsTo !== undefined) await mailAdministrators(tx, tenantId, event, mailsTo);
  return rowsOf(tx, { tenant_id: tenantId, id }).executeTakeFirstOrThrow();
}

/** Changes a row and adds the audit event in one transaction; null when it does not exist. */
export async function changeOwned<Row>(
  { rowsOf }: OwnedList<Row>,
  { tx, tenantId }: TenantWork,
  id: string,
  eventOf: EventOf<Row>,
  change: (before: Row) => Promise<unknown>,
): Promise<Row | null> {
  if (!isId(id)) return null;
  const which = { tenant_id: tenantId, id };
  const before = await rowsOf(tx, which).forUpdate().executeTakeFirst();
  if (before === undefined) return null;
  const event = eventOf(before);
  await change(before);
  await insertAudit(tx, tenantId, event);
  return rowsOf(tx, which).executeTakeFirstOrThrow();
}

/** Deletes a row and adds the audit event in one transaction; null when it does not exist. */
export async function removeOwned<Row>(
  { table, rowsOf }: OwnedList<Row>,
  { tx, tenantId }: TenantWork,
  id: string,
  eventOf: EventOf<Row>,
): Promise<Row | null> {
  if (!isId(id)) return null;
  const before = await rowsOf(tx, { tenant_id: tenantId, id }).forUpdate().executeTakeFirst();
  if (before === undefined) return null;
  const event = eventOf(before);
  await tx.deleteFrom(table).where('tenant_id', '=', tenantId).where('id', '=', id).execute();
  await insertAudit(tx, tenantId, event);
  return before;
}

/** Locks the user until the commit: a deactivation waits, and then finds the new row. */
async function refuseFormerUser(tx: Tx, tenantId: string, { username, masquerader }: Actor): Promise<void> {
  if (masquerader !== undefined) return;
  const user = await tx
    .selectFrom('users')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('username', '=', username)
    .where('is_active', '=', true)
    .forShare()
    .executeTakeFirst();
  if (user === undefined) throw new Refusal('unauthorized', 'unauthorized', 'Please log in again.');
}

interface Place {
  readonly table: OwnedTable | 'invitations';
  readonly name: Expression<string>;
  readonly owner: Expression<string>;
  /** The column that a hand-over sets. */
  readonly column: string;
  /** Beginning of the action in the audit trail. */
  readonly action: string;
  /** Last part of the action of a removal. */
  readonly removed: string;
}

const owner = sql<string>`coalesce(owner, created_by)`;
const places: Readonly<Record<OwnedKind, Place>> = {
  api_key: {
    table: 'api_keys',
    name: sql`name`,
    owner,
    column: 'owner',
    action: 'api_key',
    removed: 'revoked',
  },
  webhook_endpoint: {
    table: 'webhook_endpoints',
    name: sql`shown_address`,
    owner,
    column: 'owner',
    action: 'webhook_endpoint',
    removed: 'deleted',
  },
  chat: { table: 'chats', name: sql`name`, owner, column: 'owner', action: 'webhook', removed: 'removed' },
  invitation: {
    table: 'invitations',
    name: sql`email`,
    owner: sql`invited_by`,
    column: 'invited_by',
    action: 'user.invitation',
    removed: 'withdrawn',
  },
};

/** Lists everything that a user owns. */
export async function selectOwned(tx: Tx, tenantId: string, username: string): Promise<readonly Owned[]> {
  const selects = ownedKinds.map((kind) => {
    const { table, name, owner: who } = places[kind];
    return sql`select ${kind}::text as kind, id, ${name} as name from ${sql.table(table)}
      where tenant_id = ${tenantId} and ${who} = ${username}`;
  });
  const { rows } = await sql<Owned>`
    select kind, id, name from (${sql.join(selects, sql` union all `)}) as owned order by kind, name, id`.execute(tx);
  return rows;
}

/**
 * Hands over or removes everything that a leaving user owns, each with its audit event, in the transaction in which the
 * user leaves.
 *
 * @param administrators user names of the active administrators who remain.
 * @throws Refusal `validation_failed` (422) when the new owner is not one of them.
 */
export async function passOn(
  tx: Tx,
  tenantId: string,
  username: string,
  { handOver, to }: Succession,
  administrators: readonly string[],
  { at, actor }: Pick<NewAuditEvent, 'at' | 'actor'>,
): Promise<void> {
  const heir = to === null ? administrators[0] : administrators.find((one) => one === to.toLowerCase());
  const owned = await selectOwned(tx, tenantId, username);
  if (heir === undefined && (to !== null || owned.some(({ kind }) => handOver.includes(kind)))) {
    const error = 'Choose an active administrator.';
    throw new Refusal('unprocessable', 'validation_failed', error, [{ key: 'to', error }]);
  }
  for (const { kind, id, name } of owned) {
    const { table, column, action, removed } = places[kind];
    const isKept = handOver.includes(kind) && heir !== undefined;
    const where = sql`where tenant_id = ${tenantId} and id = ${id}`;
    if (isKept) await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${heir} ${where}`.execute(tx);
    else await sql`delete from ${sql.table(table)} ${where}`.execute(tx);
    await insertAudit(tx, tenantId, {
      at,
      actor,
      action: `${action}${kind === 'invitation' ? '_' : '.'}${isKept ? 'handed_over' : removed}`,
      subject: name,
      before: { owner: username },
      after: isKept ? { owner: heir } : null,
    });
  }
}
