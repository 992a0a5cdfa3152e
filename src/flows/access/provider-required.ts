import type { ProviderAccess } from '#core/ports/sign-in.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import { providerLabels, type ProviderKind } from '#core/sign-in-provider.ts';
import type { App } from '../context.ts';

/** A provider with everything that a login needs. */
export interface LoginProvider {
  /** The client whose users log in there; null: the system administrators. */
  readonly tenantId: string | null;
  readonly access: ProviderAccess;
  readonly domains: readonly string[];
  readonly coversSecondStep: boolean;
}

/** Returns the provider of a client, or of the system administrators; null when none is set up. */
export async function readLoginProvider(app: App, tenantId: string | null): Promise<LoginProvider | null> {
  if (tenantId === null) {
    const own = app.config.signIn;
    return own === null
      ? null
      : { tenantId, access: own.access, domains: own.domains, coversSecondStep: own.coversSecondStep };
  }
  const { store } = app.forTenant(tenantId);
  const provider = await store.readSignInProvider();
  const access = provider === null ? null : await store.readProviderAccess();
  if (provider === null || access === null) return null;
  return { tenantId, access, domains: provider.domains, coversSecondStep: provider.coversSecondStep };
}

/**
 * Rejects a login by password of a user who must log in at a provider. Called after every other check, so that only the
 * owner of the password learns about it.
 *
 * @throws Refusal `provider_required` (403).
 */
export async function refuseProviderOnly(app: App, user: User): Promise<void> {
  const kind = await requiredKind(app, user);
  if (kind === null) return;
  const name = kind === 'other' ? 'your company account' : providerLabels[kind];
  throw new Refusal(
    'forbidden',
    'provider_required',
    `Your company requires sign-in with ${name}. Enter your username and choose “Sign in with Microsoft or Google”.`,
  );
}

async function requiredKind(app: App, { id, username, tenantId }: User): Promise<ProviderKind | null> {
  if (tenantId === null) {
    const own = app.config.signIn;
    return own?.isRequired === true && own.breakGlass !== username ? own.access.kind : null;
  }
  const provider = await app.forTenant(tenantId).store.readSignInProvider();
  return provider?.isRequired === true && provider.breakGlassUserId !== id ? provider.kind : null;
}
