import type { Attempt } from '#core/attempt.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Ready } from '../run.ts';

/**
 * What one step of a document came to.
 *
 * - `saved`: the attempt stands where this says; `stop` when a service cannot be used at all, which ends the run once
 *   the document has gone as far as it can
 * - `send`: nothing was saved yet; the next command is ready to be sent, and the send is saved before it leaves
 * - `deferred`: the document was kept from going on, and is as it was
 */
export type StepResult = SavedResult | { readonly send: Ready };
export type SavedResult = { readonly saved: Attempt; readonly stop?: ServiceError } | 'deferred';
