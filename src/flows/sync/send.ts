import type { Attempt, In } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Command } from '#core/planning/plan.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note } from '#core/transcript.ts';
import { assert, never } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import { answered, lookFor } from './answer.ts';
import { serviceProblem, pendingResult, skip, save, writeBackRetrySeconds } from './end.ts';
import { withSuffix } from './learn.ts';
import type { Instead } from './last-look.ts';
import type { Ready } from './meeting.ts';
import { opened } from './plan-document.ts';
import { refuseSent, writeWord, postpone, refuse, withoutRunningMark } from './refuse.ts';
import { type Road, nextCommand, nameOf } from './road.ts';
import { told, type Run } from './run.ts';

/** How often one document is decided anew because its record had changed meanwhile. */
const staleTries = 3;

/**
 * Prepares the next command of a plan.
 *
 * @returns the attempt as it was saved when nothing is to be sent now, or the command that is ready.
 */
export async function posting(
  run: Run,
  road: Road,
  attempt: In<'posting'>,
  isDecidedNow: boolean,
): Promise<Attempt | Ready> {
  // Only a worker that died between the send and its answer leaves this: the command may have arrived. How long it went
  // on trying nobody knows, so the wait counts from now: it cannot have sent anything since it lost the tenant.
  if (attempt.sentAt !== null)
    return save(run, attempt, { ...attempt, state: 'unsure', sentAt: run.context.clock.now() });
  // A plan from before a crash or a wait may be about money that has come in meanwhile.
  if (road.flow.needsFresh === true && !isDecidedNow) return decideAnew(run, road, attempt);
  if (attempt.running === undefined || attempt.posted.length > 0) return { from: attempt, to: attempt };
  const { mark } = attempt.running;
  try {
    await writeWord(run, road, attempt.psaId, 'psa:running', mark);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return notMarked(run, attempt, error);
  }
  const transcript = told(run, attempt, note('debug', `${statusFieldOf(attempt.kind)} set to ${mark}`));
  return { from: attempt, to: { ...attempt, transcript } };
}

/**
 * Sends a command together with those of the other documents, and saves what came of it.
 *
 * @returns null when it did not leave: the attempt is as it was.
 * @throws ServiceError when the books cannot be used at all: the attempt waits or has ended.
 */
export async function send(run: Run, road: Road, ready: Ready): Promise<Attempt | null> {
  const sent = await road.seat.send(ready);
  switch (sent.came) {
    case 'answer': {
      const command = nextCommand(sent.attempt);
      return answered(run, road, sent.attempt, command, sent.answer, `POST ${nameOf(command)} (${sent.call})`);
    }
    case 'failure':
      return notPosted(run, road, sent.attempt, nextCommand(sent.attempt), sent.error);
    case 'defect':
      throw sent.error;
    case 'withheld':
      return null;
    case 'overtaken':
      return overtaken(run, road, ready, sent.instead);
    default:
      return never(sent);
  }
}

/** A document that has changed in the PSA is left alone; the word there that it runs is taken away again. */
async function overtaken(run: Run, road: Road, { from, to }: Ready, instead: Instead): Promise<Attempt> {
  const { transcript } = to;
  assert(from.state === 'planning' || from.state === 'posting', 'only what is about to be sent is overtaken');
  const attempt = from.state === 'posting' ? await withoutRunningMark(run, road, { ...from, transcript }) : from;
  const noted = { ...attempt, transcript: told(run, { ...attempt, transcript }, ...instead.notes) };
  return instead.outcome === 'skip'
    ? skip(run, noted, { ...instead, notes: [] })
    : refuse(run, noted, instead.problems, instead.mark, instead);
}

/** The PSA does not say that the document runs: nothing is sent before it does, unless it never will. */
async function notMarked(run: Run, attempt: In<'posting'>, error: ServiceError): Promise<Attempt> {
  const transcript = told(
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
  road: Road,
  attempt: In<'posting'>,
  command: Command,
  error: ServiceError,
): Promise<Attempt> {
  const { about } = error;
  const transcript = told(run, attempt, note('warn', `${about.code} ${nameOf(command)}: ${about.detail}`));
  // A number or a name that is taken may be the echo of our own lost success.
  const mayBeOurs = about.outcome === 'unknown' || about.vendorCode === '6140' || about.vendorCode === '6240';
  // Counted from now: a late write comes at most so long after the call was given up.
  if (about.outcome === 'unknown')
    return save(run, attempt, { ...attempt, transcript, state: 'unsure', sentAt: run.context.clock.now() });
  if (about.code === 'QBO_STALE') return decideAnew(run, road, { ...attempt, transcript }, error);
  if (mayBeOurs) {
    const found = await lookFor(run, attempt);
    if (found !== null)
      return answered(run, road, { ...attempt, transcript }, command, found, `Found ${nameOf(command)}`);
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
  await postpone(run, road, { ...attempt, transcript }, error);
  throw error;
}

/**
 * Decides once more on a document that may have changed since it was read: perhaps by our own lost success, otherwise
 * what to do may be another thing.
 *
 * @param error the refusal of what was stale, when something was sent.
 */
async function decideAnew(run: Run, road: Road, attempt: In<'posting'>, error?: ServiceError): Promise<Attempt> {
  const command = nextCommand(attempt);
  const sentAt = attempt.sentAt ?? attempt.startedAt;
  const done = await run.find({ of: attempt, command, answers: attempt.posted, sentAt });
  if (done !== null) return answered(run, road, attempt, command, done, `Found ${nameOf(command)} that was made`);
  const tries = attempt.transcript.filter(({ text }) => text.startsWith('QBO_STALE ')).length;
  // Whoever keeps changing it will be done by the next cycle.
  if (error !== undefined && tries >= staleTries) return postpone(run, road, attempt, error);
  const [shared, facts] = await inParallel([road.shared(), road.facts(true)]);
  assert(facts !== undefined, 'a document that was decided on is still there');
  const decision = road.flow.decide(run, shared, facts, attempt, road.posting);
  switch (decision.outcome) {
    case 'plan': {
      const { plan } = decision;
      const next = { ...attempt, plan, batch: null, sentAt: null, transcript: told(run, attempt, ...plan.notes) };
      return save(run, attempt, next, { opensPosting: opened(run, road, facts, next) });
    }
    case 'skip':
      return skip(run, attempt, decision);
    case 'refuse':
      return refuse(
        run,
        { ...attempt, transcript: told(run, attempt, ...decision.notes) },
        decision.problems,
        decision.mark,
        decision,
      );
    default:
      throw new Error(`Impossible: a command was stale, and now the decision is ${decision.outcome}`);
  }
}
