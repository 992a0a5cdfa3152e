import { asBilled } from '../documents/billed-sum.ts';
import type { InvoiceHead } from '../documents/invoice.ts';
import type { OpenMoney } from '../documents/open-money.ts';
import type { PaymentState } from '../documents/payment.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { AccountingPreferences } from '../documents/reference-data.ts';
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
import { truncate } from '../values/text.ts';
import type { PsaMenus } from '../ports/psa.ts';
import { nameOfSales, paymentMessages } from './messages.ts';
import { fundingOf, isApplicable, type Funding, type FundingFacts, type PaymentChoice } from './payment-choice.ts';
import { type Command, type CoveredDocument, maxReferenceLength, type Plan } from './plan.ts';
import { choosePostingDate } from './document-fields.ts';
import { DecisionLog } from './decision.ts';

/** Facts that decide on the paid state of one posted invoice. */
export interface PaymentFacts {
  readonly invoice: Pick<InvoiceHead, 'id' | 'number' | 'total' | 'paidOn' | 'isVoided'>;
  /** The posted document, with the values of both sides at that time. */
  readonly link: DriftFacts['link'];
  /** The invoice as it is in QuickBooks now; null: not found. */
  readonly document: SalesState | null;
  /** Documents that bill its differences and are not voided; they are paid together with the invoice. Undefined if there are none. */
  readonly differences?: NonNullable<DriftFacts['differences']>;
  /** See {@link DriftFacts}. Undefined means false. */
  readonly isConverted?: boolean;
  /** See {@link DriftFacts}. */
  readonly others?: NonNullable<DriftFacts['others']>;
  /** Changes in QuickBooks since the invoice was posted, except total and number. Undefined if none are known. */
  readonly edits?: NonNullable<DriftFacts['edits']>;
  /** Dates of the payments and credits that are applied to it. */
  readonly appliedOn: readonly CalendarDate[];
  /** True if all of them are credits, so no money came in. Undefined means false. */
  readonly isCredited?: boolean;
  /** Part of those payments that is not applied to any document. */
  readonly unapplied: Decimal;
  readonly state: PaymentState;
  /** True if QuickBooks has a payment of the invoice that Tallybridge created. */
  readonly isPaidByUs: boolean;
  /** That payment as it is in QuickBooks now; null or absent if it no longer exists, is voided, or nothing is open. */
  readonly ourPayment?: OurPayment | null;
  /** Money of the customer that is not applied to any invoice, and who may pay it. Undefined if there is none. */
  readonly account?: CustomerAccount;
  /** What the user decided about that money; absent or null: nothing yet. */
  readonly choice?: PaymentChoice | null;
  /** The newest payment that Tallybridge created was deleted or voided in QuickBooks. Undefined means false. */
  readonly isPaymentGone?: boolean;
  /** True if records may have been lost in a restore, and the paid dates were not checked since. */
  readonly isAfterGap: boolean;
  /** A user confirms that held paid dates should be posted as payments. */
  readonly isConfirmed: boolean;
  /** A user decided on this invoice in Close, so its age and the grace period do not matter. */
  readonly isDecided?: boolean;
  readonly settings: Pick<
    Settings,
    'pay_direction' | 'pay_grace_hours' | 'pay_deposit_account' | 'closed_period_policy'
  >;
  /** Null during the check whether there is anything to do; closed periods do not matter for it. */
  readonly preferences: Pick<AccountingPreferences, 'closedThrough'> | null;
  /** Paid dates before this one are ignored. */
  readonly paidFrom: CalendarDate;
  readonly now: Instant;
  readonly timeZone: string;
  readonly psaLabel: string;
  readonly psaMenus: PsaMenus;
}

/** Money of a customer in QuickBooks, right before a payment is created. */
export interface CustomerAccount {
  readonly money: readonly OpenMoney[];
  /** The customer of the invoice, and that one's parents, nearest first. */
  readonly payers: readonly string[];
  /** Questions about this money that users were shown. Undefined if there are none. */
  readonly asked?: readonly string[];
}

/** A payment that Tallybridge created, as it is in QuickBooks now. */
export interface OurPayment {
  /** Its reference, e.g. `PSA-1042`. */
  readonly reference: string;
  readonly total: Decimal;
  readonly unapplied: Decimal;
  /** Whether it is still applied to the invoice. */
  readonly isApplied: boolean;
  /** Part of it that pays invoices of other sales. Undefined if there is none. */
  readonly elsewhere?: Decimal;
}

