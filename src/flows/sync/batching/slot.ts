import type { Attempt, In, Posted } from '#core/attempt.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Decision } from '../kinds/kind.ts';
import type { Ready } from '../run.ts';

/** Decision about a document that is not sent, because it changed since it was read. */
export type StaleDecision = Extract<Decision, { outcome: 'skip' | 'refuse' }>;

/**
 * Checks documents in the PSA right before they are sent, and finds those that were voided or must not be sent for
 * another reason since they were read (domain reference 5.4 point 2, invariant 8 of 16).
 *
 * @param leaving documents that are about to be sent.
 * @param waiting documents to be sent later; included, so that one check covers several calls.
 * @returns decisions by PSA id, only for documents of `leaving` that must not be sent.
 * @throws ServiceError when the PSA does not respond.
 */
export type Preflight = (
  leaving: readonly Attempt[],
  waiting: readonly Attempt[],
) => Promise<ReadonlyMap<number, StaleDecision>>;

/** Outcome of a command that was sent; `attempt` is as last saved. */
export type Sent =
  | { readonly came: 'answer'; readonly attempt: In<'posting'>; readonly answer: Posted; readonly call: string }
  | { readonly came: 'failure'; readonly attempt: In<'posting'>; readonly error: ServiceError }
  /** A bug: nothing was sent, or the result could not be saved. */
  | { readonly came: 'defect'; readonly error: unknown };

/**
 * Outcome of a command that was ready. `deferred`: it was not sent, and the attempt is unchanged. `stale`: it must not
 * be sent anymore, because the PSA's document has changed.
 */
export type Outcome =
  | Sent
  | { readonly came: 'deferred' }
  | { readonly came: 'stale'; readonly instead: StaleDecision };

/** A document's place in the batches of its chunk. */
export interface BatchSlot {
  /** Sends the next command together with those of other documents. Resolves with its outcome. */
  send(ready: Ready): Promise<Outcome>;
  /**
   * Ends the document's sending.
   *
   * @param isUnsure the outcome of a sent command is unknown.
   */
  close(isUnsure: boolean): void;
}
