import {
  hasEnded,
  type Attempt,
  type AttemptBase,
  type Ended,
  type In,
  type Posted,
  type UnderWay,
} from '#core/attempt.ts';
import { withWarnings } from '#core/planning/messages.ts';
import type { Command, Plan } from '#core/planning/plan.ts';
import type { AdvanceEffects, Job, JobResult, Posting } from '#core/ports/store.ts';
import { problemOfService, type Problem } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import { formatTranscript, note, type TranscriptResult } from '#core/transcript.ts';
import { assert, never } from '#core/values/assert.ts';
import { addSeconds, dateIn } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Decision, KindFlow, WrittenReference } from './kinds/kind.ts';
import { mappingOf, withMade, withSuffix } from './learn.ts';
import { effect } from './outside.ts';
import { requestIdOf } from './request-id.ts';
import { told, type Run, type Shared } from './run.ts';

/**
 * QuickBooks may carry out a request up to 120 s after we gave up on it, so “not found” proves nothing before that,
 * plus a margin (reliability document, finding 3).
 */
const lateApplySeconds = 130;
/** How soon a reference that the PSA did not take is offered to it again. */
const writeBackRetrySeconds = 60;
/** After so many transient failures in a row a person is asked (domain reference 5.2). */
const transientTries = 5;
/** How often one document is decided anew because its record had changed meanwhile. */
const staleTries = 3;

/** One document on its way: what its kind adds, and what was read for it. */
export interface Road {
  readonly flow: KindFlow<unknown>;
  readonly shared: () => Promise<Shared>;
  /** Undefined when the PSA has no such document. `isFresh` asks the services again. */
  readonly facts: (isFresh?: boolean) => Promise<unknown>;
  /** The document that exists in the books for it already, looked at just now. */
  readonly posting: Posting | null;
  /** What the Overview tells of each document that this run has synced, in order; grows with each. */
  readonly handled: JsonObject[];
}

/** Most documents that the Overview's information lists; the count beside them is of all. */
const mostListed = 100;

/** The named fields of the last document; when one run handled several, a count and a list beside them (contract 2). */
function lastInfo(handled: readonly JsonObject[]): JsonObject {
  const last = handled.at(-1) ?? {};
  return handled.length > 1 ? { ...last, count: handled.length, documents: handled.slice(-mostListed) } : last;
}

/**
 * Takes up one document of a job and brings it as far as it will go: gather, plan, post, write back. Every outcome is
 * saved before this returns; recovery after a crash is this same function, called again.
 *
 * @throws ServiceError when a service cannot be used at all: the run stops, the attempt waits or has ended.
 * @throws LeaseLost when another worker has taken over.
 */
export async function runDocument(run: Run, road: Road, job: Job, psaId: number): Promise<JobResult> {
  const { attempt } = await run.context.store.openAttempt(run.lease, {
    jobId: job.id,
    kind: road.flow.kind,
    psaId,
    mode: job.mode,
    force: job.force,
    trigger: job.trigger,
    logLevel: job.logLevel,
    startedAt: run.context.clock.now(),
  });
  return resumeDocument(run, road, attempt);
}

/** Brings an attempt as far as it will go from wherever it stands. */
export async function resumeDocument(run: Run, road: Road, attempt: Attempt): Promise<JobResult> {
  let current = attempt;
  let isDecidedNow = false;
  while (!hasEnded(current) && !isWaiting(run, current)) {
    const before = current;
    current = await step(run, road, before, isDecidedNow);
    isDecidedNow = before.state === 'planning' || (isUnsent(before) && isUnsent(current));
  }
  return resultOf(current);
}

const isUnsent = (attempt: Attempt): boolean => attempt.state === 'posting' && attempt.sentAt === null;

const isWaiting = (run: Run, attempt: Attempt): boolean =>
  attempt.notBefore !== null && attempt.notBefore > run.context.clock.now();

