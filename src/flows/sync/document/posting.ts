import { nextCommand, type Attempt, type In, type Posted } from '#core/attempt.ts';
import { documentName } from '#core/kinds.ts';
import { wouldLackNumber } from '#core/planning/document-fields.ts';
import { lastCommand, nameOf } from '#core/planning/plan.ts';
import { inParallel } from '#core/in-parallel.ts';
import { problem, type Problem } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note, type Note } from '#core/transcript.ts';
import { assert, never } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import { needsFresh, type StaleDecision } from '../kinds/kind.ts';
import { decideMissing } from '../kinds/missing.ts';
import type { Ready, Settled, StepResult, Transition } from '../run.ts';
import { differencesOf, findAdoptable } from './find-adoptable.ts';
import { awaitApproval } from './awaiting-approval.ts';
import type { DocumentContext } from './context.ts';
import { currentPosting, decide } from './decide.ts';
import { postpone, refuse, refuseSent, skip } from './outcomes.ts';
import { findSent, recordAnswer, recordFound } from './record-answer.ts';
import { base, openedPosting, pendingResult, psaRetrySeconds } from './save.ts';
import { belongsToAnother, withoutEmail, withSuffix } from './shared-records.ts';
import { clearRunningMark, psaFailureNote, writeStatusField } from './status-field.ts';

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

/** Maximum times that one document is decided again because its record had changed. */
const staleTries = 3;

/**
 * Prepares the next command of a plan.
 *
 * @param isDecidedNow the plan was made in this run.
 */
export async function posting(
  doc: DocumentContext,
  attempt: In<'posting'>,
  isDecidedNow: boolean,
): Promise<StepResult> {
  const { run } = doc;
  // The worker died between sending and the response, so the command may have arrived. It may have retried for an
  // unknown time, so the wait starts now: it sent nothing after it lost the lease.
  if (attempt.sentAt !== null)
    return { from: attempt, to: { ...attempt, state: 'unsure', sentAt: run.context.clock.now() } };
  // A plan from before a crash or a wait may predate a received payment.
  if (needsFresh(doc.flow) && !isDecidedNow) return decideAgain(doc, attempt);
  // Custom transaction numbers may have been turned on since an earlier run planned it.
  const { preferences } = (await doc.shared()).accounting;
  if (!isDecidedNow && wouldLackNumber(lastCommand(attempt.plan), preferences)) return dropPlan(attempt, []);
  const known = await findAdoptable(doc, attempt);
  if (known !== null) return adopt(doc, attempt, known);
  if (attempt.running === undefined || attempt.posted.length > 0) return { send: { from: attempt, to: attempt } };
  const { mark } = attempt.running;
  try {
    await writeStatusField(doc, attempt.psaId, 'psa:running', mark);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return notMarked(doc, attempt, error);
  }
  const notes = [note('debug', `${statusFieldOf(attempt.kind)} set to ${mark}`)];
  return { send: { from: attempt, to: attempt, notes } };
}

/**
 * Adds an existing QuickBooks document to the ledger instead of creating it again. One that differs becomes a problem.
 *
 * @param attempt as saved, with its ledger row open and nothing sent.
 */
async function adopt(doc: DocumentContext, attempt: In<'posting'>, found: Posted): Promise<Settled> {
  const problems = await differencesOf(doc, attempt, found);
  if (problems.length > 0) return refuse(attempt, { problems, mark: attempt.mark, notes: [] });
  const notes = [
    note('info', 'QuickBooks already has this document, and our records did not: it is linked, not created again'),
  ];
  const how = `Found ${nameOf(nextCommand(attempt))} by its origin`;
  return recordFound(doc, attempt, found, how, notes, { sentAt: doc.run.context.clock.now(), isAdopted: true });
}

/**
 * Waits, because the status text could not be written to the PSA. Nothing is sent before it is; if the PSA rejects it
 * for good, the document is rejected.
 */
