import type { AttemptBase, In } from '#core/attempt.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import { documentName } from '#core/kinds.ts';
import { withCutTexts } from '#core/planning/cut-texts.ts';
import { doubtfulRate, rateKey, ratesNeeded, withRates } from '#core/planning/currency.ts';
import { lastCommand, type Plan } from '#core/planning/plan.ts';
import { planUpdate } from '#core/planning/plan-update.ts';
import { createNames } from '#core/planning/plan-view.ts';
import { prepaidOf, withRate as rateAt } from '#core/planning/prepaid-shortfall.ts';
import { indexAccounting } from '#core/planning/reference-index.ts';
import type { RecordList } from '#core/planning/update-merge.ts';
import { problem } from '#core/problems.ts';
import { nextReadMonth } from '#core/metered-reads.ts';
import type { Job } from '#core/records/jobs.ts';
import type { Posting, PostingStatus } from '#core/records/postings.ts';
import { isUnreadableRecord, ServiceError, unlessReadsAreBlocked } from '#core/service-error.ts';
import { type CalendarDate, dateIn, daysBetween, type Instant } from '#core/values/dates.ts';
import { isZero } from '#core/values/decimal.ts';
import type { Decision, KindFlow, KnownDocument, Shared } from '../kinds/kind.ts';
import { decideMissing } from '../kinds/missing.ts';
import { prepaidKey, withoutShortfall } from '../prepaid-entries.ts';
import type { Run } from '../run.ts';
import { existAfterAll } from './confirm-gone.ts';
import type { DocumentContext } from './context.ts';
import { claimForNamesakes } from './namesakes.ts';

type Planned = Extract<Decision, { outcome: 'plan' }>;

/** QuickBooks has exchange rates of the last three years [Q85]. */
const rateYears = 3;

const isTooOld = (on: CalendarDate, now: Instant): boolean => daysBetween(on, dateIn(now, 'UTC')) > rateYears * 365;

