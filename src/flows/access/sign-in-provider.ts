import { requireUnchanged, type FieldText, type FieldValues } from '#core/changed-meanwhile.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { SignInProvider } from '#core/records/sign-in-providers.ts';
import { Refusal } from '#core/refusal.ts';
import {
  isDomain,
  isPublicMailDomain,
  maxDomains,
  providerKinds,
  providerNames,
  type ProviderKind,
} from '#core/sign-in-provider.ts';
import type { JsonObject } from '#core/values/json.ts';
import { reportingConflicts } from '../changed-meanwhile.ts';
import type { App, TenantContext } from '../context.ts';
import { signInProviderMails } from '../mail/access-mails.ts';
import { actorOf, refuseMasquerader, type Principal } from './principal.ts';

/** The sign-in provider of a client, for its administrators. */
export interface SignInProviderView {
  readonly provider: (SignInProvider & { readonly breakGlass: string | null }) | null;
  /** Addresses of the active administrators, one of whom can be the break-glass administrator. */
  readonly administrators: readonly string[];
}

export async function readSignInProvider({ store }: TenantContext): Promise<SignInProviderView> {
  const provider = await store.readSignInProvider();
  const administrators = await store.listAdministrators();
  const emailOf = (id: string | null) => administrators.find((one) => one.id === id)?.email ?? null;
  return {
    provider: provider === null ? null : { ...provider, breakGlass: emailOf(provider.breakGlassUserId) },
    administrators: administrators.map(({ email }) => email),
  };
}

/** What an administrator enters. */
export interface ProviderInput {
  readonly kind: ProviderKind;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: unchanged. */
  readonly clientSecret?: string | undefined;
  readonly domains: readonly string[];
  readonly coversSecondStep: boolean;
}

/**
 * Saves the provider of a client. After a change of issuer or client ID the linked accounts no longer fit: their users
 * are found by their address again.
 *
 * @param was values that the form read; see `requireUnchanged`.
 * @throws Refusal `validation_failed` (422) for fields; `masquerading`, `domain_taken`, `changed_meanwhile` (409).
 */
export async function saveSignInProvider(
  app: App,
  context: TenantContext,
  principal: Principal,
  input: ProviderInput,
  was?: FieldValues,
): Promise<void> {
  refuseMasquerader(principal, ownUsersOnly);
  const before = await context.store.readSignInProvider();
  const parsed = app.signIn.parseIssuer(input.kind, input.issuer);
  if ('fault' in parsed) throw wrong('issuer', parsed.fault);
  const { issuer } = parsed;
  const clientId = input.clientId.trim();
  const isSame = before?.kind === input.kind && before.issuer === issuer && before.clientId === clientId;
  if (input.clientSecret === undefined && !isSame)
    throw wrong('client_secret', 'Enter the client secret. It is needed after each change of the provider.');
  const domains = await parseDomains(context, input.domains);
  const { kind, coversSecondStep } = input;
  const after = { kind, issuer, clientId, domains, coversSecondStep };
  const did = `${before === null ? 'set up' : 'changed'} company sign-in at ${issuer}`;
  const mails = await mailsTo(app, context, principal, did);
  const eventFor = (stored: SignInProvider | null) => {
    requireUnchanged(was, shown(stored) ?? {}, shown(after) ?? {});
    return eventOf(context, principal, 'sign_in_provider.saved', issuer, shown(stored), shown(after));
  };
  await reportingConflicts(context, conflictTexts(principal), () =>
    context.store.saveSignInProvider(after, input.clientSecret ?? null, eventFor, mails),
  );
  if (before !== null && before.issuer !== issuer) await app.store.removeSignInLinksOf(context.tenantId);
}

/**
 * Sets whether the client’s users must log in at the provider. Ends sessions that began with a password.
 *
 * @param breakGlass address of the administrator who may still log in with a password.
 * @param was values of the provider that the user saw; see `requireUnchanged`.
 * @throws Refusal `validation_failed` (422), `not_tested`, `masquerading`, `changed_meanwhile` (409). A masquerading system administrator may
 *   end the requirement, but not begin it.
 */
export async function requireSignInProvider(
  app: App,
  context: TenantContext,
  principal: Principal,
  { isRequired, breakGlass }: { readonly isRequired: boolean; readonly breakGlass: string | null },
  was?: FieldValues,
): Promise<void> {
  if (isRequired) refuseMasquerader(principal, ownUsersOnly);
  const before = await context.store.readSignInProvider();
  if (before === null) throw noProvider();
  const user = (await context.store.listAdministrators()).find(({ email }) => email === breakGlass?.toLowerCase());
  if (isRequired && user === undefined)
    throw wrong('break_glass', 'Choose an active administrator who can still log in with a password.');
  const after = { isRequired, breakGlassUserId: user?.id ?? null };
  const did = isRequired
    ? `made company sign-in the only way to log in, except for ${user?.email ?? ''}`
    : 'allowed passwords besides company sign-in';
  const mails = await mailsTo(app, context, principal, did);
  const isSaved = await reportingConflicts(context, conflictTexts(principal), () =>
    context.store.requireSignInProvider(
      after,
      (stored) => {
        requireUnchanged(was, shown(stored) ?? {});
        const subject = isRequired ? (user?.email ?? null) : null;
        const wasRequired = stored?.isRequired ?? false;
        return eventOf(context, principal, 'sign_in_provider.requirement_saved', subject, wasRequired, isRequired);
      },
      mails,
    ),
  );
  if (!isSaved)
    throw new Refusal('conflict', 'not_tested', 'Test the sign-in first. Otherwise your users could be locked out.');
}

