import type { AccountingDocument } from '../documents/accounting-document.ts';
import { originText } from '../documents/origin.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import { problem, type Problem, type WhyNotBilled } from '../problems.ts';
import { signedTax, signedTotal } from '../reconciliation/signed.ts';
import { note, type Note } from '../transcript.ts';
import {
  decimal,
  format,
  isNegative,
  isZero,
  minus,
  negate,
  plus,
  signed,
  sum,
  type Decimal,
} from '../values/decimal.ts';
import { truncate } from '../values/text.ts';
import { repeatedClasses, suffixedNumber } from './document-fields.ts';
import { differenceMessages } from './messages.ts';
import { lastCommand, type Plan, type Reference, type SalesDocument, type SalesLine } from './plan.ts';

/** Facts that decide on a difference: the amount by which an invoice's total changed since it was posted. */
export interface DifferenceFacts {
  readonly invoice: { readonly id: number; readonly isVoided: boolean };
  /** Name of the invoice for messages. */
  readonly name: string;
  /** Plan of the invoice as of today, or as of the first open day. */
  readonly plan: Plan;
  /** The invoice's document in QuickBooks; null: it no longer exists. */
  readonly current: AccountingDocument | null;
  /** Documents that bill earlier differences of the invoice, as they are in QuickBooks now. */
  readonly earlier: readonly AccountingDocument[];
  /** Number of difference documents requested for the invoice, including this one; the first is 1. */
  readonly ordinal: number;
  readonly accounting: Pick<AccountingLists, 'preferences'>;
  readonly psaLabel: string;
}

/** Decision on billing a difference. */
export type DifferenceDecision =
  | { readonly outcome: 'plan'; readonly plan: Plan }
  | {
      readonly outcome: 'skip';
      readonly reason: 'no_difference';
      readonly message: string;
      readonly isLoggedOnce: boolean;
      readonly notes: readonly Note[];
    }
  | {
      readonly outcome: 'refuse';
      readonly problems: readonly Problem[];
      readonly mark: null;
      readonly notes: readonly Note[];
    };

const maxTextLength = 4_000;

/** Returns the id of the invoice whose difference a document bills, from its private note; null: it bills none. */
export function differenceSource(privateNote: string | null, psaLabel: string): number | null {
  const [, source, id] = /^Difference \d+ of (.{1,60}? invoice )(\d+)/.exec(privateNote?.trim() ?? '') ?? [];
  return source !== undefined && `${source}${id}` === originText(psaLabel, 'invoice', Number(id)) ? Number(id) : null;
}

/**
 * Decides the invoice or credit memo that bills the change of an invoice's total since it was posted. This is for
 * posted documents that can no longer be changed, because money was applied or the month is closed (month-end proof,
 * C).
 *
 * Invariant: for each item, class of a line and tax code, the posted document, its earlier differences and this plan add
 * up to the invoice as of today. So nothing is billed twice, even if a user asks several times.
 */
export function planDifference(facts: DifferenceFacts): DifferenceDecision {
  const { plan, current, earlier, name, psaLabel } = facts;
  // A difference has no document in the PSA to compare it with.
  const { source: _, ...whole } = plan;
  const made = lastCommand(plan);
  if (made.do !== 'create_invoice' && made.do !== 'create_credit_memo') return refuse(facts, 'form');
  const why = whyNot(made.document, facts);
  if (current === null || why !== null) return refuse(facts, why ?? 'gone');
  const counted = [current, ...earlier.filter(({ isVoided }) => !isVoided)];
  const sign = (of: boolean) => (amount: Decimal) => (of ? negate(amount) : amount);
  const planned = sign(made.do === 'create_credit_memo');
  const classOf = repeatedClasses([], facts.accounting.preferences).ofLine;
  const groups = groupsOf(made.document.lines, planned, counted, classOf);
  const subtotal = sum(groups.map(({ amount }) => amount));
  const tax = minus(planned(plan.expected.tax), sum(counted.map(signedTax)));
  const total = plus(subtotal, tax);
  const totalsNote = note(
    'info',
    `${psaLabel} has ${format(plus(sum(counted.map(signedTotal)), total))}, QuickBooks ${format(sum(counted.map(signedTotal)))}: difference ${signed(total)}`,
  );
  const notes = [...plan.notes, totalsNote];
  if (isZero(total))
    return {
      outcome: 'skip',
      reason: 'no_difference',
      message: differenceMessages.none(psaLabel),
      isLoggedOnce: false,
      notes,
    };
  if (groups.length === 0) return refuse(facts, 'tax');
  const isCredit = isNegative(total);
  const own = sign(isCredit);
  const document: SalesDocument = {
    ...made.document,
    ...termsOf(made.document, isCredit),
    number: numberOf(current, facts),
    privateNote: `Difference ${facts.ordinal} of ${originText(psaLabel, 'invoice', facts.invoice.id)} · ${current.number ?? current.id} of ${current.datedOn}`,
    customerMessage: null,
    email: null,
    ...(isCredit ? { onlinePayment: null } : {}),
    ...('taxOverride' in made.document && made.document.taxOverride !== null ? { taxOverride: own(tax) } : {}),
    lines: groups.map((group) =>
      lineOf(group, own, `Difference of ${name.toLowerCase()} (${current.number ?? current.id})`),
    ),
  };
  return {
    outcome: 'plan',
    plan: {
      ...whole,
      commands: [...plan.commands.slice(0, -1), { do: isCredit ? 'create_credit_memo' : 'create_invoice', document }],
      notes,
      expected: {
        subtotal: own(subtotal),
        tax: own(tax),
        dueOn: null,
        ...(plan.expected.taxHoldOver === undefined ? {} : { taxHoldOver: plan.expected.taxHoldOver }),
        ...(plan.expected.taxRounding === undefined ? {} : { taxRounding: plan.expected.taxRounding }),
        ...(plan.expected.worth === undefined ? {} : { worth: plan.expected.worth }),
      },
    },
  };
}