/** Adds QuickBooks' exchange rate of the day to a plan in a foreign currency; rejects a plan without a rate. */
async function decideRates({ run }: DocumentContext, shared: Shared, decision: Planned): Promise<Decision> {
  const { homeCurrency } = shared.accounting.preferences;
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
  if (!isInAccounting(known.status)) return { posting: null, gone: null };
  if (request.force || known.targetType === null || known.targetId === null) return { posting: known, gone: null };
  if (request.revises !== true && flow.findDifferences !== undefined) {
    const reference = { type: known.targetType, id: known.targetId };
    const seen = await unlessReadsAreBlocked(run.readDocument(reference), unread).catch(orUnreadable);
    if (seen === unread || seen instanceof ServiceError) return { posting: known, gone: null };
    // A document that a query does not show is read by its id below, because another one is posted if it is gone.
    if (seen?.isVoided === false)
      return { posting: known.number === null ? { ...known, number: seen.number } : known, gone: null };
  }
  const reading = run.accounting.read(known.targetType, known.targetId);
  // If it cannot be read, assume that the document exists, so that it is not posted twice.
  const found = await (request.revises === true ? reading : unlessReadsAreBlocked(reading, unread)).catch(orUnreadable);
  if (found === unread) return { posting: known, gone: null };
  if (found instanceof ServiceError)
    return { posting: known, gone: null, ...(request.revises === true && { unreadable: found }) };
  if (found !== null && !found.isVoided) {
    // A document posted without a number may have one now.
    const posting = known.number === null ? { ...known, number: found.number } : known;
    if (request.revises !== true || found.syncToken === null) return { posting, gone: null };
    const read = await run.accounting
      .readDocuments([{ type: known.targetType, id: known.targetId }])
      .catch(orUnreadable);
    if (read instanceof ServiceError) return { posting, gone: null, unreadable: read };
    const [document] = read;
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
    await run.context.store.markPosting(known.id, found === null ? 'deleted_in_accounting' : 'voided');
  return { posting: null, gone: known };
}

const unread = Symbol('unread');

/** Returns the error of a document that QuickBooks cannot return. @throws every other error. */
function orUnreadable(error: unknown): ServiceError {
  if (isUnreadableRecord(error)) return error;
  throw error;
}

const isInAccounting = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';
const isGone = (status: PostingStatus): boolean => status === 'deleted_in_accounting' || status === 'voided';

/**
 * Decides about a document from the data that was read. Decides again only if lists have changed, also because a record
 * that was reported as deleted exists.
 */
export async function decide(doc: DocumentContext, attempt: In<'planning'>): Promise<Decision> {
  const decision = await decideOnce(doc, attempt);
  const isDisproved =
    decision.outcome === 'refuse' && (await existAfterAll(doc.run, await doc.shared(), decision.problems));
  return isDisproved ? decideOnce(doc, attempt) : decision;
}

async function decideOnce(doc: DocumentContext, attempt: In<'planning'>): Promise<Decision> {
  const before = doc.decided;
  const decision = await decideByLists(doc, attempt);
  const isNew = doc.decided !== before && decision.outcome === 'plan';
  if (!isNew || !(await claimForNamesakes(doc.run, await doc.shared(), decision.plan))) return decision;
  delete doc.decided;
  return decideByLists(doc, attempt);
}

async function decideByLists(doc: DocumentContext, attempt: In<'planning'>): Promise<Decision> {
  const { run, flow } = doc;
  if (doc.known.unreadable !== undefined) throw doc.known.unreadable;
  const facts = await doc.facts();
  if (facts === undefined) return decideMissing(run, flow, attempt.psaId);
  const shared = await doc.shared();
  if (doc.decided?.accounting === shared.accounting) return doc.decided.decision;
  // An earlier posting may have become several documents.
  const obstacle = attempt.generation > 1 ? ((await flow.findObstacle?.(run, attempt.psaId, attempt)) ?? null) : null;
  if (obstacle !== null) return obstacle;
  const isUpdate = attempt.revises === true && !attempt.force && attempt.kind !== 'void' && attempt.kind !== 'payment';
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
  doc.decided = { accounting: shared.accounting, decision };
  return decision;
}

const withRate = async (doc: DocumentContext, shared: Shared, decision: Decision): Promise<Decision> =>
  decision.outcome === 'plan' ? decideRates(doc, shared, decision) : decision;

/** Keeps the posted rate of a document with prepaid money, which is not revalued. */
async function withPrepaidRate(
  { run, known: { current } }: DocumentContext,
  { accounting, settings: { prepaid_account: accountId } }: Shared,
  { kind, psaId }: In<'planning'>,
  decision: Decision,
): Promise<Decision> {
  const { homeCurrency } = accounting.preferences;
  if (decision.outcome !== 'plan' || accountId === null || current === undefined) return decision;
  const { document } = current;
  const isForeign = document.currency !== null && document.currency !== homeCurrency;
  if (!isForeign || isZero(prepaidOf(document, accountId, accounting))) return decision;
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

/**
 * Decides how to update a document in QuickBooks to match the PSA. Plans it like a new document, by the same rules, and
 * turns the plan into a change. Writes nothing to the PSA if the change is not possible.
 *
 * @param withRate adds the exchange rate to a plan in a foreign currency
 */
async function decideUpdate(
  doc: DocumentContext,
  shared: Shared,
  facts: unknown,
  attempt: AttemptBase,
  withRate: (decision: Decision) => Promise<Decision>,
): Promise<Decision> {
  const { run, flow, known } = doc;
  const { posting, current } = known;
  const name = documentName(attempt.kind, attempt.psaId);
  if (posting === null || current === undefined) {
    const problems = [problem('CANNOT_UPDATE', { name, psa: run.psa.describe.label, because: 'gone' })];
    return { outcome: 'refuse', problems, notes: [], mark: null };
  }
  // The document's own number and its reference in the PSA must not block the new plan.
  const made = flow.decide(run, shared, facts, attempt, { posting: null, gone: posting, current });
  // The rate is part of the comparison.
  const decision = await withRate(made);
  if (decision.outcome === 'refuse') {
    // A document that waits is picked up again automatically, but a change is requested once.
    const isClosed = decision.problems.some(({ code }) => code === 'PERIOD_CLOSED');
    const closed = [problem('CANNOT_UPDATE', { name, psa: run.psa.describe.label, because: 'closed' })];
    return { ...decision, mark: null, ...(isClosed && { problems: closed }) };
  }
  if (decision.outcome !== 'plan') return decision;
  const { plan } = decision;
  const base = { ...current.base, prefers: doc.prefers };
  const update = planUpdate({
    name,
    plan,
    current,
    postedNumber: posting.number,
    base,
    merge: (to) => run.accounting.mergeUpdate(to, base, recordNames(plan, shared.accounting)),
    closedThrough: shared.accounting.preferences.closedThrough,
    psaLabel: run.psa.describe.label,
  });
  return update.outcome === 'plan' ? { ...update, mark: null } : update;
}

/** Returns the names of QuickBooks' records by list and id. */
function recordNames(plan: Plan, accounting: AccountingLists) {
  const names = createNames(plan, accounting);
  const locations = indexAccounting(accounting).locationNames;
  const nameIn: Readonly<Record<RecordList, (id: string) => string | null>> = {
    customer: (id) => names.customer({ id }),
    vendor: (id) => names.vendor({ id }),
    item: (id) => names.item({ id }),
    account: (id) => names.account(id),
    class: (id) => names.className(id),
    location: (id) => locations.get(id) ?? null,
    term: (id) => names.term(id),
    'tax code': (id) => names.tax(id),
  };
  return (list: RecordList, id: string) => nameIn[list](id);
}
