import type { Psa, PsaIdentity } from '#core/ports/psa.ts';
import { ServiceError } from '#core/service-error.ts';
import type { App } from '../context.ts';
import { admitGuess, throttle } from './throttle.ts';

/**
 * Limits in 15 minutes. Calls of one address, a registration being three. Refused secrets of one API user at one address:
 * few enough that the PSA does not lock the API user, since each secret is tried twice there. Refused secrets of one API
 * user from all addresses: more, so that one outsider cannot keep the owner out.
 */
const limits = { address: 60, apiUserAtAddress: 4, apiUser: 30 } as const;

/**
 * Signs in at the PSA with an API user that somebody typed in. Every way in counts under the same names, so that no form
 * of ours serves to guess the secret of another company's API user, or to have the PSA lock it.
 *
 * @throws Refusal `too_many_tries` (429), ServiceError.
 */
export async function enterPsa(
  app: App,
  psa: Psa,
  { userName, address }: { readonly userName: string; readonly address: string },
): Promise<PsaIdentity> {
  await throttle(app, [{ key: `PSA at ${address}`, limit: limits.address }]);
  const name = userName.toLowerCase();
  const wasRight = await admitGuess(app, [
    { key: `PSA as ${name} at ${address}`, limit: limits.apiUserAtAddress },
    { key: `PSA as ${name}`, limit: limits.apiUser },
  ]);
  try {
    const identity = await psa.identify();
    await wasRight();
    return identity;
  } catch (error) {
    // Nothing was refused when the PSA is only out of reach.
    if (error instanceof ServiceError && error.about.next === 'try_again') await wasRight();
    throw error;
  }
}
