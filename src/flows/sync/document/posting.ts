import type { Attempt, In } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Command } from '#core/planning/plan.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note } from '#core/transcript.ts';
import { assert, never } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import { recordAnswer, findSent } from './record-answer.ts';
import { serviceProblem, pendingResult, skip, save, writeBackRetrySeconds } from './save.ts';
import { withSuffix } from './made-records.ts';
import type { StaleDecision } from '../batching/preflight.ts';
import type { Ready } from '../batching/coordinator.ts';
import { opened } from './planning.ts';
import { refuseSent, writeStatusField, postpone, refuse, withoutRunningMark } from './refuse.ts';
import { type DocumentContext, nextCommand, nameOf } from './context.ts';
import { appendNotes, type Run } from '../run.ts';

/** How often one document is decided anew because its record had changed meanwhile. */
const staleTries = 3;

/**
 * Prepares the next command of a plan.
 *
 * @returns the attempt as it was saved when nothing is to be sent now, or the command that is ready.
 */
export async function posting(
  run: Run,
  doc: DocumentContext,
  attempt: In<'posting'>,
  isDecidedNow: boolean,
): Promise<Attempt | Ready> {
  // Only a worker that died between the send and its answer leaves this: the command may have arrived. How long it went
  // on trying nobody knows, so the wait counts from now: it cannot have sent anything since it lost the tenant.
  if (attempt.sentAt !== null)
    return save(run, attempt, { ...attempt, state: 'unsure', sentAt: run.context.clock.now() });
  // A plan from before a crash or a wait may be about money that has come in meanwhile.
  if (doc.flow.needsFresh === true && !isDecidedNow) return decideAnew(run, doc, attempt);
  if (attempt.running === undefined || attempt.posted.length > 0) return { from: attempt, to: attempt };
  const { mark } = attempt.running;
  try {
    await writeStatusField(run, doc, attempt.psaId, 'psa:running', mark);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return notMarked(run, attempt, error);
  }
  const transcript = appendNotes(run, attempt, note('debug', `${statusFieldOf(attempt.kind)} set to ${mark}`));
  return { from: attempt, to: { ...attempt, transcript } };
}

/**
 * Sends a command together with those of the other documents, and saves what came of it.
 *
 * @returns null when it did not leave: the attempt is as it was.
 * @throws ServiceError when the books cannot be used at all: the attempt waits or has ended.
 */
export async function send(run: Run, doc: DocumentContext, ready: Ready): Promise<Attempt | null> {
  const sent = await doc.slot.send(ready);
  switch (sent.came) {
    case 'answer': {
      const command = nextCommand(sent.attempt);
      return recordAnswer(run, doc, sent.attempt, command, sent.answer, `POST ${nameOf(command)} (${sent.call})`);
    }
    case 'failure':
      return notPosted(run, doc, sent.attempt, nextCommand(sent.attempt), sent.error);
    case 'defect':
      throw sent.error;
    case 'deferred':
      return null;
    case 'stale':
      return stale(run, doc, ready, sent.instead);
    default:
      return never(sent);
  }
}

/** A document that has changed in the PSA is left alone; the word there that it runs is taken away again. */
async function stale(run: Run, doc: DocumentContext, { from, to }: Ready, instead: StaleDecision): Promise<Attempt> {
  const { transcript } = to;
  assert(from.state === 'planning' || from.state === 'posting', 'only a command that is about to be sent can be stale');
  const attempt = from.state === 'posting' ? await withoutRunningMark(run, doc, { ...from, transcript }) : from;
  const noted = { ...attempt, transcript: appendNotes(run, { ...attempt, transcript }, ...instead.notes) };
  return instead.outcome === 'skip'
    ? skip(run, noted, { ...instead, notes: [] })
    : refuse(run, noted, instead.problems, instead.mark, instead);
}

