import type { Psa, PsaIdentity } from '#core/ports/psa.ts';
import { ServiceError } from '#core/service-error.ts';
import type { App } from '../context.ts';
import { admitGuess, countersAt, throttle } from './throttle.ts';

/**
 * Limits in 15 minutes. `address`: calls from one network address; a registration makes three. `apiUserAtAddress`:
 * wrong secrets for one API user from one address. It is low, because the PSA sees each try twice and must not lock the
 * API user. `apiUser`: wrong secrets for one API user from all addresses. It is higher, so that one outsider cannot
 * lock out the owner.
 */
const limits = { address: 60, apiUserAtAddress: 4, apiUser: 30 } as const;

/**
 * Signs in at the PSA with the API user that a person entered. All callers share the same counters. This prevents using
 * any of our forms to guess another company's secret or to make the PSA lock its API user.
 *
 * @throws Refusal `too_many_tries` (429), ServiceError.
 */
export async function enterPsa(
  app: App,
  psa: Psa,
  { userName, address }: { readonly userName: string; readonly address: string },
): Promise<PsaIdentity> {
  await throttle(
    app,
    countersAt(address, limits.address, (at) => `PSA at ${at}`),
  );
  const name = userName.toLowerCase();
  const wasRight = await admitGuess(app, [
    ...countersAt(address, limits.apiUserAtAddress, (at) => `PSA as ${name} at ${at}`),
    { key: `PSA as ${name}`, limit: limits.apiUser },
  ]);
  try {
    const identity = await psa.identify();
    await wasRight();
    return identity;
  } catch (error) {
    // The PSA was unreachable, so it did not reject the secret.
    if (error instanceof ServiceError && error.about.next === 'try_again') await wasRight();
    throw error;
  }
}
