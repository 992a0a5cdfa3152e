import type { Attempt, In } from '#core/attempt.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import { documentName } from '#core/kinds.ts';
import { withCutTexts } from '#core/planning/cut-texts.ts';
import { doubtfulRate, rateKey, ratesNeeded, withRates } from '#core/planning/currency.ts';
import { testMessage } from '#core/planning/messages.ts';
import { type Command, lastCommand, type Plan } from '#core/planning/plan.ts';
import { prepaidOf, withRate as rateAt } from '#core/planning/prepaid-shortfall.ts';
import { indexAccounting } from '#core/planning/reference-index.ts';
import { problem, type Problem } from '#core/problems.ts';
import type { Job } from '#core/records/jobs.ts';
import type { Posting, PostingStatus } from '#core/records/postings.ts';
import { nextReadMonth } from '#core/metered-reads.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { referenceOf } from '#core/sync-status.ts';
import { never } from '#core/values/assert.ts';
import { type CalendarDate, dateIn, daysBetween, type Instant } from '#core/values/dates.ts';
import { isZero } from '#core/values/decimal.ts';
import type { Decision, KindFlow, KnownDocument, Shared } from '../kinds/kind.ts';
import { decideMissing } from '../kinds/missing.ts';
import { prepaidKey, withoutShortfall } from '../prepaid-entries.ts';
import type { Run, StepResult } from '../run.ts';
import { awaitApproval } from './awaiting-approval.ts';
import type { DocumentContext } from './context.ts';
import { differencesOf, findAdoptable } from './find-adoptable.ts';
import { openedPosting } from './opened-posting.ts';
import { refuse, skip } from './outcomes.ts';
import { reviewablePreviewOf } from './preview.ts';
import { decideUpdate } from './revision.ts';
import { withSuccessors } from './successors.ts';
import { linkedMessage, relink, updatePsa } from './update-psa.ts';

type Planned = Extract<Decision, { outcome: 'plan' }>;

/** QuickBooks has exchange rates of the last three years [Q85]. */
const rateYears = 3;

const isTooOld = (on: CalendarDate, now: Instant): boolean => daysBetween(on, dateIn(now, 'UTC')) > rateYears * 365;

/** Adds QuickBooks' exchange rate of the day to a plan in a foreign currency; rejects a plan without a rate. */
async function decideRates({ run }: DocumentContext, shared: Shared, decision: Planned): Promise<Decision> {
  const { homeCurrency } = shared.books.preferences;
  const needed = ratesNeeded(decision.plan, homeCurrency);
  const read = await inParallel(
    needed.map(async (day) => ({
      day,
      rate: await unlessReadsAreBlocked(run.accounting.readExchangeRate(day.currency, day.on), 'blocked' as const),
    })),
  );
  const missing = read.find(({ rate }) => rate === null || rate === 'blocked');
  if (missing !== undefined) {
    const { currency, on } = missing.day;
    const isUnknown = missing.rate === null;
    return {
      outcome: 'refuse',
      problems: [
        isUnknown
          ? problem('EXCHANGE_RATE_MISSING', {
              currency,
              on,
              ...(isTooOld(on, run.context.clock.now()) && { isOld: true }),
            })
          : problem('EXCHANGE_RATE_UNREAD', { currency, on, until: nextReadMonth(run.context.clock.now()) }),
      ],
      notes: decision.plan.notes,
      // Without a mark the next search finds the document again.
      mark: isUnknown ? decision.mark : null,
    };
  }
  const rates = new Map(
    read.flatMap(({ day, rate }) => (rate === null || rate === 'blocked' ? [] : [[rateKey(day), rate] as const])),
  );
  const plan: Plan = withRates(decision.plan, rates, homeCurrency);
  const doubtful = doubtfulRate(plan, homeCurrency, shared.settings, run.psa.describe.label);
  return doubtful === null
    ? { ...decision, plan }
    : { outcome: 'refuse', problems: [doubtful], notes: plan.notes, mark: null };
}

