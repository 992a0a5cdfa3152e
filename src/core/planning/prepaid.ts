import type { BillingKind, InvoiceLine } from '../documents/invoice.ts';
import type { Account, BooksReferenceData } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { ItemSource } from '../problems/items.ts';
import { isAccountFor } from '../settings/account-uses.ts';
import type { Settings } from '../settings/definitions.ts';
import { decimal, format, isPositive, isZero, negate, round2, sum, times, type Decimal } from '../values/decimal.ts';
import { chooseOwnItem, itemReference, type ItemChoice } from './choose-item.ts';
import type { DecisionLog } from './decision-log.ts';
import type { DecidedLine } from './group-lines.ts';
import type { NewItem } from './plan.ts';
import { indexBooks, type PsaIndex } from './reference-index.ts';
import { lineTaxCodes, type TaxRegime } from './tax.ts';

/** Name of the item for work that was paid in advance in the books. */
export const prepaidItemName = 'Prepaid hours used';

/** Work that a block or a retainer has paid for: charged nothing although it has a price. */
export const isPrepaidWork = (line: InvoiceLine, amount: Decimal, psa: Pick<PsaIndex, 'prepaidContractIds'>): boolean =>
  line.kind === 'labor' &&
  isZero(amount) &&
  isPositive(line.rate) &&
  isPositive(line.quantity) &&
  line.contractId !== null &&
  psa.prepaidContractIds.has(line.contractId);

/** Kinds of lines that are paid before the work: hours, retainers and tickets. */
const prepaidKinds: ReadonlySet<BillingKind> = new Set(['block_purchase', 'retainer_purchase', 'ticket_purchase']);

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

/**
 * The lines by which work that was paid in advance becomes income: one of income for each, on the item of the work, and
 * one that takes them all from what is owed to the client. They come to 0 and carry no tax: that was charged with the
 * block.
 *
 * @param worked the decided lines of such work, with hours and rate
 * @returns nothing when the item of prepaid work neither exists nor may be made, or cannot be used; that is refused.
 */
export function prepaidLines(worked: readonly DecidedLine[], facts: PrepaidFacts, log: DecisionLog): DecidedLine[] {
  const { settings, books, regime, newItems, firstCommand } = facts;
  if (worked.length === 0) return [];
  const index = indexBooks(books);
  const codes = lineTaxCodes(regime, null, { taxable: false, untaxed: true }, books, index, {});
  log.refuse(...codes.problems);
  const account = books.accounts.find(({ id }) => id === settings.prepaid_account);
  const mayMake = settings.inv_create_item_automatically && account !== undefined && isAccountFor('prepaid', account);
  const choice = chooseOwnItem(prepaidItemName, mayMake ? account.id : null, index);
  if (choice.is === 'missing' || choice.is === 'refused') {
    log.refuse(
      choice.is === 'refused' ? choice.problem : problem('PREPAID_ACCOUNT_REQUIRED', { name: prepaidItemName }),
    );
    return [];
  }
  const earned = worked.map((line): DecidedLine => {
    const amount = round2(times(line.quantity, line.rate));
    return {
      ...line,
      amount,
      description: `${line.itemName}: worked from what was paid in advance`,
      groupDescription: null,
      taxCode: codes.untaxed,
      isCovered: false,
    };
  });
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
