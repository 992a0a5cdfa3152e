import type { AccountingLists } from '../documents/reference-data.ts';
import { note } from '../transcript.ts';
import { divide, equals, isPositive, isZero, plus, round2, times, type Decimal } from '../values/decimal.ts';
import { documentCommand, type Command, type Plan } from './plan.ts';
import { prepaidLineOf } from './prepaid-shortfall.ts';

/** The prepaid money of a customer: in the currency of its documents, and in the home currency. */
export interface PrepaidBalance {
  readonly own: Decimal;
  readonly home: Decimal;
}

/** Decimal places of a rate, fewest first. */
const ratePlaces = [4, 5, 6, 7, 8, 9, 10] as const;

/** Returns the rate at which a balance is recorded, with as few decimals as give its amount in the home currency. */
export function recordedRate({ own, home }: PrepaidBalance): Decimal {
  const rates = ratePlaces.map((places) => divide(home, own, places));
  return rates.find((rate) => equals(round2(times(own, rate)), home)) ?? divide(home, own, ratePlaces[6]);
}

/**
 * Returns a plan that takes prepaid money at the rate at which the money was recorded. Prepaid money is a liability to
 * work, not to pay, so it is not revalued: income has the rate of the sale, and both balances end at 0 together.
 *
 * @param plan a new document in a foreign currency, with the rate of its date
 * @param change the amount that it takes, negative, in the document's currency
 * @param balance what is left before
 * @returns null if the document has other money too, which needs the rate of its date, or if the balance has no usable
 *   rate
 */
export function atRecordedRate(
  plan: Plan,
  change: Decimal,
  balance: PrepaidBalance,
  accountId: string,
  books: AccountingLists,
): Plan | null {
  const made = documentCommand(plan);
  if (made.do !== 'create_invoice' && made.do !== 'create_credit_memo') return plan;
  const { exchangeRate, currency, lines } = made.document;
  if (exchangeRate === undefined) return plan;
  if (!isPositive(balance.own) || !isPositive(balance.home)) return null;
  const rate = recordedRate(balance);
  if (equals(round2(times(change, rate)), round2(times(change, exchangeRate)))) return plan;
  const isPrepaid = prepaidLineOf(plan, accountId, books);
  const isOnlyPrepaid = isZero(plus(plan.expected.subtotal, plan.expected.tax)) || lines.every(isPrepaid);
  if (!isOnlyPrepaid) return null;
  const rated = withRate(plan, rate);
  return {
    ...rated,
    notes: [
      ...rated.notes,
      note('info', `Prepaid money is recorded at 1 ${currency} = ${rate} ${books.preferences.homeCurrency}; used here`),
    ],
  };
}

/** Returns a plan whose sales document has this rate. */
export function withRate(plan: Plan, exchangeRate: Decimal): Plan {
  const rated = (command: Command): Command =>
    command.do === 'create_invoice' || command.do === 'create_credit_memo'
      ? { ...command, document: { ...command.document, exchangeRate } }
      : command;
  return { ...plan, commands: plan.commands.map(rated) };
}
