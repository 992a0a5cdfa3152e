import { inParallel } from '#core/in-parallel.ts';
import type { ApiKeyScope } from '#core/api-key.ts';
import type { Actor } from '#core/records/audit.ts';
import type { SignInProof } from '#core/records/sign-in-providers.ts';
import type { PsaLink, User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { Role } from '#core/roles.ts';
import { statusText } from '#core/tenant.ts';
import type { Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** The logged-in user: the verified session behind a request. */
export interface Principal {
  readonly jti: string;
  readonly userId: string;
  readonly username: string;
  readonly roles: readonly Role[];
  readonly client: { readonly id: string; readonly name: string } | null;
  /** Name of the system administrator who acts as this client. */
  readonly masquerader: string | null;
  /** The user proved that they read the mailbox of their address, see {@link User.emailIsProved}. */
  readonly emailIsProved: boolean;
  /** Access version of the session, see {@link User.accessVersion}. */
  readonly accessVersion: number;
  readonly endsAt: Instant;
  /** How the session began. */
  readonly proof: SignInProof;
  /** Scope of the API key that a program sent; absent for a session. */
  readonly apiKeyScope?: ApiKeyScope;
}

/** A user who may get a session; the API creates the token. */
export interface SignedIn {
  readonly userId: string;
  readonly username: string;
  readonly roles: readonly Role[];
  readonly client: { readonly id: string; readonly name: string } | null;
  readonly masquerader: string | null;
  /** The user's resource in the PSA; null while masquerading. */
  readonly psaLink: PsaLink | null;
  /** {@link User.accessVersion} at the time of the proof. */
  readonly accessVersion: number;
  /** Latest end of the session; null for the normal duration. */
  readonly endsAt: Instant | null;
  /** How the user proved who they are. */
  readonly proof: SignInProof;
  /** A second factor is required but not set up: the session has no role and can only set one up. */
  readonly mustSetUp: boolean;
}

/**
 * Returns the sign-in of a user who has proved who they are.
 *
 * @throws Refusal `client_moved` (403).
 */
export async function signedInAs(app: App, user: User, proof: SignInProof): Promise<SignedIn> {
  const [tenant, mustSetUp] = await inParallel([
    user.tenantId === null ? null : app.store.findTenant(user.tenantId),
    proof === 'provider_two_step' ? false : lacksSecondFactor(app, user),
    user.tenantId === null ? null : refuseMoved(app, user.tenantId),
  ]);
  return {
    userId: user.id,
    username: user.username,
    roles: mustSetUp ? [] : user.roles,
    mustSetUp,
    client: tenant === null ? null : { id: tenant.id, name: tenant.name },
    masquerader: null,
    psaLink: user.psaLink,
    accessVersion: user.accessVersion,
    endsAt: null,
    proof,
  };
}

/** @throws Refusal `client_moved` (403) if the client was moved to another deployment. */
export async function refuseMoved(app: App, tenantId: string): Promise<void> {
  if ((await app.store.listMovedTenants()).includes(tenantId))
    throw new Refusal(
      'forbidden',
      'client_moved',
      'This company was moved to another address of Tallybridge. Log in there; your provider knows the address.',
    );
}

async function lacksSecondFactor(app: App, user: User): Promise<boolean> {
  if ((await requirerOf(app, user)) === null) return false;
  const factor = await app.store.readSecondFactor(user.id);
  return factor === null || factor.confirmedAt === null;
}

/**
 * Returns who requires a second factor of a user: the deployment (for system administrators), the client (for its
 * users), or null.
 */
export async function requirerOf(app: App, user: User): Promise<'deployment' | 'client' | null> {
  // A demo is for trying the product, and its system administrator logs in with one click.
  if (user.roles.includes('sysadmin') && !app.config.isDemo) return 'deployment';
  return user.tenantId !== null && (await app.store.requiresSecondFactor(user.tenantId)) ? 'client' : null;
}

/**
 * Rejects a change by a user of a suspended or canceled subscription. Such users can still read and export.
 *
 * @throws Refusal `subscription_suspended` (409).
 */
export async function refuseSuspended(app: App, tenantId: string): Promise<void> {
  const tenant = await app.store.findTenant(tenantId);
  if (tenant?.status === 'suspended' || tenant?.status === 'cancelled')
    throw new Refusal(
      'conflict',
      'subscription_suspended',
      `The subscription is ${statusText(tenant.status)}: you can read and export everything but change nothing. Contact support.`,
    );
}

/** The session's user as the actor of audit events. */
export const actorOf = (principal: Pick<Principal, 'username' | 'masquerader'>): Actor => ({
  username: principal.username,
  ...(principal.masquerader === null ? {} : { masquerader: principal.masquerader }),
});

/**
 * Rejects a change that only users of the client may make, because it outlives the masquerade.
 *
 * @throws Refusal `masquerading` (409).
 */
export function refuseMasquerader({ masquerader }: Principal, message: string): void {
  if (masquerader !== null) throw new Refusal('conflict', 'masquerading', message);
}