/**
 * Returns the newest posting of a document, checked in QuickBooks. If the posting was deleted or voided there, a new
 * document may be posted (domain reference 5.4 point 3). Kinds that only change other documents have no posting to
 * check.
 *
 * @param known the newest posting in the ledger; null if there is none.
 */
export async function currentPosting(
  run: Run,
  flow: KindFlow<unknown>,
  known: Posting | null,
  request: Pick<Job, 'force' | 'revises' | 'mode'>,
): Promise<KnownDocument> {
  if (known === null || flow.changesOnly === true) return { posting: known, gone: null };
  if (isGone(known.status)) return { posting: null, gone: known };
  if (!isInBooks(known.status)) return { posting: null, gone: null };
  if (request.force || known.targetType === null || known.targetId === null) return { posting: known, gone: null };
  const reading = run.accounting.read(known.targetType, known.targetId);
  // While reads are blocked, assume that the document exists, so that it is not posted twice.
  const found = await (request.revises === true ? reading : unlessReadsAreBlocked(reading, unread));
  if (found === unread) return { posting: known, gone: null };
  if (found !== null && !found.isVoided) {
    // A document posted without a number may have one now.
    const posting = known.number === null ? { ...known, number: found.number } : known;
    if (request.revises !== true || found.syncToken === null) return { posting, gone: null };
    const [document] = await run.accounting.readDocuments([{ type: known.targetType, id: known.targetId }]);
    const emailStatus = found.document['EmailStatus'];
    const { kind, psaId, targetId } = known;
    const { store } = run.context;
    const [bodies, answered] = await inParallel([
      store.listPostedBodies(kind, [psaId]),
      store.readAnswer(kind, psaId, found.id),
    ]);
    const posted = bodies.findLast((one) => one.targetId === targetId)?.body ?? null;
    return {
      posting,
      gone: null,
      ...(document !== undefined && {
        current: {
          document,
          syncToken: found.syncToken,
          emailStatus: typeof emailStatus === 'string' ? emailStatus : null,
          base: { found: found.document, posted, answered },
        },
      }),
    };
  }
  if (request.mode === 'live')
    await run.context.store.markPosting(known.id, found === null ? 'deleted_in_books' : 'voided');
  return { posting: null, gone: known };
}

const unread = Symbol('unread');
const isInBooks = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';
const isGone = (status: PostingStatus): boolean => status === 'deleted_in_books' || status === 'voided';

/** Decides what to do about a document, and does everything that sends no command. */
export async function planning(doc: DocumentContext, attempt: In<'planning'>): Promise<StepResult> {
  const decision = await decide(doc, attempt);
  const known = await described(doc, attempt, decision);
  return decision.outcome === 'plan' ? planned(doc, known, decision) : carryOut(doc, known, decision);
}

/** Adds the document's display data to the attempt, once it was read. */
async function described(doc: DocumentContext, attempt: In<'planning'>, decision: Decision): Promise<In<'planning'>> {
  const facts = await doc.facts();
  if (facts === undefined) return attempt;
  const plan = decision.outcome === 'plan' ? decision.plan : null;
  return { ...attempt, about: doc.flow.describe(await doc.shared(), facts, plan) };
}

