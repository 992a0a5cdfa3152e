import type { Company } from '../documents/party.ts';
import type { AccountingLists, PsaReferenceData } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import { note } from '../transcript.ts';
import { type CalendarDate, dayText } from '../values/dates.ts';
import {
  absolute,
  compare,
  decimal,
  type Decimal,
  divide,
  equals,
  format,
  isZero,
  minus,
  plus,
  round2,
  sum,
  times,
} from '../values/decimal.ts';
import type { DecisionLog } from './decision.ts';
import type { Command, NewPayment, Plan, PurchaseForm, SalesDocument } from './plan.ts';
import type { PsaIndex } from './reference-index.ts';

/** Currency in which a document is sent. */
export interface CurrencyChoice {
  /** True if both sides use several currencies, so amounts are in the customer's currency. */
  readonly isForeign: boolean;
  /** ISO code to send; null unless both sides use several currencies. */
  readonly sent: string | null;
  /** True if the document's currency is the home currency of QuickBooks. */
  readonly isHome: boolean;
  /** True if the PSA's total is in the customer's currency, and the amounts that are sent are not. */
  readonly isConverted: boolean;
  /** ISO code of the amounts. */
  readonly ofAmounts: string;
}

interface CurrencyFacts {
  readonly company: Company | null;
  readonly psa: PsaReferenceData;
  readonly accounting: AccountingLists;
  readonly settings: Pick<Settings, 'foreign_currency_policy'>;
  readonly psaLabel: string;
}

/** Chooses the currency of a document (domain reference 5.11). QuickBooks applies its own exchange rate. */
export function chooseCurrency(facts: CurrencyFacts, psa: PsaIndex, log: DecisionLog): CurrencyChoice {
  const { company, psaLabel } = facts;
  const { homeCurrency: home, multiCurrency } = facts.accounting.preferences;
  if (psa.internalCurrency !== null && psa.internalCurrency !== home)
    log.refuse(problem('HOME_CURRENCY_MISMATCH', { psa: psaLabel, currency: psa.internalCurrency, other: home }));
  const own = psa.currencyCodes.get(company?.currencyId ?? Number.NaN);
  const currency = own ?? psa.internalCurrency ?? home;
  const isForeign = facts.psa.modules.multiCurrency && multiCurrency;
  if (isForeign) {
    if (currency !== home) log.note('info', `Currency: ${currency}, at the rate of QuickBooks`);
    return { isForeign, isHome: currency === home, isConverted: false, sent: currency, ofAmounts: currency };
  }
  // Different home currencies were refused above, so they need no second problem here.
  if (currency !== (psa.internalCurrency ?? home) && currency !== home && company !== null) {
    const of = { psa: psaLabel, company: company.name, currency, home };
    // A multi-currency company file accepts home amounts. Another check refuses customers with another currency.
    const isAccepted = multiCurrency || facts.settings.foreign_currency_policy === 'home_amounts';
    if (isAccepted) log.warn(problem('CURRENCY_IGNORED', of));
    else log.refuse(problem('CURRENCY_NOT_KEPT', of));
  }
  const isHome = currency === home;
  return { isForeign, isHome, isConverted: facts.psa.modules.multiCurrency && !isHome, sent: null, ofAmounts: home };
}

/** A currency and the day on which a document uses it. */
interface CurrencyOnDay {
  /** ISO 4217. */
  readonly currency: string;
  readonly on: CalendarDate;
}

/** Returns the currency and day of the document that a command creates or changes; null for other commands. */
function currencyOnDay(command: Command): { readonly currency: string | null; readonly on: CalendarDate } | null {
  switch (command.do) {
    case 'create_invoice':
    case 'create_credit_memo':
      return { currency: command.document.currency, on: command.document.datedOn };
    case 'create_purchase_order':
      return { currency: command.order.currency, on: command.order.datedOn };
    case 'create_bill':
      return { currency: command.bill.currency, on: command.bill.datedOn };
    case 'create_payment':
      return { currency: command.payment.currency, on: command.payment.paidOn };
    case 'update':
      return currencyOnDay(command.to);
    default:
      return null;
  }
}

/** Whether a command already has a rate: a credit memo uses the rate of the invoice that it reverses. */
const hasRate = (command: Command): boolean => 'document' in command && command.document.exchangeRate !== undefined;

/** Returns the currencies and days for which a plan needs an exchange rate, each once. */
export function ratesNeeded({ commands }: Plan, homeCurrency: string): readonly CurrencyOnDay[] {
  const needed = new Map<string, CurrencyOnDay>();
  for (const command of commands) {
    const { currency, on } = currencyOnDay(command) ?? { currency: null, on: null };
    if (currency === null || on === null || currency === homeCurrency || hasRate(command)) continue;
    needed.set(`${currency} ${on}`, { currency, on });
  }
  return [...needed.values()];
}

/**
 * Returns the plan with an exchange rate on each document in a foreign currency. QuickBooks may use rate 1 if none is
 * sent [Q79].
 *
 * @param rates home units per foreign unit, by {@link rateKey}
 */
