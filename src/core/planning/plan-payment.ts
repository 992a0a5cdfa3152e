import { asBilled } from '../documents/billed-sum.ts';
import type { InvoiceHead } from '../documents/invoice.ts';
import type { PaymentState } from '../documents/payment.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { BooksPreferences } from '../documents/reference-data.ts';
import { ofDocument, problem, type Problem, type ProblemDocument } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import { driftOf, isGone, type DriftFacts } from '../reconciliation/drift.ts';
import { ofType } from '../reconciliation/signed.ts';
import { addSeconds, dateIn, dayText, type CalendarDate, type Instant } from '../values/dates.ts';
import {
  compare,
  equals,
  format,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  smaller,
  sum,
  zero,
  type Decimal,
} from '../values/decimal.ts';
import { note, type Note } from '../transcript.ts';
import { cut } from '../values/text.ts';
import { nameOfSales, paymentMessages } from './messages.ts';
import type { CoveredDocument, Plan } from './plan.ts';
import { choosePostingDate } from './posting-date.ts';
import { DecisionLog } from './decision-log.ts';

/** Longest payment reference of the books (quickbooks reference 5.5). */
const maxReferenceLength = 21;

/** Facts that decide on the paid state of one invoice that we posted. */
export interface PaymentFacts {
  readonly invoice: Pick<InvoiceHead, 'id' | 'number' | 'total' | 'paidOn' | 'isVoided'>;
  /** The posted document, as both sides had it at that time. */
  readonly link: DriftFacts['link'];
  /** The invoice as the books hold it now; null when it is gone. */
  readonly document: SalesState | null;
  /** Documents that bill its differences and are not voided: they are paid together with it. Absent: none. */
  readonly differences?: NonNullable<DriftFacts['differences']>;
  /** Changes of it in QuickBooks since it was posted, apart from total and number; absent: none are known. */
  readonly edits?: NonNullable<DriftFacts['edits']>;
  /** Days of the payments and credits that are applied to it. */
  readonly appliedOn: readonly CalendarDate[];
  /** All of them are credits: no money came in. Absent: no. */
  readonly isCredited?: boolean;
  /** Part of those payments that stands for no document yet. */
  readonly unapplied: Decimal;
  readonly state: PaymentState;
  /** A payment that we made for it stands in the books. */
  readonly isPaidByUs: boolean;
  /** That payment as QuickBooks has it now; null or absent when it is gone, voided, or nothing is open. */
  readonly ourPayment?: OurPayment | null;
  /** There was a time of which our records know nothing, and the paid dates were not looked through since. */
  readonly isAfterGap: boolean;
  /** A person asks for what is held to be paid. */
  readonly isConfirmed: boolean;
  /** A person decided on Close about this one invoice: its age and the time to wait do not count. */
  readonly isDecided?: boolean;
  readonly settings: Pick<
    Settings,
    'pay_direction' | 'pay_grace_hours' | 'pay_deposit_account' | 'closed_period_policy'
  >;
  /** Null while it is only asked whether anything is to be done: a closed period is then no obstacle. */
  readonly preferences: Pick<BooksPreferences, 'closedThrough'> | null;
  /** The oldest paid date that is followed. */
  readonly paidFrom: CalendarDate;
  readonly now: Instant;
  readonly timeZone: string;
  readonly psaLabel: string;
}

/** A payment that we made, as QuickBooks has it now. */
export interface OurPayment {
  /** Its reference, e.g. `PSA-1042`. */
  readonly reference: string;
  readonly total: Decimal;
  readonly unapplied: Decimal;
  /** Whether it still pays the invoice. */
  readonly isApplied: boolean;
}

/**
 * Decision on the paid state of an invoice; `state` is what is remembered of it afterwards.
 *
 * - `rest`: nothing; `why` says to who asks what keeps it so, where the sides do not agree
 * - `tell`: the PSA gets a paid date, or loses ours
 * - `plan`: the books get a payment
 * - `refuse`: both sides disagree in a way that only a person can settle, or the period is closed
 */
export type PaymentDecision = { readonly state: PaymentState } & (
  | { readonly outcome: 'rest'; readonly why?: string }
  | {
      readonly outcome: 'tell';
      readonly paidOn: CalendarDate | null;
      readonly message: string;
      readonly notes: readonly Note[];
    }
  | { readonly outcome: 'plan'; readonly plan: Plan }
  | { readonly outcome: 'refuse'; readonly problems: readonly Problem[]; readonly notes: readonly Note[] }
);

