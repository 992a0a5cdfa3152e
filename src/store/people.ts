import { sql } from 'kysely';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { NewInvitation, PeopleFilter, Person } from '#core/records/people.ts';
import type { Owned, Succession } from '#core/owned.ts';
import type { PersonState } from '#core/person.ts';
import { Refusal } from '#core/refusal.ts';
import type { ClientRole } from '#core/roles.ts';
import type { Instant } from '#core/values/dates.ts';
import { insertAudit } from './audit.ts';
import type { Tx } from './database.ts';
import { codeOf } from './errors.ts';
import { offsetOf } from './log.ts';
import { passOn, selectOwned } from './owned.ts';
import type { TenantWork } from './scope.ts';
import { clean, isId } from './tables.ts';
import { spendAllTokens } from './one-time-tokens.ts';

/** The users and invitations of a tenant. */
export const people = {
  /** Lists users and invitations of the client by email address. */
  listPeople: async (
    { tx, tenantId, clock }: TenantWork,
    filter: PeopleFilter,
  ): Promise<{ readonly people: readonly Person[]; readonly total: number }> => {
    const matching = peopleOf(tx, tenantId, filter);
    const { limit, offset } = offsetOf(filter);
    const rows = await matching.selectAll().orderBy('email').orderBy('id').limit(limit).offset(offset).execute();
    const { total } = await matching
      .select((select) => select.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return { people: await withSessions(tx, tenantId, rows, clock.now()), total };
  },

  /** Whether the client has users and none of them has a verified address. */
  awaitsProof: async ({ tx, tenantId }: TenantWork): Promise<boolean> => {
    const { rows } = await sql<{ awaits: boolean }>`
      select count(*) > 0 and count(email_proved_at) = 0 as awaits from users where tenant_id = ${tenantId}`.execute(
      tx,
    );
    return rows[0]?.awaits === true;
  },

  /** Reads a user or an invitation. */
  readPerson: async ({ tx, tenantId, clock }: TenantWork, id: string): Promise<Person | null> => {
    if (!isId(id)) return null;
    const rows = await peopleOf(tx, tenantId, {}).selectAll().where('id', '=', id).execute();
    return (await withSessions(tx, tenantId, rows, clock.now()))[0] ?? null;
  },

  /**
   * Adds an invitation. This method and the following ones each change one person and add the audit event in one
   * transaction.
   *
   * @throws Refusal `user_exists`, `invited_already` (409) for an address of this client.
   */
  addInvitation: async (
    { tx, tenantId }: TenantWork,
    invitation: NewInvitation,
    event: NewAuditEvent,
  ): Promise<Person> => {
    const { email, name, role, tokenHash, by, at, endsAt } = invitation;
    try {
      const known = await tx
        .selectFrom('users')
        .select('is_active')
        .where('tenant_id', '=', tenantId)
        .where('username', '=', email)
        .executeTakeFirst();
      if (known !== undefined) throw userExists(known.is_active);
      const { id } = await tx
        .insertInto('invitations')
        .values({
          tenant_id: tenantId,
          email,
          name: clean(name),
          role,
          token_hash: tokenHash,
          invited_by: by,
          invited_at: at,
          ends_at: endsAt,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await insertAudit(tx, tenantId, event);
      const state = 'invited';
      return {
        id,
        email,
        name,
        role,
        state,
        since: at,
        lastSignInAt: null,
        sessions: 0,
        invitation: { by, endsAt },
      };
    } catch (error) {
      if (codeOf(error) !== '23505') throw error;
      const message = 'This person is invited already. Send the invitation again instead.';
      throw new Refusal('conflict', 'invited_already', message, [{ key: 'email', error: message }]);
    }
  },

  /** Replaces the token of an invitation, which invalidates the old one; false when the invitation does not exist. */
  renewInvitation: (
    work: TenantWork,
    id: string,
    { tokenHash, endsAt }: Pick<NewInvitation, 'tokenHash' | 'endsAt'>,
    event: NewAuditEvent,
  ): Promise<boolean> =>
    changeOne(work, id, event, async ({ tx, tenantId }) => {
      const { numUpdatedRows } = await tx
        .updateTable('invitations')
        .set({ token_hash: tokenHash, ends_at: endsAt, invited_at: event.at })
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    }),

  removeInvitation: (work: TenantWork, id: string, event: NewAuditEvent): Promise<boolean> =>
    changeOne(work, id, event, async ({ tx, tenantId }) => {
      const { numDeletedRows } = await tx
        .deleteFrom('invitations')
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    }),

  /**
   * Deactivates a user: ends the sessions, invalidates the codes, and hands over or removes what the user owns. False
   * when the client has no active user with this id.
   *
   * @throws Refusal `last_administrator`, `break_glass` (409); `validation_failed` (422) for the new owner. When two
   *   administrators deactivate each other concurrently, one succeeds.
   */
  deactivateUser: (work: TenantWork, id: string, succession: Succession, event: NewAuditEvent): Promise<boolean> =>
    changeOne(work, id, event, async ({ tx, tenantId, clock }) => {
      const active = await lockActive(tx, tenantId);
      const user = active.find((one) => one.id === id);
      if (user === undefined) return false;
      const administrators = active.filter((one) => one.id !== id && one.roles.includes('clientadmin'));
      if (administrators.length === 0) throw lastAdministrator();
      await refuseBreakGlass(tx, tenantId, id);
      await setActive(tx, tenantId, id, false);
      await spendAllTokens(tx, id, clock.now());
      await passOn(tx, tenantId, user.username, succession, namesOf(administrators), event);
      return true;
    }),

  /** False when the client has no deactivated user with this id. */
  reactivateUser: (work: TenantWork, id: string, event: NewAuditEvent): Promise<boolean> =>
    changeOne(work, id, event, ({ tx, tenantId }) => setActive(tx, tenantId, id, true)),

  /**
   * Deletes a deactivated user, releases the address, and hands over or removes what the user still owns. False when the
   * client has no deactivated user with this id.
   *
   * @throws Refusal `validation_failed` (422) for the new owner.
   */
  removeUser: (work: TenantWork, id: string, succession: Succession, event: NewAuditEvent): Promise<boolean> =>
    changeOne(work, id, event, async ({ tx, tenantId }) => {
      const active = await lockActive(tx, tenantId);
      const removed = await tx
        .deleteFrom('users')
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id)
        .where('is_active', '=', false)
        .returning('username')
        .executeTakeFirst();
      if (removed === undefined) return false;
      const administrators = active.filter(({ roles }) => roles.includes('clientadmin'));
      await passOn(tx, tenantId, removed.username, succession, namesOf(administrators), event);
      return true;
    }),

  /** Lists everything that a user of the client owns; null when the user does not exist. */
  listOwned: async ({ tx, tenantId }: TenantWork, id: string): Promise<readonly Owned[] | null> => {
    if (!isId(id)) return null;
    const user = await tx
      .selectFrom('users')
      .select('username')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    return user === undefined ? null : selectOwned(tx, tenantId, user.username);
  },

  /** Ends the sessions of a user of the client; false when the user does not exist. */
  endSessionsOf: (work: TenantWork, userId: string, event: NewAuditEvent): Promise<boolean> =>
    changeOne(work, userId, event, async ({ tx, tenantId, clock }) => {
      const user = await tx
        .selectFrom('users')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('id', '=', userId)
        .executeTakeFirst();
      if (user === undefined) return false;
      await tx
        .updateTable('sessions')
        .set({ revoked_at: clock.now() })
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .execute();
      return true;
    }),
};

/** Changes one row and adds its event in one transaction; returns false if the row was not found. */
async function changeOne(
  work: TenantWork,
  id: string,
  event: NewAuditEvent,
  change: (work: TenantWork) => Promise<boolean>,
): Promise<boolean> {
  const isDone = isId(id) && (await change(work));
  if (isDone) await insertAudit(work.tx, work.tenantId, event);
  return isDone;
}

/** Locks the active users in a fixed order, so that two administrators who deactivate each other cannot both succeed. */
const lockActive = (tx: Tx, tenantId: string) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'roles'])
    .where('tenant_id', '=', tenantId)
    .where('is_active', '=', true)
    .orderBy('id')
    .forUpdate()
    .execute();

