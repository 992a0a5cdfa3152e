import type { InvoiceLine } from '../documents/invoice.ts';
import type { Account, BooksReferenceData } from '../documents/reference-data.ts';
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
import { indexBooks } from './reference-index.ts';
import { lineTaxCodes, type TaxRegime } from './tax.ts';

/** Name of the item for work that was paid in advance in the books. */
export const prepaidItemName = 'Prepaid hours used';

/**
 * Why a sale of prepaid work must not be posted on this item: as income it would be earned before the work.
 *
 * @param prepaidAccountId the usable account of prepaid money; null: none is chosen. A mapping of the billing code then
 *   decides for the item's account.
 * @returns null for any other line, and for an item on a liability account.
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
  readonly books: BooksReferenceData;
  readonly regime: TaxRegime;
  /** The items that the lines make already; a new one of prepaid work is added. */
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
 * Returns the lines that turn prepaid money into income: an income line for each draw, on the item of the work, and one
 * line that reduces the liability by their sum. They total 0 and carry no tax: the sale was taxed.
 *
 * @returns nothing when the item of prepaid work neither exists nor may be made, or cannot be used; that is refused.
 */
export function prepaidLines(drawn: readonly DrawnLine[], facts: PrepaidFacts, log: DecisionLog): DecidedLine[] {
  const { settings, books, regime, newItems, firstCommand } = facts;
  if (drawn.length === 0) return [];
  const index = indexBooks(books);
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
      description: `${line.itemName}: worked from what was paid in advance`,
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
