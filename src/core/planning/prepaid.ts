import type { InvoiceLine } from '../documents/invoice.ts';
import type { Account, AccountingLists } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { ItemSource } from '../problems/items.ts';
import { isAccountFor } from '../settings/account-uses.ts';
import type { Settings } from '../settings/definitions.ts';
import { decimal, format, isZero, negate, sum, type Decimal } from '../values/decimal.ts';
import { chooseOwnItem, itemReference, type ItemChoice } from './choose-item.ts';
import type { DecisionLog } from './decision-log.ts';
import { prepaidKinds, type Draw } from './drawdown.ts';
import type { DecidedLine } from './group-lines.ts';
import type { NewItem } from './plan.ts';
import { indexAccounting } from './reference-index.ts';
import { lineTaxCodes, type TaxRegime } from './tax.ts';

/** Name of the QuickBooks item for work that was paid in advance. */
export const prepaidItemName = 'Prepaid hours used';

/**
 * Returns the problem that a sale of prepaid work must not be posted on this item: it would become income before the
 * work is done.
 *
 * @param prepaidAccountId the usable account for prepaid money; null: none is chosen. In that case, a mapping of the
 * billing code accepts the item's account.
 * @returns null for any other line, and for an item on a liability account
 */
export function prepaidSaleProblem(
  line: InvoiceLine,
  amount: Decimal,
  choice: Extract<ItemChoice, { is: 'existing' | 'new' }>,
  {
    prepaidAccountId,
    accounts,
    source,
  }: {
    readonly prepaidAccountId: string | null;
    readonly accounts: readonly Account[];
    readonly source: ItemSource | null;
  },
): Problem | null {
  if (!prepaidKinds.has(line.kind) || isZero(amount)) return null;
  const account = accounts.find(({ id }) => id === choice.item.incomeAccountId);
  if (account?.classification === 'Liability') return null;
  const mapped = source === null ? {} : { source };
  if (prepaidAccountId === null)
    return choice.is === 'existing' && choice.by === 'mapping'
      ? null
      : problem('PREPAID_ACCOUNT_UNDECIDED', { name: line.itemName ?? 'A line', amount: format(amount), ...mapped });
  return problem('PREPAID_ITEM_ON_INCOME', {
    name: choice.item.name,
    account: account?.fullyQualifiedName ?? 'another account',
    prepaid: accounts.find(({ id }) => id === prepaidAccountId)?.fullyQualifiedName ?? 'the account of prepaid money',
    ...mapped,
  });
}

export interface PrepaidFacts {
  readonly settings: Pick<Settings, 'inv_create_item_automatically' | 'prepaid_account'>;
  readonly books: AccountingLists;
  readonly regime: TaxRegime;
  /** New items that the lines need. A new item for prepaid work is added. */
  readonly newItems: NewItem[];
  /** Position of the first new item among the commands. */
  readonly firstCommand: number;
}

/** A line of covered work with its draws. */
interface DrawnLine {
  readonly line: DecidedLine;
  readonly draws: readonly Draw[];
}

/**
 * Returns the lines that convert prepaid money to income: an income line for each draw, on the item of the work, and
 * one line that reduces the liability by their sum. They total 0 and have no tax, because the sale was already taxed.
 *
 * @returns no lines if the item for prepaid work cannot be used, or does not exist and may not be created; this refuses
 * the document
 */
export function prepaidLines(drawn: readonly DrawnLine[], facts: PrepaidFacts, log: DecisionLog): DecidedLine[] {
  const { settings, books, regime, newItems, firstCommand } = facts;
  if (drawn.length === 0) return [];
  const index = indexAccounting(books);
  const codes = lineTaxCodes(regime, null, { taxable: false, untaxed: true }, books, index, {});
  log.refuse(...codes.problems);
  const account = books.accounts.find(({ id }) => id === settings.prepaid_account);
  const mayMake = settings.inv_create_item_automatically && account !== undefined && isAccountFor('prepaid', account);
  const choice = chooseOwnItem(prepaidItemName, mayMake ? account.id : null, index);
  const own = choice.is === 'existing' ? choice.item.incomeAccountId : null;
  if (own !== null && account !== undefined && own !== account.id) {
    const wrong = `books to ${index.accountNames.get(own) ?? 'another account'}, not to ${account.fullyQualifiedName}`;
    log.refuse(problem('OWN_ITEM_UNUSABLE', { name: prepaidItemName, wrong }));
    return [];
  }
  if (choice.is === 'missing' || choice.is === 'refused') {
    log.refuse(
      choice.is === 'refused' ? choice.problem : problem('PREPAID_ACCOUNT_REQUIRED', { name: prepaidItemName }),
    );
    return [];
  }
  const earned = drawn.flatMap(({ line, draws }) =>
    draws.map(({ quantity, rate, amount }): DecidedLine => ({
      ...line,
      quantity,
      rate,
      amount,
      description: `${line.itemName}: covered by prepayment`,
      groupDescription: null,
      taxCode: codes.untaxed,
      isCovered: false,
    })),
  );
  const total = sum(earned.map(({ amount }) => amount));
  log.note(
    'info',
    `Prepaid work: ${format(total)} becomes income, from ${account?.fullyQualifiedName ?? prepaidItemName}`,
  );
  const [first] = earned;
  const isOneClass = new Set(earned.map(({ classId }) => classId)).size === 1;
  const used: DecidedLine = {
    amount: negate(total),
    quantity: decimal(1),
    rate: negate(total),
    description: prepaidItemName,
    groupDescription: null,
    item: itemReference(choice, newItems, firstCommand),
    itemName: prepaidItemName,
    servedOn: null,
    classId: isOneClass ? (first?.classId ?? null) : null,
    taxCode: codes.untaxed,
    isCovered: false,
    entries: 1,
  };
  return [...earned, used];
}