/**
 * Decision on the paid state of an invoice; `state` is what to store afterward.
 *
 * - `rest`: do nothing; `why` explains it to the user if the sides disagree
 * - `tell`: set the paid date in the PSA, or remove the one that Tallybridge set
 * - `plan`: create a payment in QuickBooks
 * - `refuse`: only a person can settle the disagreement, or the period is closed
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
 * Decides on the paid state of an invoice from its balance, never from single payments. So payments over several
 * invoices, several payments of one invoice, and credits need no special rules (domain reference 8). QuickBooks wins
 * when both sides know about a payment.
 *
 * Invariants:
 *
 * - A payment is never more than the amount that the PSA shows as paid.
 * - A paid date is set only if the invoice has a total and nothing is open.
 * - A paid date that Tallybridge did not set is never changed.
 * - A payment is created only for an open balance, never for an invoice that QuickBooks has shown as paid.
 * - While QuickBooks has unapplied money of the customer, a payment is created only if a user decides so. Only credits
 *   that the PSA shows as used up are applied without asking.
 * - After records were lost in a restore, a date that Tallybridge may have set leads to a payment only if a user
 *   confirms it.
 */
export function planPayment(facts: PaymentFacts): PaymentDecision {
  const decision = decide(facts);
  return decision.outcome === 'refuse'
    ? { ...decision, problems: ofDocument(decision.problems, describeDocument(facts)) }
    : decision;
}

/** Returns the invoice as QuickBooks shows it. */
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

/** Returns a total with its sign: negative for a credit memo. */
const signedOf = (document: SalesState | null, total: Decimal | null): Decimal | null =>
  total !== null && document?.type === 'CreditMemo' ? negate(total) : total;

function decide(facts: PaymentFacts): PaymentDecision {
  const { invoice, document } = facts;
  const settled = { ...facts.state, isDue: false };
  const drift = driftOf(facts);
  const problems = drift.map((one) => one.problem);
  if (invoice.isVoided)
    return drift.length === 0
      ? { outcome: 'rest', state: settled }
      : { outcome: 'refuse', problems, notes: [], state: settled };
  if (document === null || drift.some(isGone))
    return {
      outcome: 'refuse',
      problems,
      notes: [],
      state: { ...settled, balance: document?.balance ?? settled.balance },
    };
  const whole = asBilled(document, differencesOf(facts));
  const decision = whenFound(facts, whole, { ...settled, balance: whole.balance });
  if (drift.length === 0) return decision;
  switch (decision.outcome) {
    case 'rest':
      return { outcome: 'refuse', problems, notes: [], state: decision.state };
    case 'refuse':
      return { ...decision, problems: [...decision.problems, ...problems] };
    default:
      // Update the paid state first. The next check reports the remaining differences.
      return { ...decision, state: { ...decision.state, isDue: true } };
  }
}

const differencesOf = ({ differences = [] }: PaymentFacts): readonly SalesState[] =>
  differences.map(({ document }) => document);

/** @param document the invoice together with its difference documents */
function whenFound(facts: PaymentFacts, document: SalesState, state: PaymentState): PaymentDecision {
  const number = document.number ?? facts.link.number ?? facts.link.id;
  if (!isPositive(document.total)) return { outcome: 'rest', state };
  // Credit memos of differences may exceed the open amount.
  return !isPositive(document.balance)
    ? whenPaid(facts, document, number, {
        ...state,
        wasPaid: true,
        heldOn: null,
        seen: facts.isPaidByUs ? paidByUser(facts, state) : null,
      })
    : whenOpen(facts, document, number, state);
}

/**
 * Returns the paid date that a user set, which is kept so that its removal is noticed later. Without a grace period, or when
 * a user asked for the payment, it was not seen before.
 */
const paidByUser = ({ invoice: { paidOn }, now }: PaymentFacts, { seen, writtenOn }: PaymentState) =>
  seen ?? (paidOn === null || paidOn === writtenOn ? null : { on: paidOn, at: now, balance: zero });

