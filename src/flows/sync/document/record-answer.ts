import type { Attempt, In, Posted, UnderWay } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import { note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { save } from './save.ts';
import { madeBy, mappingOf, mappingsOfMatches, withMade } from './made-records.ts';
import { type DocumentContext, nextCommand } from './context.ts';
import { appendNotes, type Run } from '../run.ts';

/** Saves the answer to a command; the last one makes the posting. */
export async function recordAnswer(
  run: Run,
  doc: DocumentContext,
  attempt: In<'posting'> | In<'unsure'>,
  command: Command,
  answer: Posted,
  how: string,
): Promise<Attempt> {
  const number = answer.number === null ? '' : `, number ${answer.number}`;
  const underWay = {
    ...attempt,
    notBefore: null,
    batch: null,
    posted: [...attempt.posted, answer],
    transcript: appendNotes(run, attempt, note('debug', `${how} -> ${answer.id}${number}`)),
  };
  const isLast = underWay.posted.length === attempt.plan.commands.length;
  if (isLast) {
    const effects = { recordsPosting: answer, matches: mappingsOfMatches(attempt.plan) };
    return save(run, attempt, { ...underWay, state: 'posted' }, effects);
  }
  const mapping = mappingOf(command, answer);
  const saved = await save(
    run,
    attempt,
    { ...underWay, state: 'posting', sentAt: null },
    mapping === null ? {} : { mappings: [mapping] },
  );
  const shared = await doc.shared();
  shared.books = withMade(shared.books, command, answer);
  // Kept lists learn of it with the next job.
  const record = madeBy(command);
  if (record !== null) await run.context.store.addToInbox([{ record, id: answer.id }], { isWebhook: false });
  return saved;
}

/** Looks in the books for what the command that was sent last would have made. */
export const findSent = (run: Run, attempt: Attempt & UnderWay): Promise<Posted | null> => {
  assert(attempt.sentAt !== null, 'only what was sent is looked for');
  return run.find({ of: attempt, command: nextCommand(attempt), answers: attempt.posted, sentAt: attempt.sentAt });
};