/**
 * Decides by the invoice alone, never by single payments: one payment over many invoices, many over one, and credits
 * need no rules of their own (domain reference 8). The books go first: what they say about a payment wins.
 *
 * Invariants: no payment is more than what the PSA says was paid; a paid date is written only while the invoice has a total and nothing is open; a paid date that we did
 * not write is never changed; the books get a payment only of what is open, never for what they have shown as paid,
 * and for a date that may be ours, since our records have a gap, only when a person asks.
 */
export function planPayment(facts: PaymentFacts): PaymentDecision {
  const decision = decide(facts);
  return decision.outcome === 'refuse'
    ? { ...decision, problems: ofDocument(decision.problems, describeDocument(facts)) }
    : decision;
}

/** The invoice whose paid state it is, as the books show it. */
export const describeDocument = ({
  invoice,
  document,
  link,
}: Pick<PaymentFacts, 'invoice' | 'document' | 'link'>): ProblemDocument => ({
  what: document === null ? 'Invoice' : nameOfSales(document.type),
  psaId: invoice.id,
  number: document?.number ?? link.number,
  party: document?.customer.name ?? null,
  on: document?.datedOn ?? null,
  amount: signedOf(document, document?.total ?? link.total),
  currency: document?.currency ?? null,
});

/** Total with its sign: that of a credit memo is negative. */
const signedOf = (document: SalesState | null, total: Decimal | null): Decimal | null =>
  total !== null && document?.type === 'CreditMemo' ? negate(total) : total;

function decide(facts: PaymentFacts): PaymentDecision {
  const { invoice, document } = facts;
  const settled = { ...facts.state, isDue: false };
  if (invoice.isVoided) return { outcome: 'rest', state: settled };
  const drift = driftOf(facts);
  const problems = drift.map((one) => one.problem);
  if (document === null || drift.some(isGone))
    return {
      outcome: 'refuse',
      problems,
      notes: [],
      state: { ...settled, balance: document?.balance ?? settled.balance },
    };
  const whole = asBilled(document, differencesOf(facts));
  const decision = whenThere(facts, whole, { ...settled, balance: whole.balance });
  if (drift.length === 0) return decision;
  switch (decision.outcome) {
    case 'rest':
      return { outcome: 'refuse', problems, notes: [], state: decision.state };
    case 'refuse':
      return { ...decision, problems: [...decision.problems, ...problems] };
    default:
      // The paid state is acted on first; then the invoice is looked at once more, and the rest is said.
      return { ...decision, state: { ...decision.state, isDue: true } };
  }
}

const differencesOf = ({ differences = [] }: PaymentFacts): readonly SalesState[] =>
  differences.map(({ document }) => document);

/** @param document the invoice together with its difference documents */
function whenThere(facts: PaymentFacts, document: SalesState, state: PaymentState): PaymentDecision {
  const number = document.number ?? facts.link.number ?? facts.link.id;
  if (!isPositive(document.total)) return { outcome: 'rest', state };
  // A credit memo of a difference may leave the customer more credit than is open.
  return !isPositive(document.balance)
    ? whenPaid(facts, document, number, {
        ...state,
        wasPaid: true,
        heldOn: null,
        // The day that a person set is kept: that it is taken away again is noticed by it.
        seen: facts.isPaidByUs ? state.seen : null,
      })
    : whenOpen(facts, document, number, state);
}

function whenPaid(facts: PaymentFacts, document: SalesState, number: string, state: PaymentState): PaymentDecision {
  const { invoice, appliedOn, settings, psaLabel } = facts;
  if (invoice.paidOn !== null) return { outcome: 'rest', state };
  if (settings.pay_direction === 'psa_to_qbo')
    return { outcome: 'rest', why: paymentMessages.onlyToBooks(nameOfSales(document.type), number, psaLabel), state };
  if (facts.isPaidByUs)
    return {
      outcome: 'refuse',
      problems: [problem('PAID_DATE_CLEARED', { psa: psaLabel, number })],
      notes: [],
      state: { ...state, seen: null },
    };
  const paidOn = [...appliedOn].sort().at(-1) ?? dateIn(document.changedAt, facts.timeZone);
  const what = nameOfSales(document.type);
  const unapplied = unappliedOf(facts);
  const message = messageOfPaid(facts, document, number, paidOn);
  const notes = [
    note('info', `${what} ${number}: total ${format(document.total)}, nothing open`),
    ...(unapplied === null
      ? []
      : [note('warn', `${unapplied} of what was paid is not applied to any invoice: it is the customer's credit`)]),
  ];
  return { outcome: 'tell', paidOn, message, notes, state: { ...state, writtenOn: paidOn } };
}