const namesOf = (users: readonly { readonly username: string }[]): readonly string[] =>
  users.map(({ username }) => username).toSorted();

/** Rejects the one user who can still log in when the sign-in provider fails. */
async function refuseBreakGlass(tx: Tx, tenantId: string, id: string): Promise<void> {
  const provider = await tx
    .selectFrom('sign_in_providers')
    .select('tenant_id')
    .where('tenant_id', '=', tenantId)
    .where('is_required', '=', true)
    .where('break_glass_user_id', '=', id)
    .executeTakeFirst();
  if (provider !== undefined)
    throw new Refusal(
      'conflict',
      'break_glass',
      'This is the administrator who can log in with a password if company sign-in fails. Choose another one under Security first.',
    );
}

/** Users and invitations as one table. The tenant role may read no other column of users. */
function peopleOf(tx: Tx, tenantId: string, { text = '', state }: Partial<PeopleFilter>) {
  const all = tx
    .selectFrom('users')
    .select([
      'id',
      'username as email',
      'name',
      sql<ClientRole>`case when 'clientadmin' = any (roles) then 'clientadmin' else 'accountant' end`.as('role'),
      sql<PersonState>`case when is_active then 'active' else 'deactivated' end`.as('state'),
      'created_at as since',
      'last_sign_in_at as lastSignInAt',
      sql<string | null>`null::text`.as('invitedBy'),
      sql<Instant | null>`null::timestamptz`.as('endsAt'),
    ])
    .where('tenant_id', '=', tenantId)
    .unionAll(
      tx
        .selectFrom('invitations')
        .select([
          'id',
          'email',
          'name',
          'role',
          sql<PersonState>`'invited'`.as('state'),
          'invited_at as since',
          sql<Instant | null>`null::timestamptz`.as('lastSignInAt'),
          'invited_by as invitedBy',
          'ends_at as endsAt',
        ])
        .where('tenant_id', '=', tenantId),
    );
  const wanted = text.trim();
  const pattern = `%${clean(wanted).replace(/[\\%_]/g, '\\$&')}%`;
  return tx
    .selectFrom(all.as('people'))
    .where((where) =>
      where.and([
        ...(state === undefined ? [] : [where('state', '=', state)]),
        ...(wanted === '' ? [] : [where.or([where('email', 'ilike', pattern), where('name', 'ilike', pattern)])]),
      ]),
    );
}

