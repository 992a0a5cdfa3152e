import { ServiceError } from '#core/service-error.ts';
import { signInRefused } from '../errors.ts';
import type { Send } from './call.ts';

/**
 * Middleware: the circuit breaker of the sign-in. Until the credentials have worked once, one call at a time leaves;
 * after a refusal (which zone discovery has already tried twice) none leaves any more, because more would lock the API
 * user.
 */
export function withSignInBreaker(next: Send): Send {
  let refusal: ServiceError | undefined;
  let isProven = false;
  let proving: Promise<unknown> = Promise.resolve();

  async function guarded(...[call]: Parameters<Send>): ReturnType<Send> {
    if (refusal !== undefined) throw refusal;
    try {
      const answer = await next(call);
      isProven = true;
      return answer;
    } catch (error) {
      if (error instanceof ServiceError && error.about.code === 'PSA_AUTH')
        refusal = signInRefused(call.operation, 'Autotask refused the API user or its password.');
      throw refusal ?? error;
    }
  }

  return (call) => {
    if (isProven) return guarded(call);
    const inLine = proving.then(
      () => guarded(call),
      () => guarded(call),
    );
    proving = inLine.catch(() => undefined);
    return inLine;
  };
}
