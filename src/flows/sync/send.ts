import type { Attempt, In } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import { ServiceError } from '#core/service-error.ts';
import { note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import { answered, lookFor } from './answer.ts';
import { serviceProblem, pendingResult, skip, save, writeBackRetrySeconds } from './end.ts';
import { withSuffix } from './learn.ts';
import { effect } from './outside.ts';
import { opened } from './plan-document.ts';
import { refuseSent, writeMark, postpone, refuse } from './refuse.ts';
import { requestIdOf } from './request-id.ts';
import { type Road, nextCommand, nameOf } from './road.ts';
import { told, type Run } from './run.ts';

/** How often one document is decided anew because its record had changed meanwhile. */
const staleTries = 3;

/** Sends the next command of a plan. */
export async function posting(run: Run, road: Road, attempt: In<'posting'>, isDecidedNow: boolean): Promise<Attempt> {
  // Only a worker that died between the send and its answer leaves this: the command may have arrived. How long it went
  // on trying nobody knows, so the wait counts from now: it cannot have sent anything since it lost the tenant.
  if (attempt.sentAt !== null)
    return save(run, attempt, { ...attempt, state: 'unsure', sentAt: run.context.clock.now() });
  // A plan from before a crash or a wait may be about money that has come in meanwhile.
  if (road.flow.needsFresh === true && !isDecidedNow) return decideAnew(run, road, attempt);
  const command = nextCommand(attempt);
  let { transcript } = attempt;
  if (attempt.running !== undefined && attempt.posted.length === 0) {
    const { mark } = attempt.running;
    try {
      await effect(run, 'psa:running', () => writeMark(run, road, attempt.psaId, mark));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return notMarked(run, attempt, error);
    }
    transcript = told(run, attempt, note('debug', `PSA status set to ${mark}`));
  }
  // Invariant: the row says “sent” before the first byte leaves, so a dead worker's send is looked for, never repeated.
  const sent = await save(run, attempt, { ...attempt, transcript, sentAt: run.context.clock.now() });
  assert(sent.state === 'posting', 'a sent attempt is posting');
  const requestId = requestIdOf(run.context.tenantId, sent);
  try {
    const answer = await effect(run, `post:${command.do}`, () => run.accounting.post(command, sent.posted, requestId));
    return await answered(
      run,
      road,
      sent,
      command,
      answer,
      `POST ${nameOf(command)} (request ${requestId.slice(0, 8)}…)`,
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return notPosted(run, road, sent, command, error);
  }
}

/** The PSA does not say that the document runs: nothing is sent before it does, unless it never will. */
async function notMarked(run: Run, attempt: In<'posting'>, error: ServiceError): Promise<Attempt> {
  const transcript = told(run, attempt, note('warn', `${error.about.code} PSA status: ${error.about.detail}`));
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
  if (about.outcome === 'unknown')
    return save(run, attempt, { ...attempt, transcript, state: 'unsure', sentAt: run.context.clock.now() });
  if (about.code === 'QBO_STALE') return decideAnew(run, road, { ...attempt, transcript }, error);
  if (mayBeOurs) {
    const found = await lookFor(run, attempt);
    if (found !== null)
      return answered(run, road, { ...attempt, transcript }, command, found, `Found ${nameOf(command)}`);
    const renamed = about.vendorCode === '6240' ? withSuffix(attempt.plan, attempt.posted.length) : null;
    if (renamed !== null)
      return save(run, attempt, { ...attempt, transcript, plan: renamed, sentAt: null, warnings: renamed.warnings });
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
  const done = await run.accounting.find(command, attempt.posted, attempt.sentAt ?? attempt.startedAt);
  if (done !== null) return answered(run, road, attempt, command, done, `Found ${nameOf(command)} that was made`);
  const tries = attempt.transcript.filter(({ text }) => text.startsWith('QBO_STALE ')).length;
  // Whoever keeps changing it will be done by the next cycle.
  if (error !== undefined && tries >= staleTries) return postpone(run, road, attempt, error);
  const [shared, facts] = await Promise.all([road.shared(), road.facts(true)]);
  assert(facts !== undefined, 'a document that was decided on is still there');
  const decision = road.flow.decide(run, shared, facts, attempt, road.posting);
  switch (decision.outcome) {
    case 'plan': {
      const { plan } = decision;
      const next = { ...attempt, plan, sentAt: null, transcript: told(run, attempt, ...plan.notes) };
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
