import { programName, type ApiKeyScope } from '#core/api-key.ts';
import type { ApiKey } from '#core/records/api-keys.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds, dateIn, dayText, secondsBetween } from '#core/values/dates.ts';
import { collapsed } from '#core/values/text.ts';
import type { App, TenantContext } from '../context.ts';
import { apiKeyMails } from '../mail/access-mails.ts';
import { actorOf, refuseMasquerader, type Principal } from './principal.ts';
import { hashOf } from './secrets.ts';

/** Beginning of each key, by which people and secret scanners recognize it. */
export const apiKeyPrefix = 'tbk_';
const keyBytes = 32;
/** Maximum number of keys of a client, expired ones included. */
const maxKeys = 20;
/** Precision of the last-use time, in seconds. */
const useSeconds = 60;

export const listApiKeys = ({ store }: TenantContext): Promise<readonly ApiKey[]> => store.listApiKeys();

/**
 * Creates a key; called from the API Keys screen.
 *
 * @param request.days until the key expires.
 * @returns the key as the program sends it; it cannot be read again.
 * @throws Refusal `too_many_keys`, `masquerading` (409).
 */
export async function createApiKey(
  app: App,
  context: TenantContext,
  principal: Principal,
  request: { readonly name: string; readonly scope: ApiKeyScope; readonly days: number },
): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  refuseMasquerader(principal, 'Only an administrator of the company can create an API key.');
  const secret = `${apiKeyPrefix}${app.randomToken(keyBytes)}`;
  const createdAt = context.clock.now();
  const { scope } = request;
  const client = await context.store.readTenant();
  const name = collapsed(request.name);
  const endsAt = addSeconds(createdAt, request.days * 86_400);
  const key = await context.store.addApiKey(
    { name, scope, keyHash: hashOf(secret), createdBy: principal.username, createdAt, endsAt },
    maxKeys,
    eventOf(context, principal, 'api_key.created', { name, scope }),
    apiKeyMails(
      { appUrl: app.config.appUrl, client: client.name, by: principal.username },
      {
        name,
        allows: scope === 'read' ? 'reading documents, runs, logs and months' : 'reading, and starting syncs',
        until: dayText(dateIn(endsAt, client.timeZone)),
      },
    ),
  );
  if (key === null)
    throw new Refusal('conflict', 'too_many_keys', `A client has at most ${maxKeys} API keys. Revoke one first.`);
  return { key, secret };
}

/**
 * Revokes a key, which stops working at once.
 *
 * @throws Refusal `not_found`.
 */
export async function revokeApiKey(context: TenantContext, principal: Principal, id: string): Promise<void> {
  const removed = await context.store.removeApiKey(id, ({ name, scope }) =>
    eventOf(context, principal, 'api_key.revoked', { name, scope }),
  );
  if (removed === null) throw new Refusal('not_found', 'not_found', 'API key not found.');
}

/**
 * Returns the principal of a program that sent a key; null for an unknown, revoked or expired key, and for one whose
 * owner is no longer an active user. It has the rights of the client's administrators, but only for calls that accept
 * keys of its scope.
 */
export async function principalOfKey(app: App, secret: string): Promise<Principal | null> {
  const now = app.clock.now();
  const key = await app.store.readApiKey(hashOf(secret), now);
  if (key === null) return null;
  if (key.lastUsedAt === null || secondsBetween(key.lastUsedAt, now) >= useSeconds)
    await app.store.markApiKeyUsed(key.id, now);
  return {
    jti: key.id,
    userId: key.id,
    username: programName(key.name),
    roles: ['clientadmin'],
    client: key.client,
    masquerader: null,
    // Only a user with a verified address can create a key.
    emailIsProved: true,
    accessVersion: 0,
    endsAt: key.endsAt,
    proof: 'password',
    apiKeyScope: key.scope,
  };
}

const eventOf = (
  { clock }: TenantContext,
  principal: Principal,
  action: string,
  { name, scope }: Pick<ApiKey, 'name' | 'scope'>,
): NewAuditEvent => ({
  at: clock.now(),
  actor: actorOf(principal),
  action,
  subject: name,
  before: null,
  after: { scope },
});