/** Decides about a document from the data that was read. Decides again only if lists have changed. */
export async function decide(doc: DocumentContext, attempt: In<'planning'>): Promise<Decision> {
  const { run, flow } = doc;
  const facts = await doc.facts();
  if (facts === undefined) return decideMissing(run, flow, attempt.psaId);
  const shared = await doc.shared();
  if (doc.decided?.books === shared.books) return doc.decided.decision;
  // An earlier posting may have become several documents.
  const obstacle = attempt.generation > 1 ? ((await flow.findObstacle?.(run, attempt.psaId, attempt)) ?? null) : null;
  if (obstacle !== null) return obstacle;
  const isUpdate = attempt.revises === true && attempt.kind !== 'void' && attempt.kind !== 'payment';
  const rated = isUpdate
    ? await decideUpdate(doc, shared, facts, attempt, async (made) =>
        withRate(doc, shared, await withPrepaidRate(doc, shared, attempt, made)),
      )
    : await withRate(doc, shared, flow.decide(run, shared, facts, attempt, doc.known));
  const allowed = rated.outcome === 'plan' ? await decidePrepaid(doc, shared, facts, attempt, rated) : rated;
  const decision =
    allowed.outcome === 'plan'
      ? { ...allowed, plan: withCutTexts(allowed.plan, flow.describe(shared, facts, allowed.plan)) }
      : allowed;
  doc.decided = { books: shared.books, decision };
  return decision;
}

const withRate = async (doc: DocumentContext, shared: Shared, decision: Decision): Promise<Decision> =>
  decision.outcome === 'plan' ? decideRates(doc, shared, decision) : decision;

/** Keeps the posted rate of a document with prepaid money, which is not revalued. */
async function withPrepaidRate(
  { run, known: { current } }: DocumentContext,
  { books, settings: { prepaid_account: accountId } }: Shared,
  { kind, psaId }: In<'planning'>,
  decision: Decision,
): Promise<Decision> {
  const { homeCurrency } = books.preferences;
  if (decision.outcome !== 'plan' || accountId === null || current === undefined) return decision;
  const { document } = current;
  const isForeign = document.currency !== null && document.currency !== homeCurrency;
  if (!isForeign || isZero(prepaidOf(document, accountId, books))) return decision;
  const [posted] = (await run.context.store.listPostedBodies(kind, [psaId])).slice(-1);
  const rate = posted?.answered?.exchangeRate ?? document.exchangeRate;
  return { ...decision, plan: rateAt(decision.plan, rate) };
}

/** Refuses a plan that would make the prepaid balance of a customer negative. A void has a separate rule. */
async function decidePrepaid(
  { run, flow, known: { current } }: DocumentContext,
  shared: Shared,
  facts: unknown,
  { kind, psaId }: In<'planning'>,
  decision: Extract<Decision, { outcome: 'plan' }>,
): Promise<Decision> {
  if (kind !== 'invoice' && kind !== 'difference') return decision;
  const posted = lastCommand(decision.plan).do === 'update' ? (current?.document ?? null) : null;
  const isDifference = kind === 'difference';
  return withoutShortfall(run, shared, decision, {
    key: prepaidKey({ kind, psaId }),
    name: documentName(kind, psaId),
    posted,
    number: posted?.number ?? (isDifference ? flow.describe(shared, facts, null).number : null),
    isDifference,
  });
}

/** Carries out a decision that sends nothing to QuickBooks. */
async function carryOut(
  doc: DocumentContext,
  attempt: In<'planning'>,
  decision: Exclude<Decision, { outcome: 'plan' }>,
): Promise<StepResult> {
  const { run, flow } = doc;
  switch (decision.outcome) {
    case 'skip': {
      const problems = decision.reason === 'already_synced' ? await stillMissing(doc, attempt) : [];
      return problems.length > 0 ? refuse(attempt, { problems, mark: null, notes: [] }) : skip(attempt, decision);
    }
    case 'relink': {
      // Links only the same document; a different one becomes a problem for a user.
      const { posting, mark, notes } = decision;
      const problems = (await flow.findDifferences?.(run, await doc.shared(), await doc.facts(), posting)) ?? [];
      return problems.length > 0 ? refuse(attempt, { problems, mark, notes }) : relink(doc, attempt, decision);
    }
    case 'update_psa':
      return updatePsa(doc, attempt, decision);
    case 'refuse': {
      const against = decision.problems.find(({ treatment }) => treatment === 'stops_run');
      // The first such document reports the problem; the others are not started.
      if (against !== undefined && !doc.stopRun(against)) return 'deferred';
      return refuse(attempt, { ...decision, problems: await withSuccessors(doc, decision.problems) });
    }
    default:
      return never(decision);
  }
}