/** The PSA does not say that the document runs: nothing is sent before it does, unless it never will. */
async function notMarked(run: Run, attempt: In<'posting'>, error: ServiceError): Promise<Attempt> {
  const transcript = appendNotes(
    run,
    attempt,
    note('warn', `${error.about.code} ${statusFieldOf(attempt.kind)}: ${error.about.detail}`),
  );
  if (error.about.next === 'refuse') return refuseSent(run, { ...attempt, transcript }, serviceProblem(run, error));
  const notBefore = addSeconds(run.context.clock.now(), writeBackRetrySeconds);
  const waiting = await save(run, attempt, { ...attempt, transcript, notBefore }, pendingResult(run, attempt));
  if (error.about.next !== 'try_again') throw error;
  return waiting;
}

async function notPosted(
  run: Run,
  doc: DocumentContext,
  attempt: In<'posting'>,
  command: Command,
  error: ServiceError,
): Promise<Attempt> {
  const { about } = error;
  const transcript = appendNotes(run, attempt, note('warn', `${about.code} ${nameOf(command)}: ${about.detail}`));
  // A number or a name that is taken may be the echo of our own lost success.
  const mayBeOurs = about.outcome === 'unknown' || about.vendorCode === '6140' || about.vendorCode === '6240';
  // Counted from now: a late write comes at most so long after the call was given up.
  if (about.outcome === 'unknown')
    return save(run, attempt, { ...attempt, transcript, state: 'unsure', sentAt: run.context.clock.now() });
  if (about.code === 'QBO_STALE') return decideAnew(run, doc, { ...attempt, transcript }, error);
  if (mayBeOurs) {
    const found = await findSent(run, attempt);
    if (found !== null)
      return recordAnswer(run, doc, { ...attempt, transcript }, command, found, `Found ${nameOf(command)}`);
    const renamed = about.vendorCode === '6240' ? withSuffix(attempt.plan, attempt.posted.length) : null;
    if (renamed !== null)
      return save(run, attempt, {
        ...attempt,
        transcript,
        plan: renamed,
        batch: null,
        sentAt: null,
        warnings: renamed.warnings,
      });
  }
  if (about.next === 'refuse') return refuseSent(run, { ...attempt, transcript }, serviceProblem(run, error));
  await postpone(run, doc, { ...attempt, transcript }, error);
  throw error;
}

/**
 * Decides once more on a document that may have changed since it was read: perhaps by our own lost success, otherwise
 * what to do may be another thing.
 *
 * @param error the refusal of what was stale, when something was sent.
 */
async function decideAnew(
  run: Run,
  doc: DocumentContext,
  attempt: In<'posting'>,
  error?: ServiceError,
): Promise<Attempt> {
  const command = nextCommand(attempt);
  const sentAt = attempt.sentAt ?? attempt.startedAt;
  const done = await run.find({ of: attempt, command, answers: attempt.posted, sentAt });
  if (done !== null) return recordAnswer(run, doc, attempt, command, done, `Found ${nameOf(command)} that was made`);
  const tries = attempt.transcript.filter(({ text }) => text.startsWith('QBO_STALE ')).length;
  // Whoever keeps changing it will be done by the next cycle.
  if (error !== undefined && tries >= staleTries) return postpone(run, doc, attempt, error);
  const [shared, facts] = await inParallel([doc.shared(), doc.facts(true)]);
  assert(facts !== undefined, 'a document that was decided on is still there');
  const decision = doc.flow.decide(run, shared, facts, attempt, doc.posting);
  switch (decision.outcome) {
    case 'plan': {
      const { plan } = decision;
      const next = {
        ...attempt,
        plan,
        batch: null,
        sentAt: null,
        transcript: appendNotes(run, attempt, ...plan.notes),
      };
      return save(run, attempt, next, { opensPosting: opened(run, doc, facts, next) });
    }
    case 'skip':
      return skip(run, attempt, decision);
    case 'refuse':
      return refuse(
        run,
        { ...attempt, transcript: appendNotes(run, attempt, ...decision.notes) },
        decision.problems,
        decision.mark,
        decision,
      );
    default:
      throw new Error(`Impossible: a command was stale, and now the decision is ${decision.outcome}`);
  }
}
