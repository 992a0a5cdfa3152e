import { nextCommand, type Attempt, type In, type Posted, type UnderWay } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import { note, type Note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import type { Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { mappingOf, mappingsOfMatches, withCreated, withMade } from './shared-records.ts';

/**
 * Step of an attempt whose command was answered; the answer to the last one makes the posting. A shared record that was
 * made is known to the other documents from here on.
 *
 * @param how where the answer comes from, for the transcript, e.g. `POST invoice (request 1f0c…)`.
 * @param adopted what is kept with an answer to a command that was never sent.
 */
export async function recordAnswer(
  { run, shared }: DocumentContext,
  attempt: In<'posting'> | In<'unsure'>,
  answer: Posted,
  how: string,
  notes: readonly Note[] = [],
  adopted: Partial<Pick<UnderWay, 'sentAt' | 'isAdopted'>> = {},
): Promise<Transition> {
  const command = nextCommand(attempt);
  const number = answer.number === null ? '' : `, number ${answer.number}`;
  const underWay = { ...attempt, ...adopted, notBefore: null, batch: null, posted: [...attempt.posted, answer] };
  const said = [...notes, note('debug', `${how} -> ${answer.id}${number}`)];
  if (underWay.posted.length === attempt.plan.commands.length) {
    const fingerprint = run.accounting.fingerprintOfBody(answer.type, answer.document);
    const effects = { recordsPosting: { ...answer, fingerprint }, matches: mappingsOfMatches(attempt.plan) };
    return { from: attempt, to: { ...underWay, state: 'posted' }, notes: said, effects };
  }
  const facts = await shared();
  facts.books = withMade(facts.books, command, answer, attempt.posted);
  // Kept lists learn of it with the next job.
  const record = sharedRecordOf(command);
  if (record !== null)
    await run.context.store.addToInbox([{ record: record.list, id: answer.id }], { isWebhook: false });
  const mapping = mappingOf(command, answer);
  if (mapping !== null) facts.mappings = withCreated(facts.mappings, mapping);
  const to: Attempt = { ...underWay, state: 'posting', sentAt: null };
  return { from: attempt, to, notes: said, effects: mapping === null ? {} : { mappings: [mapping] } };
}

/**
 * {@link recordAnswer} of what was not answered but found, some time after it was made: a payment of it may have come in
 * meanwhile, and have been read past because the ledger did not know the invoice.
 */
export async function recordFound(...of: Parameters<typeof recordAnswer>): Promise<Transition> {
  const recorded = await recordAnswer(...of);
  const { kind, psaId } = recorded.from;
  return recorded.to.state === 'posted' && kind === 'invoice'
    ? { ...recorded, effects: { ...recorded.effects, payment: { psaId, isDue: true } } }
    : recorded;
}

/** Looks in the books for what the command that was sent last would have made. */
export const findSent = ({ run }: DocumentContext, attempt: Attempt & UnderWay): Promise<Posted | null> => {
  assert(attempt.sentAt !== null, 'only what was sent is looked for');
  return run.find({ of: attempt, command: nextCommand(attempt), answers: attempt.posted, sentAt: attempt.sentAt });
};