function step(run: Run, road: Road, attempt: Attempt, isDecidedNow: boolean): Promise<Attempt> {
  switch (attempt.state) {
    case 'planning':
      return planning(run, road, attempt);
    case 'posting':
      return posting(run, road, attempt, isDecidedNow);
    case 'unsure':
      return unsure(run, road, attempt);
    case 'posted':
      return posted(run, road, attempt);
    case 'refusing':
      return refusing(run, road, attempt);
    case 'done':
    case 'simulated':
    case 'skipped':
    case 'refused':
    case 'postponed':
      return Promise.resolve(attempt);
    default:
      return never(attempt);
  }
}

async function planning(run: Run, road: Road, attempt: In<'planning'>): Promise<Attempt> {
  const { flow } = road;
  const [shared, facts] = await Promise.all([road.shared(), road.facts()]);
  if (facts === undefined) {
    const missing: Problem = {
      code: 'PSA_DOCUMENT_MISSING',
      treatment: 'person',
      message: `${run.psa.describe.label} has no ${flow.name(attempt.psaId).toLowerCase()} that this connection may read.`,
      remedy: 'Check the id, and that the API user may see it.',
      screen: null,
    };
    return end(run, attempt, 'refused', {
      success: false,
      message: missing.message,
      problems: [missing],
      document: null,
    });
  }
  const decision = flow.decide(run, shared, facts, attempt, road.posting);
  switch (decision.outcome) {
    case 'skip':
      return skip(run, attempt, decision);
    case 'relink':
      return relink(run, road, attempt, decision);
    case 'tell':
      return tell(run, road, attempt, decision);
    case 'refuse':
      return refuse(
        run,
        { ...attempt, transcript: told(run, attempt, ...decision.notes) },
        decision.problems,
        decision.mark,
        decision,
      );
    case 'plan':
      break;
    default:
      return never(decision);
  }
  const { plan, mark, running } = decision;
  const planned = { ...attempt, warnings: plan.warnings, transcript: told(run, attempt, ...plan.notes) };
  const document = run.accounting.preview(lastCommand(plan), []);
  if (attempt.mode === 'test')
    return end(run, planned, 'simulated', {
      success: true,
      message: flow.testMessage(attempt.psaId, plan),
      problems: [],
      document,
    });
  const next: In<'posting'> = {
    ...planned,
    state: 'posting',
    plan,
    mark,
    posted: [],
    sentAt: null,
    ...(running && { running }),
  };
  return save(run, attempt, next, { opensPosting: opened(run, road, facts, next) });
}

/** The ledger's row of a plan, before anything of it is sent: its last command makes the document. */
const opened = (
  run: Run,
  road: Road,
  facts: unknown,
  attempt: In<'posting'>,
): NonNullable<AdvanceEffects['opensPosting']> => {
  const { plan } = attempt;
  const posted = plan.commands.slice(1).map(() => unanswered);
  return {
    requestId: requestIdOf(run.context.tenantId, { ...attempt, posted }),
    body: run.accounting.preview(lastCommand(plan), []),
    psaTotal: road.flow.psaTotal(facts, plan),
  };
};

const skip = (
  run: Run,
  attempt: In<'planning'> | In<'posting'>,
  decision: Extract<Decision, { outcome: 'skip' }>,
): Promise<Attempt> =>
  end(
    run,
    { ...attempt, warnings: decision.warnings ?? [], transcript: told(run, attempt, ...decision.notes) },
    'skipped',
    { success: true, message: decision.message, problems: [], document: decision.document ?? null },
    {
      ...(attempt.state === 'posting' ? { abandonsPosting: true } : {}),
      ...(decision.isRemembered ? { remembers: decision.message } : {}),
      ...(decision.marks ? { marksPosting: decision.marks } : {}),
      ...(decision.payment && { payment: decision.payment }),
    },
  );

/** Stands for answers that are not there yet, where only their number counts. */
const unanswered: Posted = {
  type: '',
  id: '',
  syncToken: null,
  number: null,
  total: null,
  tax: null,
  subtotal: null,
  dueOn: null,
  name: null,
  document: {},
};

