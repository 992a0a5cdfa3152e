import { createHash } from 'node:crypto';
import type { Attempt, UnderWay } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import { oncePer } from '#core/values/once-per.ts';

/** Maximum length of an idempotency key in a batch (quickbooks reference 2.3). */
const maxLength = 36;

/**
 * Returns the idempotency key of the next command of an attempt (domain reference 5.4 point 4).
 *
 * Invariant: it depends only on saved data, so every worker that sends the same saved command sends the same key.
 * Commands with different content never share a key.
 */
export function requestIdOf(tenantId: string, attempt: Attempt & UnderWay): string {
  const index = attempt.posted.length;
  const command = attempt.plan.commands[index];
  assert(command !== undefined, 'a request id is asked for beyond the plan');
  const group = `${attempt.generation}.${attempt.revision}.${index}`;
  return createHash('sha256')
    .update([tenantId, attempt.kind, attempt.psaId, group, textOf(command)].join('|'))
    .digest('hex')
    .slice(0, maxLength);
}

/** JSON of a command: needed when the document is planned and again when its call is sent. */
const textOf = oncePer((command: Command): string => JSON.stringify(command));

/**
 * Returns the idempotency key of a call with several commands.
 *
 * Invariant: it depends only on the keys of its commands and their order.
 */
export const batchIdOf = (requestIds: readonly string[]): string =>
  createHash('sha256')
    .update(['batch', ...requestIds].join('|'))
    .digest('hex')
    .slice(0, maxLength);

/**
 * Returns the idempotency key of mailing a document. It is different for each request, because a mail is requested
 * again only after QuickBooks showed that none was sent.
 */
export const mailIdOf = (tenantId: string, { kind, psaId, generation }: Attempt, requestedAt: Instant): string =>
  createHash('sha256')
    .update(['mail', tenantId, kind, psaId, generation, requestedAt].join('|'))
    .digest('hex')
    .slice(0, maxLength);
