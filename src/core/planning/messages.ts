import { documentName, type Kind } from '../kinds.ts';
import { never } from '../values/assert.ts';
import { type CalendarDate, dayText, type Instant } from '../values/dates.ts';
import { format, isZero, plus, sum } from '../values/decimal.ts';
import { counted } from '../values/text.ts';
import { type Command, lastCommand, type Plan } from './plan.ts';

/**
 * Returns the time for the private note, such as `synced 2025-03-03T15:00:07Z`. The id before it and the time identify
 * one document. A second document of the same source also gets a number, because both may be posted within one second.
 *
 * @param generation number of documents requested for the source, including this one; the first is 1
 */
export const syncedText = (now: Instant, generation: number): string =>
  `synced ${now.replace(/\.\d+Z$/, 'Z')}${generation === 1 ? '' : ` · document ${generation}`}`;

/** `Purchase order 3310 was created in QuickBooks as 1009.` */
const created = (name: string, as: string): string => `${name} was created in QuickBooks as ${as}.`;

/** `Invoice 48213 would be created; 1 item would be created. Nothing was sent.` */
function wouldBeCreated(name: string, plan: Plan, as = ''): string {
  const others = [
    made(plan, 'create_customer', 'customer'),
    made(plan, 'create_vendor', 'vendor'),
    made(plan, 'create_item', 'item'),
  ].filter((part) => part !== null);
  const also = others.length === 0 ? '' : `; ${others.join(' and ')} would be created`;
  return `${name} would be created${as}${also}. Nothing was sent.`;
}

/** `Skipped: already synced as 1042.` */
export const alreadySynced = (reference: string): string => `Skipped: already synced as ${reference}.`;

/** Messages at the end of attempts (domain reference 12). They must be clear without any other context. */
export const invoiceMessages = {
  /** `Invoice 48213 was created in QuickBooks as 1042.` */
  created: (psaId: number, reference: string, isCreditMemo = false): string =>
    created(`Invoice ${psaId}`, `${isCreditMemo ? 'credit memo ' : ''}${reference}`),

  wouldBeCreated: (psaId: number, plan: Plan): string =>
    wouldBeCreated(`Invoice ${psaId}`, plan, isCreditMemo(plan) ? ' as a credit memo' : ''),

  zeroBalance: 'Skipped: zero balance.',
  /** `Skipped: “Acme block hours” covers 3 h of work without prepaid money in QuickBooks. …` */
  withoutPrepaid: (problems: readonly { readonly message: string }[]): string =>
    `Skipped: ${problems.map(({ message }) => message).join(' ')}`,
  voided: (psaLabel: string): string => `Skipped: voided in ${psaLabel}.`,
  /** `Skipped: no line belongs to a mapped line of business (2 lines, 350.00: "Projects").` */
  nothingMapped: (lines: number, amount: string, list: string): string =>
    `Skipped: no line belongs to a mapped line of business (${counted(lines, 'line')}, ${amount}: ${list}).`,
} as const;

export const purchaseOrderMessages = {
  /** `Purchase order 3310 was created in QuickBooks as 1009.` */
  created: (psaId: number, reference: string): string => created(`Purchase order ${psaId}`, reference),
  wouldBeCreated: (psaId: number, plan: Plan): string => wouldBeCreated(`Purchase order ${psaId}`, plan),
  notSubmitted: (psaLabel: string): string => `Skipped: not submitted in ${psaLabel}.`,
  /** `Nothing to do: purchase order 1009 was canceled in Autotask and is deleted in QuickBooks.` */
  settled: (reference: string, how: 'closed' | 'deleted', psaLabel: string): string =>
    `Nothing to do: purchase order ${reference} was canceled in ${psaLabel} and is ${how} in QuickBooks.`,
} as const;

