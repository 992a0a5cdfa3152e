import type { In, Posted } from '#core/attempt.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Decision } from '../kinds/kind.ts';

/** Decision about a document that is not sent, because it changed since it was read. */
export type StaleDecision = Extract<Decision, { outcome: 'skip' | 'refuse' }>;

/** Outcome of a command that was sent; `attempt` is as last saved. */
export type Sent =
  | { readonly came: 'answer'; readonly attempt: In<'posting'>; readonly answer: Posted; readonly call: string }
  | { readonly came: 'failure'; readonly attempt: In<'posting'>; readonly error: ServiceError }
  /** Not a response: a bug, a lost lease, or the end of the process. The saved state shows whether it was sent. */
  | { readonly came: 'error'; readonly error: unknown };

/**
 * Outcome of a command that was ready. `deferred`: it was not sent, and the attempt is unchanged. `stale`: it must not
 * be sent anymore, because the PSA's document has changed.
 */
export type Outcome =
  | Sent
  | { readonly came: 'deferred' }
  | { readonly came: 'stale'; readonly instead: StaleDecision };
