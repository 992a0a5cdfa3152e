import { ServiceError } from '#core/service-error.ts';
import { signInRejected } from '../errors.ts';
import type { Send } from './call.ts';

/**
 * Middleware: the circuit breaker of the sign-in. Until the credentials have worked once, calls are sent one at a time;
 * after the first success all others follow. After a refusal (zone discovery has already retried it) no more calls are
 * sent, because more failures would lock the API user.
 */
export function withSignInBreaker(next: Send): Send {
  const state: { refusal?: ServiceError; isProven: boolean; proving?: Promise<unknown> } = { isProven: false };

  async function guarded(...[call]: Parameters<Send>): ReturnType<Send> {
    if (state.refusal !== undefined) throw state.refusal;
    try {
      const answer = await next(call);
      state.isProven = true;
      return answer;
    } catch (error) {
      if (error instanceof ServiceError && error.about.code === 'PSA_AUTH')
        state.refusal = signInRejected(call.operation);
      throw state.refusal ?? error;
    }
  }

  return async (call) => {
    while (!state.isProven && state.proving !== undefined) await state.proving;
    if (state.isProven) return guarded(call);
    const proof = guarded(call);
    state.proving = proof.catch(() => undefined).finally(() => delete state.proving);
    return proof;
  };
}