export const expenseReportMessages = {
  /** `Expense report 1207 was created in QuickBooks as bill 9203.` */
  created: (psaId: number, reference: string): string => created(`Expense report ${psaId}`, `bill ${reference}`),
  wouldBeCreated: (psaId: number, plan: Plan): string => wouldBeCreated(`Expense report ${psaId}`, plan, ' as a bill'),
  notApproved: (psaLabel: string): string => `Skipped: not approved for payment in ${psaLabel}.`,
  /** `The bill 9203 of expense report 1207 was paid in QuickBooks on Mar 10, 2025. …` */
  paid: (psaId: number, reference: string, on: CalendarDate, psaLabel: string): string =>
    `The bill ${reference} of expense report ${psaId} was paid in QuickBooks on ${dayText(on)}. ${psaLabel} does not let programs set the status of a report: mark it as paid there.`,
  /** `Nothing to do: bill EXP-1207 is deleted in QuickBooks, and its report is no longer approved in Autotask.` */
  gone: (reference: string, psaLabel: string): string =>
    `Nothing to do: bill ${reference} is deleted in QuickBooks, and its report is no longer approved in ${psaLabel}.`,
  /** `Nothing to reimburse: 1 item paid by the company or rejected (35.00).` */
  nothingOwed: (items: number, amount: string, unusedAdvance: string | null): string =>
    [
      items === 0
        ? 'Nothing to reimburse: the report has no amounts.'
        : `Nothing to reimburse: ${counted(items, 'item')} paid by the company or rejected (${amount}).`,
      ...(unusedAdvance === null ? [] : [`The cash advance of ${unusedAdvance} is not used.`]),
    ].join(' '),
} as const;

export const voidMessages = {
  /** `Invoice 48213 was voided in QuickBooks (1042).` */
  voided: (psaId: number, reference: string, isCredit: boolean): string =>
    `Invoice ${psaId} was voided in QuickBooks (${isCredit ? 'credit memo ' : ''}${reference}).`,
  /** `Invoice 48213 was credited in QuickBooks by credit memo 1050, dated Apr 2, 2025; its month did not change.` */
  credited: (psaId: number, reference: string, datedOn: CalendarDate): string =>
    `Invoice ${psaId} was credited in QuickBooks by credit memo ${reference}, dated ${dayText(datedOn)}; its month did not change.`,
  wouldBeCredited: (psaId: number, amount: string): string =>
    `Invoice ${psaId} would be credited in QuickBooks by a credit memo of ${amount}. Nothing was sent.`,
  wouldBeVoided: (psaId: number): string => `Invoice ${psaId} would be voided in QuickBooks. Nothing was sent.`,
  alreadyVoided: 'Already voided.',
  /** `Credit memo 1050 already reverses it.` */
  alreadyCredited: (number: string): string => `Credit memo ${number} already reverses it.`,
  deleted: 'Nothing to void.',
  notFound: 'Not found in QuickBooks, nothing to void.',
  notVoided: (psaLabel: string): string => `Skipped: not voided in ${psaLabel}.`,
} as const;