/**
 * Removes the provider. Users log in with their passwords again; sessions that began at the provider end.
 *
 * @param was values that the user saw; see `requireUnchanged`.
 * @throws Refusal `not_found`, `masquerading`, `changed_meanwhile` (409).
 */
export async function removeSignInProvider(
  app: App,
  context: TenantContext,
  principal: Principal,
  was?: FieldValues,
): Promise<void> {
  refuseMasquerader(principal, ownUsersOnly);
  const mails = await mailsTo(app, context, principal, 'removed company sign-in');
  const isRemoved = await reportingConflicts(context, conflictTexts(principal), () =>
    context.store.removeSignInProvider((stored) => {
      requireUnchanged(was, shown(stored) ?? {});
      return eventOf(context, principal, 'sign_in_provider.removed', stored.issuer, shown(stored), null);
    }, mails),
  );
  if (!isRemoved) throw noProvider();
  await app.store.removeSignInLinksOf(context.tenantId);
}

/** @throws Refusal `validation_failed` (422). */
async function parseDomains({ store }: TenantContext, typed: readonly string[]): Promise<readonly string[]> {
  const domains = [
    ...new Set(typed.map((domain) => domain.trim().toLowerCase().replace(/^@/, '')).filter((one) => one !== '')),
  ].sort();
  if (domains.length === 0) throw wrong('domains', 'Enter at least one email domain.');
  if (domains.length > maxDomains) throw wrong('domains', `Enter at most ${maxDomains} domains.`);
  const invalid = domains.find((domain) => !isDomain(domain));
  if (invalid !== undefined) throw wrong('domains', `“${invalid}” is not a domain.`);
  const open = domains.find(isPublicMailDomain);
  if (open !== undefined) throw wrong('domains', `Anyone can get an address at ${open}. Use a domain of your company.`);
  const proved = await store.listProvedDomains();
  const foreign = domains.find((domain) => !proved.includes(domain));
  if (foreign !== undefined)
    throw wrong(
      'domains',
      `No active user of your company has a confirmed email address at ${foreign}. Invite one first.`,
    );
  return domains;
}

const shown = (
  provider: Pick<SignInProvider, 'kind' | 'issuer' | 'clientId' | 'domains' | 'coversSecondStep'> | null,
): JsonObject | null =>
  provider === null
    ? null
    : {
        kind: provider.kind,
        issuer: provider.issuer,
        client_id: provider.clientId,
        domains: [...provider.domains],
        covers_second_step: provider.coversSecondStep,
      };

const conflictTexts = (principal: Principal) => ({
  actor: actorOf(principal),
  actions: ['sign_in_provider.saved', 'sign_in_provider.removed'],
  textOf: fieldText,
});

const labels: Readonly<Record<string, string>> = {
  kind: 'Provider',
  issuer: 'Issuer',
  client_id: 'Client ID',
  domains: 'Email domains',
  covers_second_step: 'The provider checks the second step',
};

function fieldText(key: string, stored: FieldValues): FieldText {
  const value = stored[key];
  const kind = providerKinds.find((one) => key === 'kind' && one === value);
  const shownValue = () => {
    if (kind !== undefined) return providerNames[kind];
    if (typeof value === 'boolean') return value ? 'On' : 'Off';
    if (Array.isArray(value)) return value.join(', ');
    return typeof value === 'string' ? value : 'none';
  };
  return { label: labels[key] ?? key, value: shownValue() };
}

/** Returns the emails to the other administrators. @param did what the user did */
async function mailsTo({ config }: App, { store }: TenantContext, principal: Principal, did: string) {
  const { name: client } = await store.readTenant();
  const by = principal.masquerader === null ? principal.username : 'A system administrator of Tallybridge';
  return signInProviderMails({ appUrl: config.appUrl, client, by }, did);
}

const eventOf = (
  { clock }: TenantContext,
  principal: Principal,
  action: string,
  subject: string | null,
  before: NewAuditEvent['before'],
  after: NewAuditEvent['after'],
): NewAuditEvent => ({ at: clock.now(), actor: actorOf(principal), action, subject, before, after });

const ownUsersOnly = 'Only an administrator of the company can change how its users log in.';

const noProvider = () => new Refusal('not_found', 'not_found', 'No sign-in provider is set up.');
const wrong = (key: string, error: string) =>
  new Refusal('unprocessable', 'validation_failed', error, [{ key, error }]);