async function posting(run: Run, road: Road, attempt: In<'posting'>, isDecidedNow: boolean): Promise<Attempt> {
  // Only a worker that died between the send and its answer leaves this: the command may have arrived.
  if (attempt.sentAt !== null) return save(run, attempt, { ...attempt, state: 'unsure' });
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

/** Saves the answer to a command; the last one makes the posting. */
async function answered(
  run: Run,
  road: Road,
  attempt: In<'posting'> | In<'unsure'>,
  command: Command,
  answer: Posted,
  how: string,
): Promise<Attempt> {
  const number = answer.number === null ? '' : `, number ${answer.number}`;
  const underWay = {
    ...attempt,
    notBefore: null,
    posted: [...attempt.posted, answer],
    transcript: told(run, attempt, note('debug', `${how} -> ${answer.id}${number}`)),
  };
  const isLast = underWay.posted.length === attempt.plan.commands.length;
  if (isLast) return save(run, attempt, { ...underWay, state: 'posted' }, { recordsPosting: answer });
  const mapping = mappingOf(command, answer);
  const saved = await save(
    run,
    attempt,
    { ...underWay, state: 'posting', sentAt: null },
    mapping === null ? {} : { mappings: [mapping] },
  );
  const shared = await road.shared();
  shared.books = withMade(shared.books, command, answer);
  // Kept lists are read anew next time.
  await run.context.store.dropCached('books.reference');
  return saved;
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
  if (about.outcome === 'unknown') return save(run, attempt, { ...attempt, transcript, state: 'unsure' });
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

async function unsure(run: Run, road: Road, attempt: In<'unsure'>): Promise<Attempt> {
  assert(attempt.sentAt !== null, 'an unsure attempt was sent');
  const command = nextCommand(attempt);
  const settledAt = addSeconds(attempt.sentAt, lateApplySeconds);
  let found: Posted | null;
  try {
    found = await lookFor(run, attempt);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const later = addSeconds(run.context.clock.now(), writeBackRetrySeconds);
    return save(run, attempt, { ...attempt, notBefore: later }, pendingResult(run, attempt));
  }
  if (found !== null) return answered(run, road, attempt, command, found, `Found ${nameOf(command)} that was made`);
  if (run.context.clock.now() < settledAt)
    return save(
      run,
      attempt,
      {
        ...attempt,
        notBefore: settledAt,
        transcript: told(run, attempt, note('info', `No answer to ${nameOf(command)}. Looking again at ${settledAt}.`)),
      },
      pendingResult(run, attempt),
    );
  return save(run, attempt, {
    ...attempt,
    state: 'posting',
    sentAt: null,
    notBefore: null,
    transcript: told(
      run,
      attempt,
      note('info', `QuickBooks does not have it after ${lateApplySeconds} s: sending again`),
    ),
  });
}

const lookFor = (run: Run, attempt: Attempt & UnderWay): Promise<Posted | null> => {
  assert(attempt.sentAt !== null, 'only what was sent is looked for');
  return run.accounting.find(nextCommand(attempt), attempt.posted, attempt.sentAt);
};

async function posted(run: Run, road: Road, attempt: In<'posted'>): Promise<Attempt> {
  const { flow } = road;
  const answer = attempt.posted.at(-1);
  assert(answer !== undefined && attempt.sentAt !== null, 'a posted attempt has its answer');
  const reference: WrittenReference = { number: flow.referenceOf(answer), at: attempt.sentAt };
  const checked = flow.verify(run, attempt.plan, answer);
  const told1 = {
    ...attempt,
    warnings: [...attempt.warnings, ...checked.warnings],
    transcript: told(run, attempt, ...checked.notes),
  };
  let finished = told1;
  if (flow.writeBack !== undefined) {
    try {
      await effect(run, 'psa:write', () => writeReference(run, road, attempt.psaId, reference));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return notWritten(run, attempt, flow, reference, error);
    }
    finished = { ...told1, transcript: told(run, told1, note('debug', `PSA reference set to ${reference.number}`)) };
  }
  road.handled.push(flow.info(attempt.psaId, answer));
  const at = run.context.clock.now();
  return end(
    run,
    finished,
    'done',
    {
      success: true,
      message: flow.successMessage(attempt.psaId, attempt.plan, reference),
      problems: [],
      document: flow.shown === undefined ? answer.document : await flow.shown(run, attempt.plan),
    },
    {
      confirmsPosting: true,
      synced: { at, info: lastInfo(road.handled) },
      ...flow.effects?.(attempt.psaId, answer),
    },
  );
}

/** The books have the document but the PSA did not take the reference: only the write is tried again, never the create. */
async function notWritten(
  run: Run,
  attempt: In<'posted'>,
  flow: KindFlow<unknown>,
  reference: WrittenReference,
  error: ServiceError,
): Promise<Attempt> {
  const transcript = told(run, attempt, note('warn', `${error.about.code} PSA reference: ${error.about.detail}`));
  if (error.about.next === 'refuse') {
    const answer = attempt.posted.at(-1);
    const message = `${flow.name(attempt.psaId)} is in QuickBooks as ${reference.number}, but ${run.psa.describe.label} did not take that number.`;
    return end(run, { ...attempt, transcript }, 'refused', {
      success: false,
      message,
      problems: [serviceProblem(run, error)],
      document: answer?.document ?? null,
    });
  }
  const notBefore = addSeconds(run.context.clock.now(), writeBackRetrySeconds);
  const waiting = await save(run, attempt, { ...attempt, transcript, notBefore }, pendingResult(run, attempt));
  if (error.about.next !== 'try_again') throw error;
  return waiting;
}

/** Writes the reference of a document that exists already (domain reference 5.4 point 3). */
async function relink(
  run: Run,
  road: Road,
  attempt: In<'planning'>,
  decision: Extract<Decision, { outcome: 'relink' }>,
): Promise<Attempt> {
  const { number: known, targetId } = decision.posting;
  const number = road.flow.referenceOf({ number: known, id: targetId ?? '' });
  const transcript = told(run, attempt, ...decision.notes, note('info', `Relinked: QuickBooks has it as ${number}`));
  const message = `Relinked: ${road.flow.name(attempt.psaId)} is in QuickBooks as ${number}.`;
  const ended = { success: true, message, problems: [], document: null };
  if (attempt.mode === 'test') return end(run, { ...attempt, transcript }, 'simulated', ended);
  try {
    const reference = { number, at: decision.posting.createdAt };
    await effect(run, 'psa:write', () => writeReference(run, road, attempt.psaId, reference));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const found = serviceProblem(run, error);
    await end(run, { ...attempt, transcript }, 'postponed', {
      success: false,
      message: found.message,
      problems: [found],
      document: null,
    });
    throw error;
  }
  return end(run, { ...attempt, transcript }, 'done', ended, { confirmsPosting: true });
}

/** Tells the PSA what the books say. That it is our word is saved before it is written, so it is known as ours later. */
async function tell(
  run: Run,
  road: Road,
  attempt: In<'planning'>,
  decision: Extract<Decision, { outcome: 'tell' }>,
): Promise<Attempt> {
  const { message, document, change } = decision;
  const told2 = { ...attempt, transcript: told(run, attempt, ...decision.notes) };
  const ended = { success: true, message, problems: [], document };
  if (attempt.mode === 'test') return end(run, told2, 'simulated', ended);
  const noted = await save(run, attempt, told2, { payment: decision.intent });
  assert(noted.state === 'planning', 'an intent moves nothing');
  try {
    await effect(run, 'psa:write', () => {
      assert(road.flow.tell !== undefined, 'a kind that decides to tell something can do so');
      return road.flow.tell(run, attempt.psaId, change);
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const found = serviceProblem(run, error);
    const isRefused = error.about.next === 'refuse';
    const failed = await end(run, noted, isRefused ? 'refused' : 'postponed', {
      success: false,
      message: found.message,
      problems: [found],
      document,
    });
    if (!isRefused) throw error;
    return failed;
  }
  const written = change.paidOn === null ? 'paid date cleared' : `paid date set to ${change.paidOn}`;
  const finished = { ...noted, transcript: told(run, noted, note('debug', `PSA ${written}`)) };
  return end(run, finished, 'done', ended, { payment: decision.payment });
}

function refuse(
  run: Run,
  attempt: In<'planning'> | In<'posting'>,
  problems: readonly Problem[],
  mark: string | null,
  of: Pick<Extract<Decision, { outcome: 'refuse' }>, 'document' | 'payment'> & { readonly remembers?: string } = {},
): Promise<Attempt> {
  const transcript = told(
    run,
    attempt,
    ...problems.flatMap((one) => [
      note('error', `${one.code} ${one.message}`),
      ...(one.remedy === null ? [] : [note('info', `What to do: ${one.remedy}`)]),
    ]),
  );
  const abandons: AdvanceEffects = attempt.state === 'posting' ? { abandonsPosting: true } : {};
  const told2 = { ...attempt, transcript };
  // Without a mark in the PSA every cycle finds the document again; what was said of it is said once.
  if (mark === null || attempt.mode !== 'live')
    return end(
      run,
      told2,
      'refused',
      { ...refused(problems), document: of.document ?? null },
      {
        ...abandons,
        remembers: of.remembers ?? refused(problems).message,
        ...(of.payment && { payment: of.payment }),
      },
    );
  return save(run, attempt, { ...base(told2), state: 'refusing', problems, mark, notBefore: null }, abandons);
}

/** A document that runs already is refused: the PSA gets the mark, or what stood there before the run. */
const refuseSent = (run: Run, attempt: In<'posting'>, found: Problem): Promise<Attempt> =>
  refuse(run, attempt, [found], found.treatment === 'person' ? attempt.mark : (attempt.running?.before ?? null), {
    remembers: planned(run, attempt.plan),
  });

/** What is remembered of a decision once it was carried out and the PSA shows no mark of it; null: nothing is. */
export function saidOf(run: Run, decision: Decision): string | null {
  switch (decision.outcome) {
    case 'skip':
      return decision.message;
    case 'refuse':
      return refused(decision.problems).message;
    case 'plan':
      return planned(run, decision.plan);
    default:
      return null;
  }
}

/** What the books refused is not sent again as it was on the same day. */
const planned = (run: Run, plan: Plan): string =>
  `${dateIn(run.context.clock.now(), run.tenant.timeZone)} ${JSON.stringify(plan.commands)}`;

const refused = (problems: readonly Problem[]): Ended => ({
  success: false,
  message: problems.map((one) => one.message).join(' '),
  problems,
  document: null,
});

async function refusing(run: Run, road: Road, attempt: In<'refusing'>): Promise<Attempt> {
  try {
    await effect(run, 'psa:mark', () => writeMark(run, road, attempt.psaId, attempt.mark));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The failure itself is what counts: it is logged although the PSA could not be marked.
    const transcript = told(
      run,
      attempt,
      note('warn', `${error.about.code} PSA status not set: ${error.about.detail}`),
    );
    return end(run, { ...attempt, transcript }, 'refused', refused(attempt.problems));
  }
  const transcript = told(
    run,
    attempt,
    note('debug', `PSA status ${attempt.mark === '' ? 'cleared' : `set to ${attempt.mark}`}`),
  );
  return end(run, { ...attempt, transcript }, 'refused', refused(attempt.problems));
}

function writeReference(run: Run, { flow }: Road, psaId: number, reference: WrittenReference): Promise<void> {
  assert(flow.writeBack !== undefined, 'only a kind whose documents carry a reference tells one');
  return flow.writeBack(run, psaId, reference);
}

function writeMark(run: Run, { flow }: Road, psaId: number, mark: string): Promise<void> {
  assert(flow.writeMark !== undefined, 'a kind that decides on a mark can write it');
  return flow.writeMark(run, psaId, mark);
}

/** Nothing was made and nothing has to be mended here: the next cycle tries again, up to a point. */
async function postpone(run: Run, road: Road, attempt: In<'posting'>, error: ServiceError): Promise<Attempt> {
  const found = serviceProblem(run, error);
  const before = await run.context.store.countPostponed(attempt.kind, attempt.psaId);
  const { mark } = attempt;
  if (mark !== null && found.treatment === 'transient' && before + 1 >= transientTries)
    return refusing(
      run,
      road,
      await save(
        run,
        attempt,
        {
          ...base(attempt),
          state: 'refusing',
          problems: [{ ...found, treatment: 'person' }],
          mark,
        },
        { abandonsPosting: true },
      ).then((saved) => {
        assert(saved.state === 'refusing', 'a refusal was saved');
        return saved;
      }),
    );
  return end(
    run,
    await withoutRunningMark(run, road, attempt),
    'postponed',
    { success: false, message: found.message, problems: [found], document: null },
    { abandonsPosting: true },
  );
}

/**
 * Gives the PSA's field back what stood there before the run. Done before the attempt ends: a worker that dies in
 * between finds it unfinished. A word that stays because the PSA does not answer is cleared by the next run.
 */
async function withoutRunningMark(run: Run, road: Road, attempt: In<'posting'>): Promise<In<'posting'>> {
  if (attempt.running === undefined) return attempt;
  const { before } = attempt.running;
  try {
    await effect(run, 'psa:mark', () => writeMark(run, road, attempt.psaId, before));
    return attempt;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, detail } = error.about;
    return { ...attempt, transcript: told(run, attempt, note('warn', `${code} PSA status not cleared: ${detail}`)) };
  }
}

const base = ({
  id,
  jobId,
  kind,
  psaId,
  mode,
  force,
  trigger,
  logLevel,
  generation,
  revision,
  startedAt,
  transcript,
  warnings,
  notBefore,
}: AttemptBase): AttemptBase => ({
  id,
  jobId,
  kind,
  psaId,
  mode,
  force,
  trigger,
  logLevel,
  generation,
  revision,
  startedAt,
  transcript,
  warnings,
  notBefore,
});

type EndedState = 'done' | 'simulated' | 'skipped' | 'refused' | 'postponed';

/** What a failed call means for the document, in the words of the catalogue. */
const serviceProblem = (run: Run, error: ServiceError): Problem =>
  problemOfService(error.about, run.psa.describe.label);

const resultWords: Readonly<Record<EndedState, TranscriptResult['outcome']>> = {
  done: 'OK',
  simulated: 'OK (test)',
  skipped: 'SKIPPED',
  refused: 'FAILED',
  postponed: 'FAILED',
};

/** Ends an attempt: its state, its log row, its ledger row and the job's result are one commit. */
function end(
  run: Run,
  attempt: Attempt,
  state: EndedState,
  ended: Ended,
  effects: AdvanceEffects = {},
): Promise<Attempt> {
  const at = run.context.clock.now();
  const message = withWarnings(ended.message, attempt.warnings.length);
  const warned = told(run, attempt, ...attempt.warnings.map((one) => note('warn', `${one.code} ${one.message}`)));
  const outcome = ended.problems.some((one) => one.treatment === 'held') ? 'HELD' : resultWords[state];
  const to: Attempt = { ...base({ ...attempt, transcript: warned, notBefore: null }), state, ...ended, message };
  return save(run, attempt, to, {
    ...effects,
    log: { at, transcript: formatTranscript(warned, attempt.logLevel, { at, outcome, text: message }) },
    result: resultOf(to),
  });
}

async function save(run: Run, from: Attempt, to: Attempt, effects?: AdvanceEffects): Promise<Attempt> {
  const name = `commit:${to.state}`;
  run.context.effect(name, 'before');
  const saved = await run.context.store.advance(run.lease, from, to, effects);
  run.context.effect(name, 'after');
  return saved;
}

const pendingResult = (run: Run, attempt: Attempt): AdvanceEffects => ({
  result: {
    psaId: attempt.psaId,
    outcome: 'pending',
    message: `Waiting until it is certain what ${run.accounting.describe.shortLabel} did.`,
    logKey: null,
  },
});

function resultOf(attempt: Attempt): JobResult {
  if (!hasEnded(attempt))
    return { psaId: attempt.psaId, outcome: 'pending', message: 'Not settled yet.', logKey: null };
  const outcome = attempt.state === 'skipped' ? 'skipped' : attempt.success ? 'succeeded' : 'failed';
  return { psaId: attempt.psaId, outcome, message: attempt.message, logKey: null };
}

function nextCommand(attempt: Attempt & UnderWay): Command {
  const command = attempt.plan.commands[attempt.posted.length];
  assert(command !== undefined, 'a plan has a command for every send');
  return command;
}

function lastCommand(plan: Plan): Command {
  const command = plan.commands.at(-1);
  assert(command !== undefined, 'a plan makes at least one document');
  return command;
}

const nameOf = (command: Command): string => command.do.replace('create_', '').replaceAll('_', ' ');