function whenPaid(facts: PaymentFacts, document: SalesState, number: string, state: PaymentState): PaymentDecision {
  const { invoice, appliedOn, settings, psaLabel } = facts;
  if (invoice.paidOn !== null) return { outcome: 'rest', state };
  if (settings.pay_direction === 'psa_to_qbo')
    return {
      outcome: 'rest',
      why: paymentMessages.onlyToAccounting(nameOfSales(document.type), number, psaLabel),
      state,
    };
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
      : [note('warn', `${unapplied} of what was paid is not applied to any invoice: it is the customer’s credit`)]),
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
  const { invoice, psaLabel, psaMenus } = facts;
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
  // Our payment covers the amount paid in the PSA. The amount that QuickBooks charged beyond it stays open and was
  // reported.
  if (facts.isPaidByUs && compare(document.balance, minus(document.total, billedOf(facts, document))) <= 0)
    return { outcome: 'rest', why: paymentMessages.chargedBeyond(number, open, psaLabel), state };
  // Creating an existing payment again would count its money twice.
  if (facts.ourPayment !== undefined && facts.ourPayment !== null)
    return { outcome: 'refuse', problems: [paymentMoved(facts.ourPayment, facts, number, open)], notes: [], state };
  if (state.wasPaid && isDifferenceOpen(facts)) {
    // The paid date may be older than the difference. A new date or a user's confirmation shows that the difference was
    // paid.
    const isNewDate = state.heldOn !== null && state.heldOn !== paidOn;
    if (!isNewDate && !(state.heldOn === paidOn && facts.isConfirmed))
      return {
        outcome: 'refuse',
        problems: [problem('DIFFERENCE_OPEN', { psa: psaLabel, menus: psaMenus, number, open, paidOn })],
        notes: [],
        state: { ...state, seen: null, heldOn: paidOn },
      };
  } else if (state.wasPaid && facts.isPaymentGone === true) {
    if (facts.isDecided !== true)
      return {
        outcome: 'refuse',
        problems: [problem('PAYMENT_GONE', { psa: psaLabel, menus: psaMenus, number, open, paidOn })],
        notes: [],
        state,
      };
  } else if (state.wasPaid)
    return {
      outcome: 'refuse',
      problems: [problem('OPEN_AGAIN', { psa: psaLabel, menus: psaMenus, number, open, paidOn })],
      notes: [],
      state,
    };
  return whenPayable(facts, document, number, paidOn, state);
}

/** Decides on an open invoice with a paid date of a user, which no earlier payment explains. */
function whenPayable(
  facts: PaymentFacts,
  document: SalesState,
  number: string,
  paidOn: CalendarDate,
  state: PaymentState,
): PaymentDecision {
  const { settings, psaLabel, psaMenus } = facts;
  const open = format(document.balance);
  // A person applies or refunds a credit: Tallybridge never moves money out.
  if (document.type === 'CreditMemo') return { outcome: 'rest', why: paymentMessages.creditOpen(number, open), state };
  const isDecided = facts.isDecided === true;
  if (settings.pay_direction === 'qbo_to_psa')
    return { outcome: 'rest', why: paymentMessages.onlyToPsa(number, open, paidOn, psaLabel), state };
  if (paidOn < facts.paidFrom && !isDecided)
    return { outcome: 'rest', why: paymentMessages.paidBefore(number, open, paidOn, facts.paidFrom, psaLabel), state };
  const { seen: before } = state;
  const isKnownHeld = state.heldOn === paidOn;
  const isFuture = paidOn > dateIn(facts.now, facts.timeZone);
  if (isKnownHeld && !isFuture && facts.isConfirmed && !facts.isAfterGap)
    return create(facts, document, number, paidOn, state);
  // After a restore, it is unknown whether Tallybridge set this date, or whether QuickBooks showed the invoice as paid.
  if ((isKnownHeld && !isFuture) || (facts.isAfterGap && before?.on !== paidOn))
    return {
      outcome: 'refuse',
      problems: [problem('PAID_DATE_UNCONFIRMED', { psa: psaLabel, menus: psaMenus, number, open, paidOn })],
      notes: [],
      state: { ...state, seen: null, heldOn: paidOn },
    };
  // A payment or credit in the meantime restarts the grace period, because a payment portal may be posting payments.
  const seen =
    before?.on === paidOn && equals(before.balance, document.balance)
      ? before
      : { on: paidOn, at: facts.now, balance: document.balance };
  const waiting = { ...state, seen };
  // No money has come in yet, and a payment must not be dated in the future.
  if (isFuture)
    return { outcome: 'rest', why: paymentMessages.paidLater(number, open, paidOn, psaLabel), state: waiting };
  if (!isDecided && facts.now < addSeconds(seen.at, settings.pay_grace_hours * 3_600))
    return {
      outcome: 'rest',
      why: paymentMessages.waits(number, open, paidOn, settings.pay_grace_hours, psaLabel),
      state: waiting,
    };
  return create(facts, document, number, paidOn, waiting);
}

/** Returns whether the invoice itself is paid and only its difference documents are open. */
const isDifferenceOpen = ({ document, differences = [] }: PaymentFacts): boolean =>
  differences.length > 0 && document !== null && isZero(document.balance);

