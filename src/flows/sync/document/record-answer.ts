import { nextCommand, type Attempt, type In, type Posted, type UnderWay } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import { note, type Note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { cacheCreatedRecord } from '../../connections/cached-lists.ts';
import type { Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { mappingOf, mappingsOfMatches, withCreatedMapping, withCreatedRecord } from './shared-records.ts';

/**
 * Returns the step of an attempt whose command succeeded; the response to the last command is the posting. A new shared
 * record becomes known to the other documents.
 *
 * @param how source of the response for the transcript, for example `POST invoice (request 1f0c…)`.
 * @param adopted stored with the response if the command was never sent.
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
  const allNotes = [...notes, note('debug', `${how} -> ${answer.id}${number}`)];
  if (underWay.posted.length === attempt.plan.commands.length) {
    const fingerprintOf = ({ type, document }: Posted) => run.accounting.fingerprintOfBody(type, document);
    const earlier = attempt.posted.flatMap((one) =>
      one.type === 'Bill'
        ? [{ id: one.id, number: one.number, total: one.total, fingerprint: fingerprintOf(one) }]
        : [],
    );
    const recordsPosting = { ...answer, fingerprint: fingerprintOf(answer), earlier };
    const effects = { recordsPosting, matches: mappingsOfMatches(attempt.plan) };
    return { from: attempt, to: { ...underWay, state: 'posted' }, notes: allNotes, effects };
  }
  const facts = await shared();
  facts.accounting = withCreatedRecord(facts.accounting, command, answer, attempt.posted);
  // The cached lists get the new record with the next job.
  const record = sharedRecordOf(command);
  if (record !== null) {
    const created = { record: record.list, id: answer.id };
    await run.context.store.addToInbox([created], { isNotification: false });
    if (run.accounting.areReadsBlocked) await cacheCreatedRecord(run.context, facts.accounting, created);
  }
  const mapping = mappingOf(command, answer);
  if (mapping !== null) facts.mappings = withCreatedMapping(facts.mappings, mapping);
  const to: Attempt = { ...underWay, state: 'posting', sentAt: null };
  return { from: attempt, to, notes: allNotes, effects: mapping === null ? {} : { mappings: [mapping] } };
}

/**
 * Calls {@link recordAnswer} for a document that was found some time after it was created. A payment for it may have
 * been skipped meanwhile, because the ledger did not have the invoice.
 */
export async function recordFound(...of: Parameters<typeof recordAnswer>): Promise<Transition> {
  const recorded = await recordAnswer(...of);
  const { kind, psaId } = recorded.from;
  return recorded.to.state === 'posted' && kind === 'invoice'
    ? { ...recorded, effects: { ...recorded.effects, payment: { psaId, isDue: true } } }
    : recorded;
}

/** Searches QuickBooks for the result of the command that was sent last. */
export const findSent = ({ run }: DocumentContext, attempt: Attempt & UnderWay): Promise<Posted | null> => {
  assert(attempt.sentAt !== null, 'only what was sent is looked for');
  return run.find({ of: attempt, command: nextCommand(attempt), answers: attempt.posted, sentAt: attempt.sentAt });
};
