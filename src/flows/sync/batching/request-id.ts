import { createHash } from 'node:crypto';
import type { Attempt, UnderWay } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';

/** A batch allows no longer idempotency key (quickbooks reference 2.3). */
const longest = 36;

/**
 * The idempotency key of the next command of an attempt (domain reference 5.4 point 4).
 *
 * Invariant: it follows from what is saved and from nothing else, so every worker that sends the same saved command
 * sends the same key, and a command with another content never shares one.
 */
export function requestIdOf(tenantId: string, attempt: Attempt & UnderWay): string {
  const index = attempt.posted.length;
  const command = attempt.plan.commands[index];
  assert(command !== undefined, 'a request id is asked for beyond the plan');
  const group = `${attempt.generation}.${attempt.revision}.${index}`;
  return createHash('sha256')
    .update([tenantId, attempt.kind, attempt.psaId, group, textOf(command)].join('|'))
    .digest('hex')
    .slice(0, longest);
}

/** JSON of commands that are asked about again: of the document when it is planned, and of its call when it leaves. */
const texts = new WeakMap<Command, string>();

function textOf(command: Command): string {
  const text = texts.get(command) ?? JSON.stringify(command);
  texts.set(command, text);
  return text;
}

/**
 * The idempotency key of a call that carries several commands.
 *
 * Invariant: it follows from the commands in it and their order alone, by their own keys.
 */
export const batchIdOf = (requestIds: readonly string[]): string =>
  createHash('sha256')
    .update(['batch', ...requestIds].join('|'))
    .digest('hex')
    .slice(0, longest);

/**
 * The idempotency key of the mail of a document: another one for each time that it is asked for, since one is asked for
 * again only after the books have said that nothing went out.
 */
export const mailIdOf = (tenantId: string, { kind, psaId, generation }: Attempt, askedAt: Instant): string =>
  createHash('sha256')
    .update(['mail', tenantId, kind, psaId, generation, askedAt].join('|'))
    .digest('hex')
    .slice(0, longest);
