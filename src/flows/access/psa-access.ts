import type { Psa, PsaIdentity } from '#core/ports/psa.ts';
import { ServiceError } from '#core/service-error.ts';
import type { App } from '../context.ts';
import { admitGuess, throttle } from './throttle.ts';

/**
 * Calls of one address in 15 minutes, a registration being three; and refused secrets of one API user: few enough that
 * the PSA does not lock it, since each is tried twice there before it counts as refused.
 */
const limits = { address: 60, apiUser: 4 } as const;

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
  const wasRight = await admitGuess(app, [{ key: `PSA as ${userName.toLowerCase()}`, limit: limits.apiUser }]);
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