async function notMarked(doc: DocumentContext, attempt: In<'posting'>, error: ServiceError): Promise<StepResult> {
  const { run } = doc;
  const notes = [psaFailureNote(attempt, error)];
  if (error.about.next === 'refuse') return refuseSent(doc, attempt, error, notes);
  const notBefore = addSeconds(run.context.clock.now(), psaRetrySeconds);
  const effects = pendingResult(run, attempt);
  const stop = error.about.next === 'try_again' ? {} : { stop: error };
  return { from: attempt, to: { ...attempt, notBefore }, notes, effects, ...stop };
}

/** Saves the outcome of a command that was ready to send. */
export async function afterSending(doc: DocumentContext, ready: Ready, outcome: Outcome): Promise<Settled> {
  switch (outcome.came) {
    case 'answer': {
      const how = `POST ${nameOf(nextCommand(outcome.attempt))} (${outcome.call})`;
      return recordAnswer(doc, outcome.attempt, outcome.answer, how);
    }
    case 'failure':
      return notPosted(doc, outcome.attempt, outcome.error);
    case 'error':
      throw outcome.error;
    case 'deferred':
      return 'deferred';
    case 'stale':
      return endStale(doc, ready, outcome.instead);
    default:
      return never(outcome);
  }
}

/** Ends a document that changed in the PSA since it was planned, and clears its in-process status there. */
async function endStale(doc: DocumentContext, { from, notes = [] }: Ready, instead: StaleDecision): Promise<Settled> {
  assert(from.state === 'planning' || from.state === 'posting', 'only a command that is about to be sent can be stale');
  const cleared = from.state === 'posting' ? await clearRunningMark(doc, from) : [];
  const allNotes = [...notes, ...cleared];
  return instead.outcome === 'skip'
    ? skip(from, instead, allNotes)
    : refuse(from, { ...instead, notes: [...allNotes, ...instead.notes] });
}

async function notPosted(doc: DocumentContext, attempt: In<'posting'>, error: ServiceError): Promise<Settled> {
  const { run } = doc;
  const { about } = error;
  const name = nameOf(nextCommand(attempt));
  const notes = [note('warn', `${about.code} ${name}: ${about.detail}`)];
  // Counted from now, because a late write arrives at most this long after the call was given up.
  if (about.outcome === 'unknown') {
    const to = { ...attempt, state: 'unsure', sentAt: run.context.clock.now() } as const;
    return { from: attempt, to, notes };
  }
  const isChange = nextCommand(attempt).do === 'update';
  if (about.cause === 'stale' && !isChange) return decideAgain(doc, attempt, { error, notes });
  if (about.cause === 'bad_email') {
    const party = attempt.about?.party ?? 'the customer';
    const plan = withoutEmail(attempt.plan, attempt.posted.length, party, run.psa.describe.label);
    if (plan !== null)
      return { from: attempt, to: { ...attempt, plan, batch: null, sentAt: null, warnings: plan.warnings }, notes };
  }
  if (about.cause === 'duplicate_number' || about.cause === 'duplicate_name' || about.cause === 'stale') {
    // A duplicate number or name may come from our own command whose response was lost.
    const found = await findSent(doc, attempt);
    const isOurs =
      found !== null && !belongsToAnother(await run.context.store.listMappings(), nextCommand(attempt), found.id);
    if (isOurs) return recordFound(doc, attempt, found, `Found ${name}`, notes);
    const renamed = about.cause === 'duplicate_name' ? withSuffix(attempt.plan, attempt.posted.length) : null;
    if (renamed !== null) {
      const to = { ...attempt, plan: renamed, batch: null, sentAt: null, warnings: renamed.warnings };
      return { from: attempt, to, notes };
    }
  }
  if (isChange && about.cause === 'stale') return mergeAgain(doc, attempt, notes);
  if (about.next === 'refuse') return refuseSent(doc, attempt, error, notes);
  return { ...(await postpone(doc, attempt, error, notes)), stop: error };
}

/**
 * Decides again about a document that may have changed since it was read, perhaps by our own command whose response was
 * lost.
 *
 * @param refused the rejection of the stale command, if one was sent, and its notes for the transcript.
 */
