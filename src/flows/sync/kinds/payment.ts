import { isCdcDue } from '#core/documents/accounting-change.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import { agreedReason, unknownPayment, type PaymentChange, type PaymentState } from '#core/documents/payment.ts';
import { asBilled } from '#core/documents/billed-sum.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { SalesState } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import { paymentMessages } from '#core/planning/messages.ts';
import { choiceOf } from '#core/planning/payment-choice.ts';
import {
  describeDocument,
  planPayment,
  type CustomerAccount,
  type OurPayment,
  type PaymentDecision,
  type PaymentFacts,
} from '#core/planning/plan-payment.ts';
import { lastCommand, type Plan } from '#core/planning/plan.ts';
import type { Posting } from '#core/records/postings.ts';
import {
  driftOf,
  unresolvedMarks,
  type BilledDifference,
  type Edit,
  type OtherPosting,
  type OtherRole,
} from '#core/reconciliation/drift.ts';
import { fingerprintOf } from '#core/reconciliation/fingerprint.ts';
import { lineChanges } from '#core/reconciliation/line-changes.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note, type Note } from '#core/transcript.ts';
import { addDays, addSeconds, dateIn, type CalendarDate } from '#core/values/dates.ts';
import { compare, equals, isPositive, isZero, round2, sum, zero, type Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { psaNames } from '#core/ports/psa.ts';
import { isLinked } from '../../connections/cached-lists.ts';
import { reasonOf, suppressionOfProblems } from '../suppression.ts';
import { syncCdc } from '../sync-cdc.ts';
import { convertedInvoices } from './converted-invoices.ts';
import { readAccounts } from './customer-account.ts';
import type { KindFlow, Searcher } from './kind.ts';
import { referencesOf } from './current-differences.ts';
import { readEdits } from './edits.ts';

/** Facts about the payment of one invoice, in addition to those that a job shares. */
export interface PaymentRead {
  readonly invoice: InvoiceHead;
  readonly link: PaymentFacts['link'];
  /** The ledger row of the invoice. */
  readonly posting: Posting;
  readonly document: SalesState | null;
  /** Documents that bill its differences and are not voided, oldest first. */
  readonly differences: readonly BilledDifference[];
  readonly isConverted: boolean;
  /** Changes to it in QuickBooks since it was posted. */
  readonly edits: readonly Edit[];
  readonly appliedOn: readonly CalendarDate[];
  readonly isCredited: boolean;
  readonly unapplied: Decimal;
  readonly state: PaymentState;
  readonly isPaidByUs: boolean;
  /** Other documents that we posted for the invoice, as they are now. */
  readonly others: readonly OtherPosting[];
  /** The newest payment that we posted was deleted or voided in QuickBooks. */
  readonly isPaymentGone: boolean;
  /** The payment that we posted, while its invoice is open; otherwise null. */
  readonly ourPayment: OurPayment | null;
  /** Money of the customer that is not applied; absent if no payment can be due. */
  readonly account?: CustomerAccount;
  /** Records were lost in a restore, and not all paid dates were checked since. */
  readonly isAfterGap: boolean;
  /** Lines that have changed in the PSA since the invoice was posted, one sentence each. */
  readonly changedLines: readonly string[];
}

/**
 * Payments in both directions, per invoice that we posted, by the rules of domain reference 8. Open amounts may change
 * at any moment, so they are read right before each decision.
 */
export const paymentFlow: KindFlow<PaymentRead> = {
  kind: 'payment',

  invoiceSearch: (run, settings, { startOn }) =>
    settings.pay_direction === 'qbo_to_psa' ? null : { voided: false, paidFrom: paidFromOf(run, settings, startOn) },

  async findCandidates(run, settings, { startOn, gap: noted }, heads) {
    const { store } = run.context;
    // Paid dates may have been lost together with documents, so the search for those comes first.
    if (!(await syncCdc(run))) return { ids: [], isSettled: false };
    const open = await openPayments(run, settings, startOn, heads);
    const { ids } = open;
    const gap = heads === null ? null : noted;
    if (ids.length === 0) {
      if (gap !== null) await store.settleGap(gap);
      return { ids, isSettled: !open.isWaiting };
    }
    const [read, suppressions] = await inParallel([gather(run, settings, ids), store.listSuppressions('payment', ids)]);
    const reads = await withAccounts(run, read, (one) => judge(run, settings, null, one, startOn).outcome === 'plan');
    await noteDrift(run, reads, settings.tax_hold_over);
    const found: number[] = [];
    const rested: PaymentState[] = [];
    const held: PaymentChange[] = [];
    for (const [psaId, read] of reads) {
      const decision = judge(run, settings, null, read, startOn);
      const suppression = suppressions.get(psaId);
      // A problem that was already logged counts as settled until something changes again. Its end is logged once.
      const isSuppressed =
        decision.outcome === 'rest'
          ? suppression === undefined || reasonOf(suppression) === agreedReason
          : decision.outcome === 'refuse' && suppression === suppressionOfProblems(decision.problems);
      if (isSuppressed) rested.push(decision.state);
      else found.push(psaId);
      const { heldOn } = decision.state;
      if (decision.outcome === 'refuse' && heldOn !== null) held.push({ psaId, heldOn });
    }
    await store.savePaymentStates([...rested, ...held]);
    // Dates that may be ours have been saved as such, so the gap is settled even if the job does not finish.
    if (gap !== null) await store.settleGap(gap);
    return {
      ids: found.sort((a, b) => a - b),
      // Open money of a customer may go away at any time, so a document that waits for it is read again.
      isSettled: !open.isWaiting && rested.every(({ seen }) => seen === null),
    };
  },

  async gather(run, settings, psaIds) {
    const reads = await withAccounts(run, await gather(run, settings, psaIds), mayBePaid);
    // A sync of chosen invoices does not search, so their differences are recorded here.
    await noteDrift(run, reads, settings.tax_hold_over);
    return withChangedLines(run, reads);
  },

  decide(run, shared, read, request, { posting }) {
    const { settings, accounting } = shared;
    const isPaidByUs = read.isPaidByUs && posting !== null;
    const decision = judge(run, settings, accounting.preferences, { ...read, isPaidByUs }, settings.sync_start_date, {
      isConfirmed: request.trigger === 'manual',
      isDecided: request.revises === true || request.force,
      choice: choiceOf(request),
    });
    const document = read.document?.document ?? null;
    const { state } = decision;
    switch (decision.outcome) {
      case 'rest':
        return {
          outcome: 'skip',
          reason: agreedReason,
          message: decision.why ?? paymentMessages.nothing,
          // Replaces a problem that was logged before, which is logged again if it returns.
          isLoggedOnce: true,
          notes: [],
          document,
          payment: state,
        };
      case 'tell': {
        const { paidOn, message, notes } = decision;
        // Until the PSA is updated, the paid date counts as ours and the change as due.
        const intent = { psaId: state.psaId, isDue: true, ...(paidOn === null ? {} : { writtenOn: paidOn }) };
        return { outcome: 'update_psa', change: { paidOn }, message, notes, document, intent, payment: state };
      }
      case 'plan':
        return { outcome: 'plan', plan: decision.plan, mark: null };
      default:
        return { ...decision, notes: [...decision.notes, ...notesOf(read)], mark: null, document, payment: state };
    }
  },

  // Shows the payment's amount if one is posted, otherwise the invoice's.
  describe(_shared, read, plan) {
    const command = plan?.commands.at(-1);
    const document = describeDocument(read);
    return command?.do === 'create_payment' || command?.do === 'apply_payment'
      ? { ...document, amount: plan?.expected.subtotal ?? null }
      : document;
  },

  // The invoice no longer exists in QuickBooks.
  whenMissing: {
    outcome: 'skip',
    reason: 'gone_from_accounting',
    message: paymentMessages.gone,
    isLoggedOnce: false,
    notes: [],
  },
  psaTotal: () => null,

  // Keeps the date that a user set, to detect when it is removed.
  afterPosting: async (run, psaId, plan) => ({
    effects: { payment: { psaId, balance: zero, wasPaid: true, heldOn: null, isDue: false } },
    document: await readPaidInvoice(run, plan),
  }),
};

/** Reads the invoice that a payment paid, for the log; null if it cannot be read. */
async function readPaidInvoice(run: Searcher, plan: Plan): Promise<JsonObject | null> {
  const command = lastCommand(plan);
  const id =
    command.do === 'create_payment'
      ? command.payment.invoiceId
      : command.do === 'apply_payment'
        ? command.applied.covers[0]?.id
        : undefined;
  if (id === undefined) return null;
  try {
    const [invoice] = await run.accounting.readSales([{ type: 'Invoice', id }]);
    return invoice?.document ?? null;
  } catch (error) {
    // The payment was posted. Only the log cannot show its invoice.
    if (!(error instanceof ServiceError)) throw error;
    return null;
  }
}

/**
 * Returns our invoices whose payment is not settled: due ones, those that a user marked as paid in the PSA while
 * QuickBooks does not show it, and those that we posted a payment for whose paid date was removed in the PSA. Omits invoices
 * within their grace period or with a paid date in the future, unless QuickBooks reports a change.
 */
async function openPayments(
  run: Searcher,
  settings: Settings,
  startOn: CalendarDate | null,
  heads: readonly InvoiceHead[] | null,
): Promise<{ readonly ids: readonly number[]; readonly isWaiting: boolean }> {
  const { store, clock } = run.context;
  const { session } = run;
  const isOwed =
    session === null || session.hasDuePayments || session.hasNotifications || isCdcDue(session.cdc, clock.now());
  if (heads === null && !isOwed) return { ids: [], isWaiting: false };
  const { due, watched, reported } = await store.listOpenPayments(paidFromOf(run, settings, startOn));
  if (heads === null) return { ids: due, isWaiting: false };
  const ids = heads.map(({ id }) => id);
  const [postings, states] = await inParallel([store.listPostings('invoice', ids), store.listPaymentStates(ids)]);
  const linked = new Set(postings.filter((posting) => isLinked(posting)).map(({ psaId }) => psaId));
  const known = new Map(states.map((state) => [state.psaId, state]));
  const isSettled = ({ id, paidOn }: InvoiceHead): boolean => {
    const state = known.get(id);
    return state !== undefined && (state.writtenOn === paidOn || (state.wasPaid && state.balance === zero));
  };
  const open = heads.filter((head) => linked.has(head.id) && !isSettled(head));
  // A problem of a paid invoice is about its payment or another of its documents.
  const settled = new Set(heads.filter(isSettled).map(({ id }) => id));
  const today = dateIn(clock.now(), run.tenant.timeZone);
  const isInGrace = ({ id, paidOn }: InvoiceHead): boolean => {
    const seen = known.get(id)?.seen ?? null;
    const isWaiting = clock.now() < addSeconds(seen?.at ?? clock.now(), settings.pay_grace_hours * 3_600);
    return seen?.on === paidOn && (isWaiting || paidOn > today);
  };
  const taken = open.filter((head) => !isInGrace(head)).map(({ id }) => id);
  const isWaiting = taken.length < open.length;
  const all = new Set([
    ...due,
    ...taken,
    ...watched.filter((id) => !ids.includes(id)),
    ...reported.filter((id) => settled.has(id)),
  ]);
  return { ids: [...all].sort((a, b) => a - b), isWaiting };
}

/** Records in the ledger how the two sides of an invoice differ, or that they match again. */
async function noteDrift(run: Searcher, reads: ReadonlyMap<number, PaymentRead>, limit: Decimal): Promise<void> {
  const names = psaNames(run.psa);
  const changed = [...reads.values()].flatMap(({ posting, ...facts }) => {
    const found = [...new Set(driftOf({ ...facts, ...names }).map(({ kind }) => kind))];
    const { document, differences } = facts;
    const billed = differences.map((one) => one.document);
    const whole = { ...facts, document: document === null ? null : asBilled(document, billed) };
    const drift = [...found, ...unresolvedMarks(posting.drift, whole, limit)];
    return drift.join() === posting.drift.join() ? [] : [{ id: posting.id, drift }];
  });
  await run.context.store.saveDrift(changed);
}

const paidFromOf = (run: Searcher, settings: Settings, startOn: CalendarDate | null): CalendarDate => {
  const oldest = addDays(dateIn(run.context.clock.now(), run.tenant.timeZone), -settings.inv_max_age_days);
  return startOn !== null && startOn > oldest ? startOn : oldest;
};

/** Returns the present posting of each invoice: its last one, if QuickBooks has the document. */
const linkedOf = (postings: readonly Posting[]) =>
  [...new Map(postings.map((posting) => [posting.psaId, posting])).values()].flatMap((posting) =>
    isLinked(posting) && posting.targetId !== null
      ? [{ ...posting, targetId: posting.targetId, targetType: posting.targetType ?? 'Invoice' }]
      : [],
  );

/** Reads both sides of each invoice that we posted, in as few calls as possible; others have no entry. */
async function gather(
  run: Searcher,
  settings: Settings,
  psaIds: readonly number[],
): Promise<ReadonlyMap<number, PaymentRead>> {
  const { store } = run.context;
  const [postings, payments, billed, voids, states, gap] = await inParallel([
    store.listPostings('invoice', psaIds),
    store.listPostings('payment', psaIds),
    store.listPostings('difference', psaIds),
    store.listPostings('void', psaIds),
    store.listPaymentStates(psaIds),
    store.readGap(),
  ]);
  const linked = linkedOf(postings);
  if (linked.length === 0) return new Map();
  const ids = linked.map(({ psaId }) => psaId);
  const reversals = voids.filter(({ targetType }) => targetType === 'CreditMemo');
  // Nothing is decided about a document that QuickBooks has but cannot return.
  const unreadable = new Set<string>();
  const [invoices, documents] = await inParallel([
    run.psa.findInvoices({ ids }),
    run.accounting.readSales(
      [
        ...linked.map(({ targetType, targetId }) => ({ type: targetType, id: targetId })),
        ...referencesOf(billed),
        ...referencesOf(reversals),
      ],
      ({ type, id }) => unreadable.add(`${type} ${id}`),
    ),
  ]);
  const byId = byIdOf(documents);
  const edits = await editsOf(run, linked, byId);
  const dates = await run.accounting.readDates(
    documents.flatMap(({ applied }) => applied),
    ({ type, id }) => unreadable.add(`${type} ${id}`),
  );
  const heads = new Map(invoices.map((head) => [head.id, head]));
  const known = new Map(states.map((state) => [state.psaId, state]));
  const wholes = withDifferences(linked, billed, byId);
  const converted = await convertedInvoices(run, settings, invoices, wholes);
  const paid = await readPaid(run, { reversals, billed, payments }, wholes, byId, (one) => unreadable.add(one));
  return new Map(
    linked.flatMap((posting): [number, PaymentRead][] => {
      const { psaId, targetType, targetId, number, total, psaTotal } = posting;
      const invoice = heads.get(psaId);
      const read = [posting, ...[...billed, ...reversals].filter((one) => one.psaId === psaId)];
      if (invoice === undefined || read.some((one) => unreadable.has(`${one.targetType} ${one.targetId}`))) return [];
      const document = byId.get(`${targetType} ${targetId}`) ?? null;
      const { differences = [], whole } = wholes.get(psaId) ?? {};
      const own = payments.flatMap((one) => (one.psaId === psaId ? [{ type: 'Payment', id: one.targetId }] : []));
      if ([...own, ...(whole?.applied ?? [])].some(({ type, id }) => unreadable.has(`${type} ${id}`))) return [];
      const applied = (whole?.applied ?? []).flatMap((one) =>
        dates.filter(({ type, id }) => type === one.type && id === one.id),
      );
      const facts = {
        invoice,
        link: { id: targetId, number, total, psaTotal },
        posting,
        document,
        differences,
        isConverted: converted.has(psaId),
        appliedOn: applied.map(({ datedOn }) => datedOn),
        isCredited: applied.length > 0 && applied.every(({ isCredit }) => isCredit),
        unapplied: sum(applied.map((one) => one.unapplied)),
        state: known.get(psaId) ?? unknownPayment(psaId),
        ...paid(psaId),
        edits: edits.get(psaId) ?? [],
      };
      return [[psaId, { ...facts, isAfterGap: gap !== null, changedLines: [] }]];
    }),
  );
}

/** Returns the changes of posted documents in QuickBooks, by invoice. */
function editsOf(
  run: Searcher,
  linked: readonly { readonly psaId: number; readonly targetType: string; readonly targetId: string }[],
  byId: ReadonlyMap<string, SalesState>,
): ReturnType<typeof readEdits> {
  return readEdits(
    run,
    'invoice',
    linked.flatMap(({ psaId, targetType: type, targetId: id }) => {
      const document = byId.get(`${type} ${id}`);
      if (document === undefined || document.isVoided) return [];
      const fingerprint = run.accounting.fingerprintOfBody(type, document.document);
      return [{ psaId, type, id, party: document.customer, fingerprint }];
    }),
  );
}

/**
 * Reads the payments that we posted, and compares all other documents that we posted for the invoices.
 *
 * @param onUnreadable receives the type and id of each payment that QuickBooks cannot return
 * @returns the facts of an invoice
 */
async function readPaid(
  run: Searcher,
  postings: Parameters<typeof otherPostings>[1],
  wholes: ReadonlyMap<number, Whole>,
  byId: ReadonlyMap<string, SalesState>,
  onUnreadable: (name: string) => void,
): Promise<(psaId: number) => Pick<PaymentRead, 'isPaidByUs' | 'ourPayment' | 'others' | 'isPaymentGone'>> {
  const { payments } = postings;
  const made = referencesOf(payments);
  const now =
    made.length === 0 ? [] : await run.accounting.readDocuments(made, ({ type, id }) => onUnreadable(`${type} ${id}`));
  // A difference that was billed later has a separate payment.
  const paidByUs = new Set(payments.flatMap(({ psaId, status }) => (status === 'synced' ? [psaId] : [])));
  const ourPayments = findOurPayments(payments, wholes, now);
  const others = await otherPostings(run, postings, byId, now);
  return (psaId) => ({
    isPaidByUs: paidByUs.has(psaId),
    ourPayment: ourPayments.get(psaId) ?? null,
    others: others.get(psaId) ?? [],
    isPaymentGone: isGone(
      payments.findLast((one) => one.psaId === psaId),
      now,
    ),
  });
}

/** An invoice in QuickBooks with its difference documents, and their combined state. */
interface Whole {
  readonly differences: readonly BilledDifference[];
  readonly whole: SalesState;
}

/** Returns the invoices that QuickBooks has, each with its difference documents. */
function withDifferences(
  linked: readonly { readonly psaId: number; readonly targetType: string; readonly targetId: string }[],
  billed: readonly Posting[],
  documents: ReadonlyMap<string, SalesState>,
): ReadonlyMap<number, Whole> {
  const billedOf = Map.groupBy(billed, ({ psaId }) => psaId);
  return new Map(
    linked.flatMap(({ psaId, targetType, targetId }): [number, Whole][] => {
      const document = documents.get(`${targetType} ${targetId}`);
      if (document === undefined) return [];
      const differences = billedDifferences(billedOf.get(psaId) ?? [], documents);
      const whole = asBilled(
        document,
        differences.map((one) => one.document),
      );
      return [[psaId, { differences, whole }]];
    }),
  );
}

/** Returns documents that bill differences of one invoice and are not voided, oldest first. */
const billedDifferences = (
  postings: readonly Posting[],
  documents: ReadonlyMap<string, SalesState>,
): readonly BilledDifference[] =>
  postings.flatMap(({ status, targetType, targetId, total, psaTotal }) => {
    const document = documents.get(`${targetType} ${targetId}`);
    const isPosted = status === 'synced' || status === 'unconfirmed';
    return !isPosted || document === undefined || document.isVoided ? [] : [{ document, total, psaTotal }];
  });

const byIdOf = (documents: readonly SalesState[]): ReadonlyMap<string, SalesState> =>
  new Map(documents.map((document) => [`${document.type} ${document.id}`, document]));

/** Returns whether a posted payment was deleted or voided in QuickBooks. */
function isGone(posting: Posting | undefined, payments: readonly AccountingDocument[]): boolean {
  if (posting === undefined || posting.status === 'refused' || posting.status === 'sending') return false;
  if (posting.status === 'deleted_in_accounting' || posting.status === 'voided') return true;
  return payments.find(({ id }) => id === posting.targetId)?.isVoided ?? true;
}

/** Returns how much of a payment pays invoices other than this one and its difference documents. */
function paidElsewhere({ covers = [] }: AccountingDocument, { whole, differences }: Whole): Decimal {
  const own = new Set([whole, ...differences.map(({ document }) => document)].map(({ type, id }) => `${type} ${id}`));
  const others = covers.filter(({ type, id }) => type === 'Invoice' && !own.has(`${type} ${id}`));
  return sum(others.map(({ amount }) => amount));
}

/** Returns the payments that we posted for invoices that are open again, by invoice. */
function findOurPayments(
  payments: readonly Posting[],
  invoices: ReadonlyMap<number, Whole>,
  found: readonly AccountingDocument[],
): ReadonlyMap<number, OurPayment> {
  const open = new Map(
    [...invoices].flatMap(([psaId, one]) =>
      !one.whole.isVoided && isPositive(one.whole.balance) ? [[psaId, one] as const] : [],
    ),
  );
  const made = payments.flatMap(({ psaId, status, targetId, total }) =>
    status === 'synced' && targetId !== null && open.has(psaId) ? [{ psaId, id: targetId, was: total }] : [],
  );
  return new Map(
    made.flatMap(({ psaId, id, was }) => {
      const payment = found.find((one) => one.id === id);
      const invoice = open.get(psaId);
      if (payment === undefined || payment.isVoided || invoice === undefined) return [];
      const isApplied = invoice.whole.applied.some((one) => one.type === 'Payment' && one.id === id);
      const { number, total, balance } = payment;
      const elsewhere = paidElsewhere(payment, invoice);
      // A payment that still pays the same amount does not explain an open balance.
      const isLower = was !== null && compare(total, was) < 0;
      if (isApplied && isZero(balance) && !isLower && isZero(elsewhere)) return [];
      return [[psaId, { reference: number ?? id, total, unapplied: balance, isApplied, elsewhere }] as const];
    }),
  );
}

/**
 * Returns the documents that we posted for invoices in addition to their own, as they are in QuickBooks now, by invoice.
 *
 * @param sales sales documents by type and id
 */
async function otherPostings(
  run: Searcher,
  postings: Readonly<Record<'reversals' | 'billed' | 'payments', readonly Posting[]>>,
  sales: ReadonlyMap<string, SalesState>,
  payments: readonly AccountingDocument[],
): Promise<ReadonlyMap<number, readonly OtherPosting[]>> {
  const all: { readonly role: OtherRole; readonly posting: Posting }[] = [
    ...postings.reversals.map((posting) => ({ role: 'reversal', posting }) as const),
    ...postings.billed.map((posting) => ({ role: 'difference', posting }) as const),
    ...postings.payments.map((posting) => ({ role: 'payment', posting }) as const),
  ];
  const found = new Map<number, OtherPosting[]>();
  for (const { role, posting } of all) {
    const [reference] = referencesOf([posting]);
    if (reference === undefined) continue;
    const { psaId, kind, number, total, psaTotal } = posting;
    const { type, id } = reference;
    const sale = sales.get(`${type} ${id}`);
    const payment = payments.find((one) => one.type === type && one.id === id);
    const document = sale ?? payment ?? null;
    const fingerprint =
      sale !== undefined
        ? run.accounting.fingerprintOfBody(type, sale.document)
        : payment !== undefined
          ? fingerprintOf(payment)
          : null;
    const party = sale?.customer ?? payment?.party ?? { id: '', name: null };
    const edits =
      document === null || document.isVoided
        ? []
        : ((await readEdits(run, kind, [{ psaId, type, id, party, fingerprint }])).get(psaId) ?? []);
    const own = { role, link: { id, number, total, psaTotal }, document, edits };
    found.set(psaId, [...(found.get(psaId) ?? []), own]);
  }
  return found;
}

/** Returns whether a payment may be created for the invoice, so that the customer's money must be known. */
const mayBePaid = ({ invoice, document }: PaymentRead): boolean =>
  !invoice.isVoided &&
  invoice.paidOn !== null &&
  document?.type === 'Invoice' &&
  !document.isVoided &&
  isPositive(document.total);

/** Adds the unapplied money of the customers of some invoices. */
async function withAccounts(
  run: Searcher,
  reads: ReadonlyMap<number, PaymentRead>,
  isNeeded: (read: PaymentRead) => boolean,
): Promise<ReadonlyMap<number, PaymentRead>> {
  const needed = [...reads].flatMap(([psaId, read]) =>
    read.document !== null && isNeeded(read)
      ? [{ psaId, companyId: read.invoice.companyId, customer: read.document.customer }]
      : [],
  );
  const accounts = await readAccounts(run, needed);
  return new Map(
    [...reads].map(([psaId, read]) => {
      const account = accounts.get(psaId);
      return [psaId, account === undefined ? read : { ...read, account }];
    }),
  );
}

/**
 * Adds the changed lines of invoices whose total has changed in the PSA. Reads their lines only if they will be logged,
 * which happens once.
 */
async function withChangedLines(
  run: Searcher,
  reads: ReadonlyMap<number, PaymentRead>,
): Promise<ReadonlyMap<number, PaymentRead>> {
  const ids = [...reads.values()].flatMap(({ invoice, link: { psaTotal } }) =>
    psaTotal === null || equals(psaTotal, invoice.total) ? [] : [invoice.id],
  );
  if (ids.length === 0) return reads;
  const [invoices, bodies] = await inParallel([
    run.psa.readInvoices(ids),
    run.context.store.listPostedBodies('invoice', ids),
  ]);
  const lines = new Map(invoices.map((invoice) => [invoice.id, invoice.lines]));
  const posted = new Map(
    bodies.map(({ psaId, targetType, body }) => [
      psaId,
      run.accounting.fingerprintOfBody(targetType ?? 'Invoice', body)?.lines.flatMap(({ amount }) => amount ?? []),
    ]),
  );
  return new Map(
    [...reads].map(([psaId, read]) => {
      const [now, was] = [lines.get(psaId), posted.get(psaId)];
      if (now === undefined || was === undefined) return [psaId, read];
      const named = now.map(({ itemName, description, amount }) => ({
        name: itemName ?? description,
        amount: round2(amount),
      }));
      const changedLines = lineChanges(
        was.filter((amount) => !isZero(amount)),
        named.filter(({ amount }) => !isZero(amount)),
      );
      return [psaId, { ...read, changedLines }];
    }),
  );
}

const notesOf = ({ changedLines }: PaymentRead): readonly Note[] =>
  changedLines.map((sentence) => note('info', `Changed since: ${sentence}`));

const judge = (
  run: Searcher,
  settings: Settings,
  preferences: PaymentFacts['preferences'],
  read: PaymentRead,
  startOn: CalendarDate | null,
  choices: Pick<PaymentFacts, 'isConfirmed' | 'isDecided' | 'choice'> = { isConfirmed: false },
): PaymentDecision =>
  planPayment({
    ...read,
    ...choices,
    settings,
    preferences,
    paidFrom: paidFromOf(run, settings, startOn),
    now: run.context.clock.now(),
    timeZone: run.tenant.timeZone,
    ...psaNames(run.psa),
  });