export const paymentMessages = {
  /** `Invoice 1042 was paid on Mar 12, 2025. 50.00 that came in is not applied to any invoice.` */
  paid: (number: string, paidOn: CalendarDate, unapplied: string | null): string =>
    `Invoice ${number} was paid on ${dayText(paidOn)}.${unapplied === null ? '' : ` ${unapplied} that came in is not applied to any invoice.`}`,
  applied: (number: string, on: CalendarDate): string => `Credit memo ${number} was used up on ${dayText(on)}.`,
  credited: (number: string, on: CalendarDate): string =>
    `Invoice ${number} was settled by a credit on ${dayText(on)}: no money came in.`,
  closed: (what: string, number: string, on: CalendarDate): string =>
    `Closed without a payment: ${what.toLowerCase()} ${number}, on ${dayText(on)}.`,
  /** `Payment reversed: invoice 1042 has 966.25 open again.` */
  reversed: (what: string, number: string, open: string): string =>
    `Payment reversed: ${what.toLowerCase()} ${number} has ${open} open again.`,
  /** `Invoice 1042 has 100.00 open: a difference was billed after it was paid.` */
  differenceOpen: (what: string, number: string, open: string): string =>
    `${what} ${number} has ${open} open: a difference was billed after it was paid.`,
  created: (psaId: number, amount: string): string =>
    `A payment of ${amount} for invoice ${psaId} was created in QuickBooks.`,
  wouldBeCreated: (psaId: number, amount: string): string =>
    `A payment of ${amount} for invoice ${psaId} would be created. Nothing was sent.`,
  /** `The open money of the customer was applied to invoice 48304: 300.00 by payment 4711.` */
  appliedMoney: (psaId: number, parts: string, rest: string | null): string =>
    `Existing money was applied to invoice ${psaId}: ${parts}.${rest === null ? '' : ` A payment of ${rest} was created for the rest.`}`,
  wouldApplyMoney: (psaId: number, parts: string, rest: string | null): string =>
    `Existing money would be applied to invoice ${psaId}: ${parts}.${rest === null ? '' : ` A payment of ${rest} would be created for the rest.`} Nothing was sent.`,
  nothingToApply: (number: string, open: string): string =>
    `Nothing was posted: the customer of invoice ${number} has no money left to apply, and ${open} is open. Sync the payment again to create a new one.`,
  nothing: 'Nothing to do: both sides agree.',
  onlyToAccounting: (what: string, number: string, psaLabel: string): string =>
    `Nothing to do: ${what.toLowerCase()} ${number} is paid in QuickBooks; by your settings ${psaLabel} is not updated.`,
  onlyToPsa: (number: string, open: string, paidOn: CalendarDate, psaLabel: string): string =>
    `Nothing to do: ${psaLabel} shows that invoice ${number} was paid on ${dayText(paidOn)}; ${open} is open in QuickBooks, where your settings record no payments.`,
  paidBefore: (number: string, open: string, paidOn: CalendarDate, from: CalendarDate, psaLabel: string): string =>
    `Nothing was recorded: ${psaLabel} shows that invoice ${number} was paid on ${dayText(paidOn)}, before ${dayText(from)}, where payments begin. ${open} is open in QuickBooks: record the payment there, or in Month-end close.`,
  waits: (number: string, open: string, paidOn: CalendarDate, hours: number, psaLabel: string): string =>
    `Waiting: ${psaLabel} shows that invoice ${number} was paid on ${dayText(paidOn)}, and ${open} is open in QuickBooks. A payment is recorded ${hours} hours after the date was first seen, unless QuickBooks gets it before.`,
  paidLater: (number: string, open: string, paidOn: CalendarDate, psaLabel: string): string =>
    `Waiting: ${psaLabel} shows ${dayText(paidOn)} as the paid date of invoice ${number}, which is in the future. ${open} is open in QuickBooks; a payment is recorded on that day.`,
  chargedBeyond: (number: string, open: string, psaLabel: string): string =>
    `Nothing to do: invoice ${number} is paid as billed in ${psaLabel}; another ${open} is open in QuickBooks.`,
  creditOpen: (number: string, open: string): string =>
    `Nothing to do: ${open} of credit memo ${number} is open. Apply it or pay it out in QuickBooks.`,
  gone: 'Nothing to do: the invoice no longer exists in QuickBooks.',
} as const;

export const updateMessages = {
  /** `Invoice 48213 was updated in QuickBooks (1042).` */
  updated: (name: string, reference: string): string => `${name} was updated in QuickBooks (${reference}).`,
  wouldBeUpdated: (name: string): string => `${name} would be updated in QuickBooks. Nothing was sent.`,
  /** `Nothing to update: invoice 1042 and what was billed of its difference total 2,066.25, as in Autotask.` */
  sameWithDifferences: (what: string, number: string, total: string, psaLabel: string): string =>
    `Nothing to update: ${what.toLowerCase()} ${number} and what was billed of its difference total ${total}, as in ${psaLabel}.`,
  sameAlready: (psaLabel: string): string => `Nothing to do: QuickBooks and ${psaLabel} agree.`,
} as const;

export const differenceMessages = {
  /** `Invoice 48213 totals more: the difference was billed in QuickBooks by invoice 1042-D1.` */
  billed: (psaId: number, reference: string, isCredit: boolean): string =>
    isCredit
      ? `Invoice ${psaId} totals less: the difference was credited in QuickBooks by credit memo ${reference}.`
      : `Invoice ${psaId} totals more: the difference was billed in QuickBooks by invoice ${reference}.`,
  wouldBeBilled: (psaId: number, amount: string, isCredit: boolean): string =>
    `The difference of invoice ${psaId} would become ${isCredit ? 'a credit memo' : 'an invoice'} of ${amount}. Nothing was sent.`,
  none: (psaLabel: string): string => `Nothing to bill: QuickBooks and ${psaLabel} have the same total.`,
} as const;