/** Returns the reason why the difference cannot be billed automatically; null: there is none. */
function whyNot(
  { customer, currency }: SalesDocument,
  { invoice, current, earlier }: DifferenceFacts,
): WhyNotBilled | null {
  if (invoice.isVoided) return 'voided';
  if (current === null || current.isVoided) return 'gone';
  if (!('id' in customer) || customer.id !== current.party.id) return 'customer';
  if (currency !== null && current.currency !== null && currency !== current.currency) return 'currency';
  // A line that a user entered without an item cannot be compared with a line of the PSA.
  const isPlain = ({ lines }: AccountingDocument) =>
    lines.every(({ itemId, amount }) => itemId !== null || isZero(amount));
  return [current, ...earlier].every(isPlain) ? null : 'lines';
}

const refuse = ({ name, psaLabel, plan }: DifferenceFacts, because: WhyNotBilled): DifferenceDecision => ({
  outcome: 'refuse',
  problems: [problem('CANNOT_BILL_DIFFERENCE', { name, psa: psaLabel, because })],
  mark: null,
  notes: plan.notes,
});

/** The amount to bill for one item, class and tax code; positive is owed by the customer. */
interface Group extends Pick<SalesLine, 'item' | 'classId' | 'taxCode'> {
  readonly amount: Decimal;
}

/** Returns the groups whose planned and counted amounts differ, in the order of the lines. */
function groupsOf(
  lines: readonly SalesLine[],
  planned: (amount: Decimal) => Decimal,
  counted: readonly AccountingDocument[],
  classOf: (line: Pick<Group, 'classId'>) => string | null,
): readonly Group[] {
  const all: Group[] = [
    ...lines.map(({ item, classId, taxCode, amount }) => ({ item, classId, taxCode, amount: planned(amount) })),
    ...counted.flatMap(({ type, lines: current }) =>
      current.flatMap(({ itemId, taxCode, amount, ...line }) => {
        const counts = type === 'CreditMemo' ? amount : negate(amount);
        return itemId === null ? [] : [{ item: { id: itemId }, classId: classOf(line), taxCode, amount: counts }];
      }),
    ),
  ];
  return [...Map.groupBy(all, keyOf).values()].flatMap((alike) => {
    const [first] = alike;
    const amount = sum(alike.map((group) => group.amount));
    return first === undefined || isZero(amount) ? [] : [{ ...first, amount }];
  });
}

const keyOf = ({ item, classId, taxCode }: Group): string => JSON.stringify([nameOfItem(item), classId, taxCode]);
const nameOfItem = (item: Reference): string => ('id' in item ? item.id : `command ${item.fromCommand}`);

const lineOf = (
  { item, classId, taxCode, amount }: Group,
  own: (amount: Decimal) => Decimal,
  what: string,
): SalesLine => ({
  amount: own(amount),
  quantity: decimal(1),
  unitPrice: own(amount),
  description: truncate(what, maxTextLength),
  item,
  servedOn: null,
  classId,
  taxCode,
});

/** The due date of the posted invoice does not apply to a document that is billed later. */
const termsOf = (
  { termId, dueOn, datedOn }: SalesDocument,
  isCredit: boolean,
): Pick<SalesDocument, 'termId' | 'dueOn'> => ({
  termId: isCredit ? null : termId,
  dueOn: isCredit || termId !== null || dueOn === null || dueOn < datedOn ? null : dueOn,
});

const numberOf = (current: AccountingDocument, { ordinal, accounting }: DifferenceFacts): string | null =>
  current.number !== null && accounting.preferences.customTransactionNumbers
    ? suffixedNumber(current.number, `-D${ordinal}`)
    : null;
