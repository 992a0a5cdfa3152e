import type { Invoice, InvoiceLine } from '../documents/invoice.ts';
import type { AccountingLists, PsaReferenceData } from '../documents/reference-data.ts';
import { problem } from '../problems.ts';
import { isAccountFor } from '../settings/account-uses.ts';
import type { Settings } from '../settings/definitions.ts';
import {
  absolute,
  compare,
  decimal,
  format,
  isZero,
  minus,
  negate,
  round2,
  signed,
  sum,
  zero,
  type Decimal,
} from '../values/decimal.ts';
import { chooseOwnItem, itemReference } from './choose-item.ts';
import type { DecidedLine } from './group-lines.ts';
import type { NewItem } from './plan.ts';
import { indexAccounting } from './reference-index.ts';
import type { DecisionLog } from './decision-log.ts';
import { roundingLimit } from './rounding-limit.ts';
import { lineTaxCodes, type TaxRegime } from './tax.ts';

/** Name of the QuickBooks item for rounding differences. */
export const roundingItemName = 'Rounding difference';

export interface ControlFacts {
  readonly invoice: Invoice;
  readonly psa: Pick<PsaReferenceData, 'modules'>;
  readonly psaLabel: string;
}

/**
 * Compares header and lines before anything is sent (domain reference 6.12). Refuses lines that differ by more than
 * their rounding.
 *
 * @returns the header amount minus the rounded lines, to the cent; 0 if they agree or are refused
 */
export function checkControlTotal({ invoice, psa, psaLabel }: ControlFacts, log: DecisionLog): Decimal {
  if (invoice.lines.length === 0) return zero;
  // If the PSA uses several currencies, the header is in the customer's currency.
  const amountOf = (line: InvoiceLine) => round2(psa.modules.multiCurrency ? line.amount : line.internalAmount);
  const lines = sum(invoice.lines.map(amountOf));
  const header = minus(invoice.total, invoice.tax);
  const missing = minus(header, lines);
  const equation = `${format(lines)} ${isZero(missing) ? '=' : '<>'} ${format(invoice.total)} - ${format(invoice.tax)}`;
  log.note('info', `Control total ${equation}`);
  if (compare(absolute(missing), roundingLimit(invoice.lines.length)) <= 0) return round2(missing);
  log.refuse(problem('CONTROL_TOTAL', { psa: psaLabel, lines: format(lines), invoice: format(header) }));
  return zero;
}

export interface RoundingFacts {
  readonly settings: Pick<
    Settings,
    'inv_create_item_automatically' | 'inv_default_income_account' | 'inv_rounding_account'
  >;
  readonly books: AccountingLists;
  readonly regime: TaxRegime;
  /** New items that the lines need. A new item for rounding differences is added. */
  readonly newItems: NewItem[];
  /** Position of the first new item among the commands. */
  readonly firstCommand: number;
  /** The class of the line, if all lines share one. */
  readonly classId: string | null;
}

/**
 * Returns the line for the difference between rounded lines and the invoice's total, so receivables equal the billed
 * amount. The line is untaxed and has a separate item.
 *
 * @returns null if the item cannot be used, or does not exist and may not be created; this refuses the document
 */
export function roundingLine(missing: Decimal, facts: RoundingFacts, log: DecisionLog): DecidedLine | null {
  const { settings, books, regime, newItems, firstCommand, classId } = facts;
  const index = indexAccounting(books);
  const codes = lineTaxCodes(regime, null, { taxable: false, untaxed: true }, books, index, {});
  log.refuse(...codes.problems);
  const accountId = settings.inv_rounding_account ?? settings.inv_default_income_account;
  const account = books.accounts.find(({ id }) => id === accountId);
  const mayMake = settings.inv_create_item_automatically && account !== undefined && isAccountFor('rounding', account);
  const choice = chooseOwnItem(roundingItemName, mayMake ? account.id : null, index);
  if (choice.is === 'missing' || choice.is === 'refused') {
    log.refuse(
      choice.is === 'refused'
        ? choice.problem
        : problem('ROUNDING_ITEM_REQUIRED', { difference: signed(missing), name: roundingItemName }),
    );
    return null;
  }
  log.warn(problem('ROUNDING', { difference: signed(negate(missing)), isMadeUp: true }));
  return {
    amount: missing,
    quantity: decimal(1),
    rate: missing,
    description: roundingItemName,
    groupDescription: roundingItemName,
    item: itemReference(choice, newItems, firstCommand),
    itemName: roundingItemName,
    servedOn: null,
    classId,
    taxCode: codes.untaxed,
    isCovered: false,
    entries: 1,
  };
}