/** Returns the name of a QuickBooks sales document type. */
export const nameOfSales = (type: string): string => (type === 'CreditMemo' ? 'Credit memo' : 'Invoice');

export const isCreditMemo = (plan: Plan): boolean => plan.commands.at(-1)?.do === 'create_credit_memo';

/** Adds the count of warnings without hiding the success: `… as 1042. (2 warnings)`. */
export const withWarnings = (message: string, warnings: number): string =>
  warnings === 0 ? message : `${message} (${counted(warnings, 'warning')})`;

function made(plan: Plan, command: Command['do'], noun: string): string | null {
  const count = plan.commands.filter(({ do: done }) => done === command).length;
  return count === 0 ? null : counted(count, noun);
}

/** A document and its plan. */
interface Planned {
  readonly kind: Kind;
  readonly psaId: number;
  readonly plan: Plan;
}

/**
 * Returns the message that a document was posted.
 *
 * @param reference its number or id in QuickBooks
 */
export function postedMessage({ kind, psaId, plan }: Planned, reference: string): string {
  const command = lastCommand(plan);
  if (command.do === 'update') return updateMessages.updated(documentName(kind, psaId), reference);
  switch (kind) {
    case 'invoice':
      return invoiceMessages.created(psaId, reference, isCreditMemo(plan));
    case 'purchase_order':
      return purchaseOrderMessages.created(psaId, reference);
    case 'expense_report':
      return expenseReportMessages.created(psaId, reference);
    case 'difference':
      return differenceMessages.billed(psaId, reference, isCreditMemo(plan));
    case 'payment':
      return appliedParts(plan) === null
        ? paymentMessages.created(psaId, paidAmount(plan))
        : paymentMessages.appliedMoney(psaId, ...(appliedParts(plan) ?? ['', null]));
    case 'void':
      return command.do === 'create_credit_memo'
        ? voidMessages.credited(psaId, reference, command.document.datedOn)
        : voidMessages.voided(psaId, reference, command.do === 'void' && command.type === 'CreditMemo');
    default:
      return never(kind);
  }
}

/** Returns the message of a test: what a live sync would do. */
export function testMessage({ kind, psaId, plan }: Planned): string {
  if (lastCommand(plan).do === 'update') return updateMessages.wouldBeUpdated(documentName(kind, psaId));
  const amount = format(plus(plan.expected.subtotal, plan.expected.tax));
  switch (kind) {
    case 'invoice':
      return invoiceMessages.wouldBeCreated(psaId, plan);
    case 'purchase_order':
      return purchaseOrderMessages.wouldBeCreated(psaId, plan);
    case 'expense_report':
      return expenseReportMessages.wouldBeCreated(psaId, plan);
    case 'difference':
      return differenceMessages.wouldBeBilled(psaId, amount, isCreditMemo(plan));
    case 'payment':
      return appliedParts(plan) === null
        ? paymentMessages.wouldBeCreated(psaId, paidAmount(plan))
        : paymentMessages.wouldApplyMoney(psaId, ...(appliedParts(plan) ?? ['', null]));
    case 'void':
      return isCreditMemo(plan) ? voidMessages.wouldBeCredited(psaId, amount) : voidMessages.wouldBeVoided(psaId);
    default:
      return never(kind);
  }
}

function paidAmount(plan: Plan): string {
  const command = lastCommand(plan);
  return command.do === 'create_payment' ? format(command.payment.amount) : '';
}

/**
 * Returns the existing payments and credit memos that a plan applies, and the amount of its new payment; null if it
 * applies none.
 */
function appliedParts({ commands }: Plan): readonly [string, string | null] | null {
  const payments = commands.flatMap((command) =>
    command.do === 'apply_payment'
      ? [
          `${format(sum(command.applied.covers.map(({ amount }) => amount)))} by payment ${command.applied.number ?? command.applied.id}`,
        ]
      : [],
  );
  const created = commands.find((command) => command.do === 'create_payment');
  const credits = (created?.payment.covers ?? []).flatMap(({ type, id, number, amount }) =>
    type === 'CreditMemo' ? [`${format(amount)} by credit memo ${number ?? id}`] : [],
  );
  if (payments.length + credits.length === 0) return null;
  const rest = created === undefined || isZero(created.payment.amount) ? null : format(created.payment.amount);
  return [[...payments, ...credits].join(', '), rest];
}