/**
 * Returns problems of a document that only the PSA shows as posted, while QuickBooks does not have it. A document
 * reported as missing stays reported and does not count as synced.
 */
async function stillMissing({ run, flow, known }: DocumentContext, { psaId }: Attempt): Promise<readonly Problem[]> {
  if (known.posting !== null) return [];
  const problems = await run.context.store.readNewestProblems(flow.kind, psaId);
  const number = problems.find(({ code }) => code === 'MISSING_IN_BOOKS')?.document?.number ?? null;
  if (number === null) return [];
  return (await run.accounting.findNumbered([number])).length > 0 ? [] : problems;
}

/** Prepares the first command of a new plan; a test ends here. */
async function planned(
  doc: DocumentContext,
  attempt: In<'planning'>,
  { plan, mark, running }: Extract<Decision, { outcome: 'plan' }>,
): Promise<StepResult> {
  const { notes, warnings } = plan;
  const to: In<'posting'> = {
    ...attempt,
    warnings,
    state: 'posting',
    // The transcript contains the notes from now on.
    plan: { ...plan, notes: [] },
    mark,
    posted: [],
    sentAt: null,
    ...(running && { running }),
  };
  if (attempt.mode === 'test') return simulated(doc, attempt, plan, to);
  const waits = await awaitApproval(doc, attempt, plan);
  if (waits !== null) return waits;
  const effects = { opensPosting: openedPosting(doc, await doc.facts(), to) };
  // Another worker must know the PSA's status text before it is written, and a linked document needs its ledger row
  // first.
  const isSavedFirst = running !== undefined || (await findAdoptable(doc, to)) !== null;
  const ready = { from: attempt, to, effects, notes };
  return isSavedFirst ? ready : { send: ready };
}

/** Ends a test with what a live sync would do. */
async function simulated(
  doc: DocumentContext,
  attempt: In<'planning'>,
  plan: Plan,
  planned: In<'posting'>,
): Promise<StepResult> {
  const { run } = doc;
  const { warnings } = planned;
  const known = await findAdoptable(doc, planned);
  const problems = known === null ? [] : await differencesOf(doc, known);
  if (problems.length > 0) return refuse(attempt, { problems, mark: null, notes: [] });
  const { books } = await doc.shared();
  const ended = {
    success: true,
    message:
      known === null ? testMessage({ ...attempt, plan }) : linkedMessage(attempt, referenceOf(attempt.kind, known)),
    problems: [],
    document: known?.document ?? run.accounting.preview(withShippingAddress(lastCommand(plan), plan, books), []),
  };
  return {
    from: { ...attempt, warnings },
    state: 'simulated',
    ended,
    notes: plan.notes,
    // A document that is only linked again posts nothing.
    ...(known === null && attempt.about !== undefined && { preview: reviewablePreviewOf(plan, books, attempt.about) }),
  };
}

/**
 * Returns the command as a test shows it: QuickBooks uses the customer's shipping address for a sales document without
 * one, so the test shows that, too.
 */
function withShippingAddress(command: Command, plan: Plan, books: AccountingLists): Command {
  if (command.do !== 'create_invoice' && command.do !== 'create_credit_memo') return command;
  const { document } = command;
  if (document.shippingAddress !== null) return command;
  const { customer } = document;
  const created = 'fromCommand' in customer ? plan.commands[customer.fromCommand] : undefined;
  const shippingAddress =
    'fromCommand' in customer
      ? created?.do === 'create_customer'
        ? created.customer.shippingAddress
        : null
      : (indexAccounting(books).customersById.get(customer.id)?.shippingAddress ?? null);
  return { ...command, document: { ...document, shippingAddress } };
}