type Row = Omit<Person, 'sessions' | 'invitation'> & {
  readonly invitedBy: string | null;
  readonly endsAt: Instant | null;
};

async function withSessions(tx: Tx, tenantId: string, rows: readonly Row[], now: Instant): Promise<readonly Person[]> {
  const counted =
    rows.length === 0
      ? []
      : await tx
          .selectFrom('sessions')
          .innerJoin('users', (join) =>
            join
              .onRef('users.id', '=', 'sessions.user_id')
              .onRef('users.access_version', '=', 'sessions.access_version'),
          )
          .select((select) => ['sessions.user_id as userId', select.fn.countAll<number>().as('count')])
          .where('sessions.tenant_id', '=', tenantId)
          .where('users.is_active', '=', true)
          .where('sessions.revoked_at', 'is', null)
          .where('sessions.ends_at', '>', now)
          .groupBy('sessions.user_id')
          .execute();
  const countOf = new Map(counted.map(({ userId, count }) => [userId, count]));
  return rows.map(({ invitedBy, endsAt, ...person }) => ({
    ...person,
    sessions: countOf.get(person.id) ?? 0,
    invitation: invitedBy === null || endsAt === null ? null : { by: invitedBy, endsAt },
  }));
}

async function setActive(tx: Tx, tenantId: string, id: string, isActive: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ is_active: isActive })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('is_active', '=', !isActive)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function userExists(isActive: boolean): Refusal {
  const message = isActive
    ? 'This person is a user already.'
    : 'This person is a deactivated user. Reactivate them instead.';
  return new Refusal('conflict', 'user_exists', message, [{ key: 'email', error: message }]);
}

const lastAdministrator = () =>
  new Refusal(
    'conflict',
    'last_administrator',
    'This is the last user who can log in for this client. Invite another user first.',
  );
