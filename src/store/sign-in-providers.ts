import { sql } from 'kysely';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { SignInProvider } from '#core/records/sign-in-providers.ts';
import { Refusal } from '#core/refusal.ts';
import type { ProviderAccess } from '#core/ports/sign-in.ts';
import type { Instant } from '#core/values/dates.ts';
import { insertAudit } from './audit.ts';
import type { Tx } from './database.ts';
import { codeOf } from './errors.ts';
import { mailAdministrators, type MailsTo } from './outbox.ts';
import type { TenantWork } from './scope.ts';
import { secretsOf } from './secrets.ts';
import { clean } from './tables.ts';

/** Name of the sealed field. */
const field = 'sign_in_providers.client_secret';
/** Maximum administrators of a client that a screen offers. */
const maxAdministrators = 200;

/**
 * The sign-in provider of a client. Each change adds its audit event, and the emails to the other administrators, in the
 * same transaction.
 */
export const signInProviders = {
  readSignInProvider: ({ tx, tenantId }: TenantWork): Promise<SignInProvider | null> => read(tx, tenantId),

  /** Reads what the provider needs to know the product; null when none is set up. */
  readProviderAccess: async ({ tx, tenantId, vault }: TenantWork): Promise<ProviderAccess | null> => {
    const row = await tx
      .selectFrom('sign_in_providers')
      .select(['kind', 'issuer', 'client_id as clientId', 'client_secret as sealed'])
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { sealed, ...access } = row;
    return { ...access, clientSecret: await secretsOf(tx, vault, tenantId).open(field, sealed) };
  },

  /** Lists the email domains of the client's active users with a verified address. */
  listProvedDomains: async ({ tx, tenantId }: TenantWork): Promise<readonly string[]> => {
    const rows = await tx
      .selectFrom('users')
      .select('username')
      .where('tenant_id', '=', tenantId)
      .where('is_active', '=', true)
      .where('email_proved_at', 'is not', null)
      .execute();
    return [...new Set(rows.map(({ username }) => username.split('@')[1] ?? ''))];
  },

  /** Lists the active administrators by address. */
  listAdministrators: ({
    tx,
    tenantId,
  }: TenantWork): Promise<readonly { readonly id: string; readonly email: string }[]> =>
    tx
      .selectFrom('users')
      .select(['id', 'username as email'])
      .where('tenant_id', '=', tenantId)
      .where('is_active', '=', true)
      .where((user) => user.eb(user.val('clientadmin'), '=', user.fn.any('roles')))
      .orderBy('username')
      .limit(maxAdministrators)
      .execute(),

  /**
   * Saves the provider. After a change of how the product is known to it, it must be tested again and is no longer
   * required. Errors of `eventOf` are rethrown, and nothing is changed.
   *
   * @param clientSecret null: unchanged.
   * @throws Refusal `domain_taken` (409) when another client has one of the domains.
   */
  saveSignInProvider: async (
    { tx, tenantId, vault }: TenantWork,
    provider: Pick<SignInProvider, 'kind' | 'issuer' | 'clientId' | 'domains' | 'coversSecondStep'>,
    clientSecret: string | null,
    eventOf: (before: SignInProvider | null) => NewAuditEvent,
    mailsTo: MailsTo,
  ): Promise<void> => {
    await lock(tx, tenantId);
    const before = await read(tx, tenantId);
    const event = eventOf(before);
    const isSame =
      clientSecret === null &&
      before?.kind === provider.kind &&
      before.issuer === provider.issuer &&
      before.clientId === provider.clientId;
    const values = {
      kind: provider.kind,
      issuer: provider.issuer,
      client_id: clean(provider.clientId),
      covers_second_step: provider.coversSecondStep,
      ...(isSame ? {} : { tested_at: null, is_required: false }),
    };
    const sealed = clientSecret === null ? null : await secretsOf(tx, vault, tenantId).seal(field, clientSecret);
    if (before !== null)
      await tx
        .updateTable('sign_in_providers')
        .set({ ...values, ...(sealed === null ? {} : { client_secret: sealed }) })
        .where('tenant_id', '=', tenantId)
        .execute();
    else if (sealed !== null)
      await tx
        .insertInto('sign_in_providers')
        .values({ tenant_id: tenantId, ...values, client_secret: sealed })
        .execute();
    else throw new Error('Impossible: a new provider without a secret');
    await saveDomains(tx, tenantId, provider.domains);
    await insertAudit(tx, tenantId, event);
    await mailAdministrators(tx, tenantId, event, mailsTo);
  },

  /** Records that an administrator logged in with these values; false when they changed meanwhile. */
  markProviderTested: async (
    { tx, tenantId }: TenantWork,
    { issuer, clientId }: Pick<SignInProvider, 'issuer' | 'clientId'>,
    now: Instant,
    event: NewAuditEvent,
  ): Promise<boolean> => {
    const { numUpdatedRows } = await tx
      .updateTable('sign_in_providers')
      .set({ tested_at: now })
      .where('tenant_id', '=', tenantId)
      .where('issuer', '=', issuer)
      .where('client_id', '=', clientId)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    await insertAudit(tx, tenantId, event);
    return true;
  },

  /**
   * Sets whether users must log in at the provider, and who may still log in with a password. Ends the sessions that
   * began with a password, except those of that user. False when the provider was not tested. Errors of `eventOf` are
   * rethrown, and nothing is changed.
   */
  requireSignInProvider: async (
    { tx, tenantId, clock }: TenantWork,
    { isRequired, breakGlassUserId }: Pick<SignInProvider, 'isRequired' | 'breakGlassUserId'>,
    eventOf: (before: SignInProvider | null) => NewAuditEvent,
    mailsTo: MailsTo,
  ): Promise<boolean> => {
    await lock(tx, tenantId);
    const event = eventOf(await read(tx, tenantId));
    const { numUpdatedRows } = await tx
      .updateTable('sign_in_providers')
      .set({ is_required: isRequired, ...(isRequired ? { break_glass_user_id: breakGlassUserId } : {}) })
      .where('tenant_id', '=', tenantId)
      .where((one) => (isRequired ? one('tested_at', 'is not', null) : one.lit(true)))
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    if (isRequired)
      await tx
        .updateTable('sessions')
        .set({ revoked_at: clock.now() })
        .where('tenant_id', '=', tenantId)
        .where('masquerader', 'is', null)
        .where('revoked_at', 'is', null)
        .where('proof', '=', 'password')
        .where('user_id', 'is distinct from', breakGlassUserId)
        .execute();
    await insertAudit(tx, tenantId, event);
    await mailAdministrators(tx, tenantId, event, mailsTo);
    return true;
  },

  /** False when there was none. Errors of `eventOf` are rethrown, and nothing is changed. */
  removeSignInProvider: async (
    { tx, tenantId }: TenantWork,
    eventOf: (before: SignInProvider) => NewAuditEvent,
    mailsTo: MailsTo,
  ): Promise<boolean> => {
    await lock(tx, tenantId);
    const before = await read(tx, tenantId);
    if (before === null) return false;
    const event = eventOf(before);
    await tx.deleteFrom('sign_in_providers').where('tenant_id', '=', tenantId).execute();
    await insertAudit(tx, tenantId, event);
    await mailAdministrators(tx, tenantId, event, mailsTo);
    return true;
  },
};