const unappliedOf = ({ unapplied }: PaymentFacts): string | null => (isPositive(unapplied) ? format(unapplied) : null);

function messageOfPaid(facts: PaymentFacts, { type }: SalesState, number: string, on: CalendarDate): string {
  if (facts.appliedOn.length === 0) return paymentMessages.closed(nameOfSales(type), number, on);
  if (type === 'CreditMemo') return paymentMessages.applied(number, on);
  return facts.isCredited === true
    ? paymentMessages.credited(number, on)
    : paymentMessages.paid(number, on, unappliedOf(facts));
}

function whenOpen(facts: PaymentFacts, document: SalesState, number: string, state: PaymentState): PaymentDecision {
  const { invoice, settings, psaLabel } = facts;
  const { paidOn } = invoice;
  const open = format(document.balance);
  const isOurs = state.writtenOn !== null && (paidOn === null || paidOn === state.writtenOn);
  if (isOurs)
    return {
      outcome: 'tell',
      paidOn: null,
      message: isDifferenceOpen(facts)
        ? paymentMessages.differenceOpen(nameOfSales(document.type), number, open)
        : paymentMessages.reversed(nameOfSales(document.type), number, open),
      notes: [
        note(
          'warn',
          `${nameOfSales(document.type)} ${number} was paid on ${dayText(state.writtenOn)}, and ${open} is open ${isDifferenceOpen(facts) ? 'of its difference' : 'again'}`,
        ),
      ],
      state: { ...state, writtenOn: null, seen: null },
    };
  if (paidOn === null) return { outcome: 'rest', state: { ...state, seen: null, heldOn: null } };
  // Our payment was what the PSA says was paid; what the books charged beyond that stays open and was said.
  if (facts.isPaidByUs && compare(document.balance, minus(document.total, invoice.total)) <= 0)
    return { outcome: 'rest', why: paymentMessages.chargedBeyond(number, open, psaLabel), state };
  // Entering a payment again that exists would count its money twice.
  if (facts.ourPayment !== undefined && facts.ourPayment !== null)
    return { outcome: 'refuse', problems: [paymentMoved(facts.ourPayment, facts, number, open)], notes: [], state };
  if (state.wasPaid && isDifferenceOpen(facts)) {
    // The date may be older than the difference. Another date, or a person, says that the difference was paid.
    const isNewDate = state.heldOn !== null && state.heldOn !== paidOn;
    if (!isNewDate && !(state.heldOn === paidOn && facts.isConfirmed))
      return {
        outcome: 'refuse',
        problems: [problem('DIFFERENCE_OPEN', { psa: psaLabel, number, open, paidOn })],
        notes: [],
        state: { ...state, seen: null, heldOn: paidOn },
      };
  } else if (state.wasPaid)
    return {
      outcome: 'refuse',
      problems: [problem('OPEN_AGAIN', { psa: psaLabel, number, open, paidOn })],
      notes: [],
      state,
    };
  // A credit is applied or paid out by a person: money that goes out is not ours to move.
  if (document.type === 'CreditMemo') return { outcome: 'rest', why: paymentMessages.creditOpen(number, open), state };
  const isDecided = facts.isDecided === true;
  if (settings.pay_direction === 'qbo_to_psa')
    return { outcome: 'rest', why: paymentMessages.onlyToPsa(number, open, paidOn, psaLabel), state };
  if (paidOn < facts.paidFrom && !isDecided)
    return { outcome: 'rest', why: paymentMessages.paidBefore(number, open, paidOn, facts.paidFrom, psaLabel), state };
  const { seen: before } = state;
  const isKnownHeld = state.heldOn === paidOn;
  if (isKnownHeld && facts.isConfirmed && !facts.isAfterGap) return create(facts, document, number, paidOn, state);
  // Our records may have lost that we wrote this date, and that the books have shown the invoice as paid.
  if (isKnownHeld || (facts.isAfterGap && before?.on !== paidOn))
    return {
      outcome: 'refuse',
      problems: [problem('PAID_DATE_UNCONFIRMED', { psa: psaLabel, number, open, paidOn })],
      notes: [],
      state: { ...state, seen: null, heldOn: paidOn },
    };
  // A payment or credit that comes in meanwhile lets the waiting begin anew: a payment portal may be at work.
  const seen =
    before?.on === paidOn && equals(before.balance, document.balance)
      ? before
      : { on: paidOn, at: facts.now, balance: document.balance };
  const waiting = { ...state, seen };
  if (!isDecided && facts.now < addSeconds(seen.at, settings.pay_grace_hours * 3_600))
    return {
      outcome: 'rest',
      why: paymentMessages.waits(number, open, paidOn, settings.pay_grace_hours, psaLabel),
      state: waiting,
    };
  return create(facts, document, number, paidOn, waiting);
}