async function decideAgain(
  doc: DocumentContext,
  attempt: In<'posting'>,
  refused?: { readonly error: ServiceError; readonly notes: readonly Note[] },
): Promise<Settled> {
  const { run, flow } = doc;
  const notes = refused?.notes ?? [];
  const command = nextCommand(attempt);
  const sentAt = attempt.sentAt ?? attempt.startedAt;
  const done = await run.find({ of: attempt, command, answers: attempt.posted, sentAt });
  if (done !== null) return recordFound(doc, attempt, done, `Found ${nameOf(command)}, which was created`, notes);
  const tries = (attempt.staleTries ?? 0) + (refused === undefined ? 0 : 1);
  // A record that keeps changing waits for the next cycle; other documents are not affected.
  if (refused !== undefined && tries >= staleTries) return postpone(doc, attempt, refused.error, notes);
  const [shared, facts] = await inParallel([doc.shared(), doc.facts(true)]);
  const decision =
    facts === undefined ? decideMissing(run, flow, attempt.psaId) : flow.decide(run, shared, facts, attempt, doc.known);
  switch (decision.outcome) {
    case 'plan': {
      const { plan } = decision;
      const waits = await awaitApproval(doc, attempt, plan, notes);
      if (waits !== null) return waits;
      // The new plan has no part of what was done already, such as money that was applied.
      const to = { ...attempt, plan: { ...plan, notes: [] }, posted: [], batch: null, sentAt: null, staleTries: tries };
      const effects = { opensPosting: openedPosting(doc, facts, to) };
      return { from: attempt, to, notes: [...notes, ...plan.notes], effects };
    }
    case 'skip':
      return skip(attempt, decision, notes);
    case 'refuse':
      return refuse(attempt, { ...decision, notes: [...notes, ...decision.notes] });
    default: {
      // The `planning` state carries out the new decision.
      doc.decided = { accounting: shared.accounting, decision };
      return dropPlan(attempt, notes);
    }
  }
}

/**
 * Reads a document again that was changed in QuickBooks since it was read, and merges the update into it again. After a
 * review or an approval, the update is sent only if it replaces the same.
 */
async function mergeAgain(doc: DocumentContext, attempt: In<'posting'>, notes: readonly Note[]): Promise<Settled> {
  const { run, flow, known } = doc;
  const tries = (attempt.staleTries ?? 0) + 1;
  const gaveUp = (): Settled | Promise<Settled> =>
    refuse(attempt, { problems: [changedMeanwhile(doc, attempt)], mark: null, notes });
  // A resumed attempt has not read the document.
  if (tries >= staleTries || known.current === undefined) return gaveUp();
  doc.known = await currentPosting(run, flow, known.posting, attempt);
  delete doc.decided;
  const decision = await decide(doc, { ...base(attempt), state: 'planning' });
  if (decision.outcome === 'skip') return skip(attempt, decision, notes);
  if (decision.outcome === 'refuse') return refuse(attempt, { ...decision, notes: [...notes, ...decision.notes] });
  if (decision.outcome !== 'plan') return gaveUp();
  const { plan } = decision;
  const waits = await awaitApproval(doc, attempt, plan, notes);
  if (waits !== null) return waits;
  const { warnings } = plan;
  const to = { ...attempt, plan: { ...plan, notes: [] }, warnings, batch: null, sentAt: null, staleTries: tries };
  const effects = { opensPosting: openedPosting(doc, await doc.facts(), to) };
  return { from: attempt, to, notes: [...notes, ...plan.notes], effects };
}

/** Drops a plan that has created no document, so that it is decided again. */
const dropPlan = (attempt: In<'posting'>, notes: readonly Note[]): Transition => ({
  from: attempt,
  to: { ...base(attempt), state: 'planning' },
  notes,
  effects: { abandonsPosting: true },
});

/** Returns the problem of a late change: the document has changed since the user saw it. */
const changedMeanwhile = ({ run }: DocumentContext, { kind, psaId }: Attempt): Problem =>
  problem('CANNOT_UPDATE', { name: documentName(kind, psaId), psa: run.psa.describe.label, because: 'changed' });
