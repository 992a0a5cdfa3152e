import { note } from '../transcript.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Command, Plan } from './plan.ts';

/** A currency and the day on which a document uses it. */
export interface CurrencyOnDay {
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

/** Returns the exchange rate that a plan sends with its document; null if it sends none. */
export function sentRate({ commands }: Plan): Decimal | null {
  const last = commands.at(-1);
  const command = last?.do === 'update' ? last.to : last;
  if (command === undefined) return null;
  const form =
    'document' in command
      ? command.document
      : 'order' in command
        ? command.order
        : 'bill' in command
          ? command.bill
          : 'payment' in command
            ? command.payment
            : undefined;
  return form?.exchangeRate ?? null;
}
