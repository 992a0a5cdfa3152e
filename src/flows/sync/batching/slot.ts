import type { In, Posted } from '#core/attempt.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Decision } from '../kinds/kind.ts';
import type { Ready } from '../run.ts';

/** Decision on a document that is not sent, because it has changed since it was read. */
export type StaleDecision = Extract<Decision, { outcome: 'skip' | 'refuse' }>;

/** Outcome of a command that was sent; the attempt is as it was saved last. */
export type Sent =
  | { readonly came: 'answer'; readonly attempt: In<'posting'>; readonly answer: Posted; readonly call: string }
  | { readonly came: 'failure'; readonly attempt: In<'posting'>; readonly error: ServiceError }
  /** A defect of ours: nothing was sent, or nothing could be saved of it. */
  | { readonly came: 'defect'; readonly error: unknown };

/**
 * Outcome of a command that was ready. `deferred`: it was not sent, and the attempt is as it was. `stale`: it must not
 * be sent any more, because the PSA's document has changed.
 */
export type Outcome =
  | Sent
  | { readonly came: 'deferred' }
  | { readonly came: 'stale'; readonly instead: StaleDecision };

/** A document's place in the batches of its chunk. */
export interface BatchSlot {
  /** Sends the next command together with those of the others; resolves once it is known what came of it. */
  send(ready: Ready): Promise<Outcome>;
  /**
   * Nothing more will be sent.
   *
   * @param isUnsure it is not known whether what was sent was made.
   */
  close(isUnsure: boolean): void;
}