export function withRates(plan: Plan, rates: ReadonlyMap<string, Decimal>, homeCurrency: string): Plan {
  if (rates.size === 0) return plan;
  const rateOf = (command: Command): { exchangeRate?: Decimal } => {
    const { currency, on } = currencyOnDay(command) ?? { currency: null, on: null };
    const rate = currency === null || on === null ? undefined : rates.get(rateKey({ currency, on }));
    return rate === undefined || hasRate(command) ? {} : { exchangeRate: rate };
  };
  const rated = <C extends Command>(command: C): C => {
    if ('document' in command) return { ...command, document: { ...command.document, ...rateOf(command) } };
    if ('order' in command) return { ...command, order: { ...command.order, ...rateOf(command) } };
    if ('bill' in command) return { ...command, bill: { ...command.bill, ...rateOf(command) } };
    if ('payment' in command) return { ...command, payment: { ...command.payment, ...rateOf(command) } };
    return command.do === 'update' ? { ...command, to: rated(command.to) } : command;
  };
  const notes = ratesNeeded(plan, homeCurrency).flatMap((day) => {
    const rate = rates.get(rateKey(day));
    return rate === undefined
      ? []
      : [note('info', `Exchange rate of ${dayText(day.on)}: 1 ${day.currency} = ${rate} ${homeCurrency}`)];
  });
  return { ...plan, commands: plan.commands.map(rated), notes: [...plan.notes, ...notes] };
}

/** Returns the key of a currency on a day. */
export const rateKey = ({ currency, on }: CurrencyOnDay): string => `${currency} ${on}`;

/** Returns the form of the document that a command creates or changes; undefined for other commands. */
function formOf(command: Command): SalesDocument | PurchaseForm | NewPayment | undefined {
  if ('document' in command) return command.document;
  if ('order' in command) return command.order;
  if ('bill' in command) return command.bill;
  if ('payment' in command) return command.payment;
  return command.do === 'update' ? formOf(command.to) : undefined;
}

/** Returns the exchange rate that a plan sends with its document; null if it sends none. */
export function sentRate({ commands }: Plan): Decimal | null {
  const last = commands.at(-1);
  return (last === undefined ? undefined : formOf(last))?.exchangeRate ?? null;
}

/**
 * Returns what a unit of the document's currency is worth by the PSA's own amounts.
 *
 * @param amounts the same amounts in both currencies; signs do not matter
 * @returns empty for the home currency, or if the PSA has no amounts
 */
export function worthOf(
  { isForeign, isHome }: CurrencyChoice,
  amounts: readonly { readonly own: Decimal; readonly home: Decimal }[],
): Pick<Plan['expected'], 'worth'> {
  if (!isForeign || isHome) return {};
  const own = sum(amounts.map((amount) => absolute(amount.own)));
  const home = sum(amounts.map((amount) => absolute(amount.home)));
  return isZero(own) || isZero(home) ? {} : { worth: { rate: divide(home, own, ratePlaces), by: 'psa' } };
}

const ratePlaces = 7;

/** Currencies that are worth exactly one unit of another, by that other. */
const atPar: Readonly<Record<string, readonly string[]>> = {
  USD: ['BMD', 'BSD', 'PAB'],
  GBP: ['FKP', 'GIP', 'SHP', 'GGP', 'IMP', 'JEP'],
  ZAR: ['LSL', 'NAD', 'SZL'],
  INR: ['BTN'],
  SGD: ['BND'],
  BND: ['SGD'],
};

/** Differences between home amounts that need no question: cents of rounding. */
const homeRounding = decimal('0.05');

/**
 * Returns the problem that the home amount of a document is doubtful: its rate is 1, which QuickBooks uses if it has no
 * rate [Q79], or the amount differs from the PSA's, or that of the invoice, by more than the tenant's limit. Null if the
 * rate is plausible, or the document is in the home currency.
 */
export function doubtfulRate(
  plan: Plan,
  homeCurrency: string,
  { exchange_rate_hold_over: limit }: Pick<Settings, 'exchange_rate_hold_over'>,
  psaLabel: string,
): Problem | null {
  const last = plan.commands.at(-1);
  const [form, day] = last === undefined ? [] : [formOf(last), currencyOnDay(last)];
  const { currency = null, on } = day ?? {};
  const rate = form?.exchangeRate;
  if (rate === undefined || currency === null || on === undefined || currency === homeCurrency) return null;
  const { subtotal, tax, worth, takesBack } = plan.expected;
  const amount = absolute(plus(subtotal, tax));
  const accounting = round2(times(amount, rate));
  const ours = worth === undefined ? null : round2(times(amount, worth.rate));
  const differs = ours !== null && isFarFrom(accounting, ours, limit);
  const isOne = equals(rate, decimal(1)) && atPar[homeCurrency]?.includes(currency) !== true;
  // A rate near 1 in the PSA confirms a rate of 1; a PSA without rates has 1, too.
  const isConfirmed = worth !== undefined && !differs && !equals(worth.rate, decimal(1));
  if (!differs && (!isOne || isConfirmed)) return null;
  return problem('EXCHANGE_RATE_DOUBTFUL', {
    psa: psaLabel,
    currency,
    home: homeCurrency,
    on,
    rate,
    amount: format(amount),
    accounting: format(accounting),
    ours: ours === null ? null : format(ours),
    by: worth?.by ?? 'psa',
    ...(takesBack !== undefined && { takesBack }),
  });
}

const isFarFrom = (accounting: Decimal, ours: Decimal, percent: Decimal): boolean => {
  const difference = absolute(minus(accounting, ours));
  const allowed = times(times(absolute(ours), percent), decimal('0.01'));
  return compare(difference, allowed) > 0 && compare(difference, homeRounding) > 0;
};