/** Serializes the changes of a client's provider; the first one has no row to lock. */
const lock = (tx: Tx, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in provider ${tenantId}`}, 0))`.execute(tx);

async function read(tx: Tx, tenantId: string): Promise<SignInProvider | null> {
  const row = await tx
    .selectFrom('sign_in_providers')
    .select([
      'kind',
      'issuer',
      'client_id as clientId',
      'covers_second_step as coversSecondStep',
      'tested_at as testedAt',
      'is_required as isRequired',
      'break_glass_user_id as breakGlassUserId',
    ])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const domains = await tx
    .selectFrom('sign_in_domains')
    .select('domain')
    .where('tenant_id', '=', tenantId)
    .orderBy('domain')
    .execute();
  return { ...row, domains: domains.map(({ domain }) => domain) };
}

async function saveDomains(tx: Tx, tenantId: string, domains: readonly string[]): Promise<void> {
  await tx.deleteFrom('sign_in_domains').where('tenant_id', '=', tenantId).execute();
  try {
    await tx
      .insertInto('sign_in_domains')
      .values(domains.map((domain) => ({ domain, tenant_id: tenantId })))
      .execute();
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    const message = 'One of these domains is already used by another company at Tallybridge. Contact support.';
    throw new Refusal('conflict', 'domain_taken', message, [{ key: 'domains', error: message }]);
  }
}