/** Whether the invoice itself is paid, and only what was billed of its difference is open. */
const isDifferenceOpen = ({ document, differences = [] }: PaymentFacts): boolean =>
  differences.length > 0 && document !== null && isZero(document.balance);

function paymentMoved(
  { reference, total, unapplied, isApplied }: OurPayment,
  { psaLabel }: PaymentFacts,
  number: string,
  open: string,
): Problem {
  const is = isPositive(unapplied) ? 'unapplied' : isApplied ? 'lower' : 'elsewhere';
  const amount = format(is === 'unapplied' ? unapplied : total);
  return problem('PAYMENT_MOVED', { psa: psaLabel, number, open, payment: reference, amount, is });
}

function create(
  facts: PaymentFacts,
  document: SalesState,
  number: string,
  paidOn: CalendarDate,
  state: PaymentState,
): PaymentDecision {
  const { invoice, settings, preferences, psaLabel } = facts;
  const log = new DecisionLog(describeDocument(facts));
  const closed = { closedThrough: preferences?.closedThrough ?? null };
  // Cash is what the PSA says was paid, never what the books would like to see: no more than that is ever applied.
  const paid = minus(invoice.total, minus(document.total, document.balance));
  const payable = payableOf(facts);
  const amount = smaller(paid, sum(payable.map(({ type, balance }) => ofType(type, balance))));
  if (!isPositive(amount)) return { outcome: 'rest', state };
  const left = minus(document.balance, amount);
  if (isPositive(left))
    log.warn(
      problem('PAYMENT_LEAVES_OPEN', {
        psa: psaLabel,
        number,
        paid: format(invoice.total),
        total: format(document.total),
        left: format(left),
      }),
    );
  const covers = payable.length === 1 ? null : coversOf(payable, amount);
  const posting = choosePostingDate(paidOn, { settings, preferences: closed, psaLabel }, log);
  if (log.problems.length > 0) return { outcome: 'refuse', problems: log.problems, notes: log.notes, state };
  const privateNote = [
    `${psaLabel} invoice ${invoice.id} marked paid`,
    // Tells it from an earlier payment of the same day.
    ...(covers === null ? [] : [`covers ${covers.map((one) => one.number ?? one.id).join(', ')}`]),
    ...(posting.note === null ? [] : [posting.note]),
  ];
  return {
    outcome: 'plan',
    state,
    plan: {
      commands: [
        {
          do: 'create_payment',
          payment: {
            customerId: document.customer.id,
            invoiceId: covers?.[0]?.id ?? document.id,
            ...(covers === null ? {} : { covers }),
            amount,
            paidOn: posting.on,
            depositAccountId: settings.pay_deposit_account,
            reference: cut(`PSA-${covers?.[0]?.number ?? number}`, maxReferenceLength),
            privateNote: privateNote.join(' · '),
            currency: document.currency,
          },
        },
      ],
      notes: [
        note(
          'info',
          `${psaLabel} shows invoice ${number} as paid on ${dayText(paidOn)}; ${format(document.balance)} is open`,
        ),
      ],
      warnings: log.warnings,
      expected: { subtotal: amount, tax: zero, dueOn: null },
    },
  };
}

/** The invoice and the documents of its differences that one payment can cover: those of the same customer. */
function payableOf({ document, differences = [] }: PaymentFacts): readonly SalesState[] {
  if (document === null) return [];
  return [document, ...differences.map((one) => one.document)].filter(
    ({ customer }) => customer.id === document.customer.id,
  );
}

/** Applies the amount, and the credit memos of differences, to the open invoices, the oldest first. */
function coversOf(payable: readonly SalesState[], amount: Decimal): readonly CoveredDocument[] {
  const open = payable.filter(({ balance }) => isPositive(balance));
  const credits = open.filter(({ type }) => type === 'CreditMemo');
  let left = plus(amount, sum(credits.map(({ balance }) => balance)));
  const invoices = open.flatMap((one): CoveredDocument[] => {
    const part = smaller(left, one.balance);
    if (one.type === 'CreditMemo' || !isPositive(part)) return [];
    left = minus(left, part);
    return [{ type: one.type, id: one.id, number: one.number, amount: part }];
  });
  return [...invoices, ...credits.map(({ type, id, number, balance }) => ({ type, id, number, amount: balance }))];
}