function paymentMoved(
  { reference, total, unapplied, isApplied, elsewhere = zero }: OurPayment,
  { psaLabel }: PaymentFacts,
  number: string,
  open: string,
): Problem {
  const applied = isPositive(elsewhere) ? 'divided' : 'lower';
  const is = isPositive(unapplied) ? 'unapplied' : isApplied ? applied : 'elsewhere';
  const amount = format(is === 'unapplied' ? unapplied : is === 'divided' ? elsewhere : total);
  return problem('PAYMENT_MOVED', { psa: psaLabel, number, open, payment: reference, amount, is });
}

function create(
  facts: PaymentFacts,
  document: SalesState,
  number: string,
  paidOn: CalendarDate,
  state: PaymentState,
): PaymentDecision {
  const { settings, preferences, psaLabel } = facts;
  const log = new DecisionLog(describeDocument(facts));
  const closed = { closedThrough: preferences?.closedThrough ?? null };
  // Apply only what the PSA shows as paid, even if QuickBooks has a higher open balance.
  const billed = billedOf(facts, document);
  const paid = minus(billed, minus(document.total, document.balance));
  const payable = payableOf(facts);
  const amount = smaller(paid, sum(payable.map(({ type, balance }) => ofType(type, balance))));
  if (!isPositive(amount)) return { outcome: 'rest', state };
  const left = minus(document.balance, amount);
  if (isPositive(left))
    log.warn(
      problem('PAYMENT_LEAVES_OPEN', {
        psa: psaLabel,
        number,
        paid: format(billed),
        total: format(document.total),
        left: format(left),
      }),
    );
  const question = openMoney(facts, document, number, paidOn);
  const funding = fundingIn(
    facts,
    document,
    payable,
    amount,
    facts.account?.asked?.includes(question.message) === true,
  );
  if (funding === 'undecided') return { outcome: 'refuse', problems: [question], notes: [], state };
  if (funding === 'nothing_to_apply')
    return { outcome: 'rest', why: paymentMessages.nothingToApply(number, format(document.balance)), state };
  // Applying existing money posts nothing, so its day does not matter.
  const posting =
    funding.covers.length === 0
      ? { on: paidOn, note: null }
      : choosePostingDate(paidOn, { settings, preferences: closed, psaLabel }, log);
  if (log.problems.length > 0) return { outcome: 'refuse', problems: log.problems, notes: log.notes, state };
  const notes = [
    note(
      'info',
      `${psaLabel} shows invoice ${number} as paid on ${dayText(paidOn)}; ${format(document.balance)} is open`,
    ),
    ...funding.applied.map((payment) =>
      note(
        'info',
        `Payment ${payment.number ?? payment.id} is applied: ${format(sum(payment.covers.map((part) => part.amount)))}`,
      ),
    ),
  ];
  return {
    outcome: 'plan',
    state,
    plan: {
      commands: commandsOf(facts, document, number, funding, posting),
      notes,
      warnings: log.warnings,
      expected: {
        subtotal: amount,
        tax: zero,
        dueOn: null,
        ...(document.exchangeRate !== undefined && { worth: { rate: document.exchangeRate, by: 'invoice' } }),
      },
    },
  };
}

/** Returns the updates of existing payments, and then the new payment, if one is needed. */
function commandsOf(
  { invoice, settings, psaLabel, account }: PaymentFacts,
  document: SalesState,
  number: string,
  { applied, covers, rest, beside }: Funding,
  posting: { readonly on: CalendarDate; readonly note: string | null },
): readonly Command[] {
  const existing = applied.map((payment): Command => ({ do: 'apply_payment', applied: payment }));
  const [first] = covers;
  if (first === undefined) return existing;
  const isWhole = covers.length === 1 && first.id === document.id;
  const credits = covers.filter(({ type }) => type === 'CreditMemo').map(({ id }) => id);
  const privateNote = [
    `${psaLabel} invoice ${invoice.id} marked paid`,
    // Distinguishes this payment from an earlier one on the same day.
    ...(isWhole ? [] : [`covers ${covers.map((one) => one.number ?? one.id).join(', ')}`]),
    ...(posting.note === null ? [] : [posting.note]),
  ];
  return [
    ...existing,
    {
      do: 'create_payment',
      payment: {
        customerId: payerOf(document, account, credits),
        invoiceId: first.id,
        ...(isWhole ? {} : { covers }),
        amount: rest,
        paidOn: posting.on,
        depositAccountId: settings.pay_deposit_account,
        reference: truncate(`PSA-${isWhole ? number : (first.number ?? number)}`, maxReferenceLength),
        privateNote: privateNote.join(' · '),
        currency: document.currency,
        ...(beside.length === 0 ? {} : { beside }),
      },
    },
  ];
}

/** Returns the customer of a new payment: a parent if it applies a credit memo of that parent. */
function payerOf(document: SalesState, account: CustomerAccount | undefined, creditIds: readonly string[]): string {
  if (account === undefined) return document.customer.id;
  const owners = account.money.flatMap(({ type, id, customer }) =>
    type === 'CreditMemo' && creditIds.includes(id) ? [customer.id] : [],
  );
  return account.payers.findLast((id) => owners.includes(id)) ?? document.customer.id;
}

/**
 * Returns how the amount is paid. A user decides first if QuickBooks has other unapplied money of the customer, and
 * decides again about a new payment if that money has changed since the question.
 *
 * @param payable the invoice and its difference documents
 * @param isSeen a user was asked about exactly this money
 */
function fundingIn(
  facts: PaymentFacts,
  document: SalesState,
  payable: readonly SalesState[],
  amount: Decimal,
  isSeen: boolean,
): Funding | 'undecided' | 'nothing_to_apply' {
  const { choice = null } = facts;
  const money = moneyBeside(facts);
  const covered = coversOf(payable, amount);
  const of: FundingFacts = {
    targets: covered.filter(({ type }) => type !== 'CreditMemo'),
    ownCredits: covered.filter(({ type }) => type === 'CreditMemo'),
    money,
    ...payersAndDays(facts, document),
  };
  const isUnasked = money.every((one) => one.isPaidInPsa === true && isApplicable(one, of));
  if (choice === null && !isUnasked) return 'undecided';
  const funding = fundingOf(of, choice ?? 'create');
  if (choice !== null && !isSeen && isPositive(funding.rest) && funding.beside.length > 0) return 'undecided';
  const isNothingApplied = funding.applied.length === 0 && equals(funding.rest, amount);
  if (choice !== 'apply' || !isNothingApplied) return funding;
  // Money that cannot be applied from here is still a question.
  return money.length === 0 ? 'nothing_to_apply' : 'undecided';
}

const payersAndDays = (
  { account, preferences }: PaymentFacts,
  document: SalesState,
): Pick<FundingFacts, 'currency' | 'payers' | 'isClosed'> => ({
  currency: document.currency,
  payers: new Set([document.customer.id, ...(account?.payers ?? [])]),
  isClosed: ({ datedOn }) => {
    const closedThrough = preferences?.closedThrough ?? null;
    return closedThrough !== null && datedOn !== null && datedOn <= closedThrough;
  },
});

/** Returns the customer's unapplied money, without the credit memos that belong to the invoice. */
const moneyBeside = ({ account, differences = [] }: PaymentFacts): readonly OpenMoney[] =>
  (account?.money ?? []).filter(({ type, id }) =>
    differences.every((difference) => difference.document.type !== type || difference.document.id !== id),
  );

/** Returns the problem that a user must decide what happens to unapplied money. */
function openMoney(facts: PaymentFacts, document: SalesState, number: string, paidOn: CalendarDate): Problem {
  const money = moneyBeside(facts);
  const of = payersAndDays(facts, document);
  const nameOfMoney = ({ type, id, number: shown, datedOn, open, currency }: OpenMoney): string => {
    const what = type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
    const named = shown ?? (type === 'Payment' || type === 'CreditMemo' ? id : null);
    const amount = currency === document.currency || currency === null ? '' : `${currency} `;
    return `${what}${named === null ? '' : ` ${named}`}${datedOn === null ? '' : ` of ${dayText(datedOn)}`} (${amount}${format(open)})`;
  };
  return problem('OPEN_MONEY', {
    psa: facts.psaLabel,
    number,
    open: format(document.balance),
    paidOn,
    party: document.customer.name ?? 'the customer',
    money: money.map(nameOfMoney),
    canApply: money.some((one) => isApplicable(one, of)),
  });
}

/**
 * Returns what the PSA billed, in the currency of the document. A total in another currency was billed as the whole
 * document.
 */
const billedOf = ({ invoice, isConverted = false }: PaymentFacts, document: SalesState): Decimal =>
  isConverted ? document.total : invoice.total;

/** Returns the invoice and the difference documents that one payment can cover: those of the same customer. */
function payableOf({ document, differences = [] }: PaymentFacts): readonly SalesState[] {
  if (document === null) return [];
  return [document, ...differences.map((difference) => difference.document)].filter(
    ({ customer }) => customer.id === document.customer.id,
  );
}

/** Applies the amount and the credit memos of differences to the open invoices, in the given order. */
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
