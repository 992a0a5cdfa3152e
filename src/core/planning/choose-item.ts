import type { BillingKind, InvoiceLine } from '../documents/invoice.ts';
import type { BillingCode, Item } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { ItemSource } from '../problems/items.ts';
import { itemSettingDefinitions, type ItemSettings } from '../settings/item-settings.ts';
import type { Decimal } from '../values/decimal.ts';
import { cleanName, collapsed, normalized, textOrNull } from '../values/text.ts';
import type { ItemMatch, NewItem, Reference } from './plan.ts';
import { lineItemTypes, type AccountingIndex, type MappingIndex, type PsaIndex } from './reference-index.ts';

/** The item of a line: an existing one, a new one, or the reason why there is none. */
export type ItemChoice =
  | { readonly is: 'existing'; readonly item: Item; readonly by: FoundBy; readonly match?: ItemMatch }
  | { readonly is: 'new'; readonly item: NewItem }
  /** Neither mapped nor found, and creation is not allowed. One problem lists all such lines. */
  | { readonly is: 'missing' }
  | { readonly is: 'refused'; readonly problem: Problem };

export interface ItemRules {
  readonly psa: PsaIndex;
  readonly accounting: AccountingIndex;
  readonly mappings: MappingIndex;
  readonly itemSettings: ItemSettings;
  readonly createsItems: boolean;
  readonly incomeAccountId: string | null;
  /** Income accounts of new items, for kinds with a separate account. */
  readonly accountsByKind?: Readonly<Partial<Record<BillingKind, string>>>;
}

/** Returns the income account of a new item for lines of a kind; null if no usable account is chosen. */
export const accountOfNewItem = (kind: BillingKind, rules: Pick<ItemRules, 'accountsByKind' | 'incomeAccountId'>) =>
  rules.accountsByKind?.[kind] ?? rules.incomeAccountId;

/** Name of a line's item (domain reference 4). */
export interface ItemName {
  readonly name: string;
  /** True if the chosen source was empty and the fixed name is used instead. */
  readonly isFallback: boolean;
}

/** Longest SKU in QuickBooks. */
const maxSkuLength = 100;

/** Names the item of a line by the naming convention of its kind. */
export function nameItem(line: InvoiceLine, psa: PsaIndex, itemSettings: ItemSettings): ItemName {
  const billingCode = textOrNull(billingCodeOf(line, psa)?.name);
  const itemName = textOrNull(line.namedLike === undefined ? line.itemName : line.namedLike);
  if (line.kind === 'other') return { name: billingCode ?? itemName ?? 'Other', isFallback: false };
  const { fixedName } = itemSettingDefinitions[line.kind];
  const role = textOrNull(line.roleId === null ? null : psa.roles.get(line.roleId));
  const both = (first: string | null, second: string | null) =>
    first === null || second === null ? null : `${first} - ${second}`;
  const named = {
    billing_code: () => billingCode,
    item_name: () => itemName,
    role: () => role,
    role_billing_code: () => both(role, billingCode),
    billing_code_role: () => both(billingCode, role),
    contract: () => textOrNull(line.contractId === null ? null : psa.contracts.get(line.contractId)),
    product: () => textOrNull(line.productId === null ? null : psa.products.get(line.productId)) ?? itemName,
    fixed: () => fixedName,
  }[itemSettings[line.kind]]();
  return { name: named ?? fixedName, isFallback: named === null };
}

/**
 * Chooses the item of a line (domain reference 6.4): the billing code's mapping, else the item with its name, else the
 * item with its external number, else a new item if the settings allow it. Items without an income account cannot carry
 * revenue.
 *
 * @param isTaxable whether the line's tax category is taxable; a new item inherits it
 */
export function chooseItem(line: InvoiceLine, name: string, isTaxable: boolean, rules: ItemRules): ItemChoice {
  const code = billingCodeOf(line, rules.psa);
  const mapping = code === undefined ? undefined : rules.mappings.ItemBilling?.get(String(code.id));
  if (mapping !== undefined) {
    const item = rules.accounting.itemsById.get(mapping.targetValue);
    const wrong = whyInvalid(item);
    if (item !== undefined && wrong === null) return { is: 'existing', item, by: 'mapping' };
    const shown = item?.fullyQualifiedName ?? mapping.targetLabel ?? mapping.targetValue;
    return refused(
      problem('ITEM_INVALID', {
        name: shown,
        wrong: wrong ?? 'is inactive or deleted',
        replaces: mapping.targetValue,
        ...sold(code),
      }),
    );
  }
  const externalNumber = textOrNull(code?.externalNumber);
  const newName = nameToCreate(name);
  const keys = [joinLevels(name, ':'), newName].map(normalized);
  const candidates: (readonly [FoundBy, readonly Item[]])[] = [
    ...keys.map((key) => ['name', rules.accounting.itemsByFullName.get(key) ?? []] as const),
    ...keys.map((key) => ['last part of the name', rules.accounting.itemsByName.get(key) ?? []] as const),
  ];
  if (externalNumber !== null) {
    const key = normalized(externalNumber);
    candidates.push(['external number', rules.accounting.itemsBySku.get(key) ?? []]);
    candidates.push(['external number', rules.accounting.itemsByFullName.get(key) ?? []]);
    candidates.push(['last part of the name', rules.accounting.itemsByName.get(key) ?? []]);
  }
  const found = onlyMatch(candidates, ({ incomeAccountId }) => incomeAccountId !== null, known(keys, rules.mappings));
  if (found.is === 'one') return matched(found.item, found.by, newName, rules.mappings);
  if (found.is === 'several')
    return refused(problem('ITEM_AMBIGUOUS', { name, candidates: found.items.map(toCandidate), ...sold(code) }));
  const purchaseOnly = candidates.flatMap(([, some]) => some).find(({ incomeAccountId }) => incomeAccountId === null);
  if (purchaseOnly !== undefined)
    return refused(problem('ITEM_NO_INCOME_ACCOUNT', { name: purchaseOnly.fullyQualifiedName, ...sold(code) }));
  const former = formerItem(keys, newName, rules, whyInvalid, code === undefined ? null : sold(code).source);
  if (former !== null) return former;
  if (!rules.createsItems || newName === '') return { is: 'missing' };
  const incomeAccountId = accountOfNewItem(line.kind, rules);
  if (incomeAccountId === null) return refused(problem('INCOME_ACCOUNT_REQUIRED'));
  const taken = whatHasTheName(newName, rules.accounting);
  if (taken !== null) return refused(problem('ITEM_NAME_TAKEN', { ...taken, ...sold(code) }));
  return {
    is: 'new',
    item: {
      name: newName,
      sku: externalNumber !== null && externalNumber.length <= maxSkuLength ? externalNumber : null,
      incomeAccountId,
      expenseAccountId: null,
      isTaxable,
    },
  };
}

/**
 * Chooses the item for a line that Tallybridge adds: the existing one with this name, else a new one (domain reference
 * 6.4).
 *
 * An existing item that cannot carry the line is refused. QuickBooks rejects a second item with the name, and
 * Tallybridge never changes an existing item.
 *
 * @param incomeAccountId account of a new item; null if creation is not allowed, so the item is missing
 */
export function chooseOwnItem(name: string, incomeAccountId: string | null, accounting: AccountingIndex): ItemChoice {
  const named = accounting.itemsByFullName.get(normalized(name)) ?? [];
  const found = named.find((item) => item.incomeAccountId !== null);
  if (found !== undefined) return { is: 'existing', item: found, by: 'name' };
  if (named.length > 0) return refused(problem('OWN_ITEM_UNUSABLE', { name, wrong: 'has no income account' }));
  const taken = whatHasTheName(name, accounting);
  if (taken !== null) return refused(problem('OWN_ITEM_UNUSABLE', { name, wrong: `is a ${taken.what}` }));
  if (incomeAccountId === null) return { is: 'missing' };
  return { is: 'new', item: { name, sku: null, incomeAccountId, expenseAccountId: null, isTaxable: false } };
}

/** How an item was found. */
type FoundBy = 'mapping' | 'name' | 'last part of the name' | 'external number' | 'SKU' | 'former name';

type Candidates = readonly (readonly [FoundBy, readonly Item[]])[];

/** Returns the ids of the items that were used for these names before. */
const known = (keys: readonly string[], { ItemName }: MappingIndex): ReadonlySet<string> =>
  new Set(keys.flatMap((key) => ItemName?.get(key)?.targetValue ?? []));

/**
 * Returns the only usable item that matches a document's name and number.
 *
 * The first group with one item decides. After a group with several items, only one of those items can be chosen. A
 * match on the last part of a sub-item's name decides only if the item was used for this name before, because another
 * parent may mean another account.
 */
function onlyMatch(
  candidates: Candidates,
  isUsable: (item: Item) => boolean,
  knownIds: ReadonlySet<string>,
):
  | { readonly is: 'one'; readonly item: Item; readonly by: FoundBy }
  | { readonly is: 'several'; readonly items: readonly Item[] }
  | { readonly is: 'none' } {
  let several: ReadonlyMap<string, Item> | null = null;
  let isLastPart = false;
  for (const [by, group] of candidates) {
    // Rows of the same id are the same item.
    const usable = new Map(group.filter(isUsable).map((item) => [item.id, item]));
    const [item, ...others] = usable.values();
    if (item === undefined) continue;
    const isSubItem = item.fullyQualifiedName.includes(':');
    const isSure = by !== 'last part of the name' || !isSubItem || knownIds.has(item.id);
    if (others.length === 0 && isSure && (several === null || several.has(item.id))) return { is: 'one', item, by };
    // If only the last part of a name matches, also offer the items that later groups find.
    if (several === null) isLastPart = !isSure;
    if (several === null || isLastPart) several = new Map([...(several ?? []), ...usable]);
  }
  return several === null ? { is: 'none' } : { is: 'several', items: [...several.values()] };
}

const toCandidate = ({ id, fullyQualifiedName }: Item) => ({ value: id, label: fullyQualifiedName });

/** Returns the chosen item, with the match to remember unless it is already known. */
function matched(item: Item, by: FoundBy, name: string, { ItemName }: MappingIndex): ItemChoice {
  const key = normalized(name);
  if (key === '' || ItemName?.get(key)?.targetValue === item.id) return { is: 'existing', item, by };
  return { is: 'existing', item, by, match: { name, itemId: item.id, itemName: item.fullyQualifiedName } };
}

/**
 * Returns the item that was used for a name before QuickBooks renamed it; null if there is none.
 *
 * Refuses the document if that item can no longer be used: a new item with the old name would move revenue to another
 * account.
 */
function formerItem(
  keys: readonly string[],
  name: string,
  { accounting, mappings }: Pick<ItemRules, 'accounting' | 'mappings'>,
  whyNot: (item: Item | undefined) => string | null,
  source: ItemSource | null | undefined,
): ItemChoice | null {
  const known = keys.flatMap((key) => mappings.ItemName?.get(key) ?? [])[0];
  if (known === undefined) return null;
  const item = accounting.itemsById.get(known.targetValue);
  if (item !== undefined && whyNot(item) === null) return { is: 'existing', item, by: 'former name' };
  const used = item?.fullyQualifiedName ?? known.targetLabel ?? known.targetValue;
  return refused(
    problem('ITEM_NO_LONGER_ACTIVE', {
      name,
      used,
      replaces: known.targetValue,
      ...(source === null || source === undefined ? {} : { source }),
    }),
  );
}

export interface PurchaseItemRules {
  readonly psa: PsaIndex;
  readonly accounting: AccountingIndex;
  readonly mappings: MappingIndex;
  readonly createsItems: boolean;
  readonly expenseAccountId: string | null;
  readonly incomeAccountId: string | null;
}

/**
 * Chooses the item of a purchased product (domain reference 9.3): its mapping, else the item with its SKU, else the
 * item with its name, else a new item if the settings allow it. Items without an expense account cannot carry a cost.
 * Existing items are never changed.
 *
 * @param unitCost cost of one unit, which a new item stores
 */
export function choosePurchaseItem(productId: number, unitCost: Decimal, rules: PurchaseItemRules): ItemChoice {
  const source = boughtItem(productId, rules.psa);
  const mapping = rules.mappings.ItemPurchasing?.get(String(productId));
  if (mapping !== undefined) {
    const item = rules.accounting.itemsById.get(mapping.targetValue);
    const shown = item?.fullyQualifiedName ?? mapping.targetLabel ?? mapping.targetValue;
    if (item === undefined || !item.isActive)
      return refused(problem('ITEM_INVALID', { name: shown, source, replaces: mapping.targetValue }));
    if (!lineItemTypes.has(item.type))
      return refused(problem('ITEM_INVALID', { name: shown, source, wrong: `is a ${item.type.toLowerCase()}` }));
    if (item.expenseAccountId === null) return refused(problem('ITEM_NO_EXPENSE_ACCOUNT', { name: shown, source }));
    return { is: 'existing', item, by: 'mapping' };
  }
  const name = rules.psa.products.get(productId) ?? '';
  const sku = textOrNull(rules.psa.productSkus.get(productId));
  const newName = nameToCreate(name);
  const keys = [joinLevels(name, ':'), newName].map(normalized).filter((key) => key !== '');
  const candidates: Candidates = [
    ['SKU', sku === null ? [] : (rules.accounting.itemsBySku.get(normalized(sku)) ?? [])],
    ...keys.map((key) => ['name', rules.accounting.itemsByFullName.get(key) ?? []] as const),
    ...keys.map((key) => ['last part of the name', rules.accounting.itemsByName.get(key) ?? []] as const),
  ];
  const found = onlyMatch(candidates, ({ expenseAccountId }) => expenseAccountId !== null, known(keys, rules.mappings));
  if (found.is === 'one') return matched(found.item, found.by, newName, rules.mappings);
  if (found.is === 'several')
    return refused(problem('ITEM_AMBIGUOUS', { name, candidates: found.items.map(toCandidate), source }));
  const saleOnly = candidates.flatMap(([, some]) => some).find(({ expenseAccountId }) => expenseAccountId === null);
  if (saleOnly !== undefined)
    return refused(problem('ITEM_NO_EXPENSE_ACCOUNT', { name: saleOnly.fullyQualifiedName, source }));
  const former = formerItem(keys, newName, rules, whyNotBought, source);
  if (former !== null) return former;
  if (!rules.createsItems || newName === '') return { is: 'missing' };
  if (rules.expenseAccountId === null) return refused(problem('EXPENSE_ACCOUNT_REQUIRED'));
  const taken = whatHasTheName(newName, rules.accounting);
  if (taken !== null) return refused(problem('ITEM_NAME_TAKEN', { ...taken, source }));
  return {
    is: 'new',
    item: {
      name: newName,
      sku: sku !== null && sku.length <= maxSkuLength ? sku : null,
      incomeAccountId: rules.incomeAccountId,
      expenseAccountId: rules.expenseAccountId,
      isTaxable: false,
      purchaseCost: unitCost,
    },
  };
}

/**
 * Returns the reference to the item of a line. Lines that need the same new item share it. The new item gets the known
 * values of all of them.
 *
 * @param firstCommand position of the first new item among the commands
 */
export function itemReference(
  choice: Extract<ItemChoice, { is: 'existing' | 'new' }>,
  newItems: NewItem[],
  firstCommand: number,
): Reference {
  if (choice.is === 'existing') return { id: choice.item.id, name: choice.item.name };
  const key = choice.item.name.toLowerCase();
  const at = newItems.findIndex(({ name }) => name.toLowerCase() === key);
  const known = newItems[at];
  if (known === undefined) return { fromCommand: firstCommand + newItems.push(choice.item) - 1 };
  newItems[at] = { ...known, sku: known.sku ?? choice.item.sku, isTaxable: known.isTaxable || choice.item.isTaxable };
  return { fromCommand: firstCommand + at };
}

/** Returns the PSA record that the item of an invoice line is mapped from; null if its billing code is unknown. */
export function soldItem(line: InvoiceLine, psa: PsaIndex): ItemSource | null {
  const code = billingCodeOf(line, psa);
  return code === undefined ? null : { namespace: 'ItemBilling', id: code.id, name: code.name };
}

/** Returns the PSA record that the item of a product is mapped from. */
export const boughtItem = (productId: number, psa: PsaIndex): ItemSource => ({
  namespace: 'ItemPurchasing',
  id: productId,
  name: textOrNull(psa.products.get(productId)) ?? `product ${productId}`,
});

const sold = (code: BillingCode | undefined): { readonly source?: ItemSource } =>
  code === undefined ? {} : { source: { namespace: 'ItemBilling', id: code.id, name: code.name } };

/** Returns the category or bundle that already has the name of a new item; null if there is none. */
function whatHasTheName(
  newName: string,
  { otherItemsByFullName }: AccountingIndex,
): { readonly name: string; readonly what: string } | null {
  const [found] = otherItemsByFullName.get(normalized(newName)) ?? [];
  if (found === undefined) return null;
  return { name: found.fullyQualifiedName, what: { Category: 'category', Group: 'bundle' }[found.type] ?? found.type };
}

const refused = (found: Problem): ItemChoice => ({ is: 'refused', problem: found });

// A tilde separates levels in PSA names. QuickBooks uses a colon, and Tallybridge creates no categories.
const joinLevels = (name: string, separator: string): string =>
  name
    .split('~')
    .map((level) => level.trim())
    .join(separator);
const nameToCreate = (name: string): string => cleanName(joinLevels(name, ' - '));

/** Returns the name shortened to the length that QuickBooks allows; null if it fits. */
export function cutName(name: string): string | null {
  const wanted = collapsed(joinLevels(name.replaceAll(':', ' '), ' - '));
  const used = nameToCreate(name);
  return used.length < wanted.length ? used : null;
}

function whyInvalid(item: Item | undefined): string | null {
  if (item === undefined || !item.isActive) return 'is inactive or deleted';
  if (!lineItemTypes.has(item.type)) return `is a ${item.type.toLowerCase()}`;
  return item.incomeAccountId === null ? 'has no income account' : null;
}

const whyNotBought = (item: Item | undefined): string | null =>
  item === undefined || !item.isActive || !lineItemTypes.has(item.type) || item.expenseAccountId === null
    ? 'cannot be bought'
    : null;

const billingCodeOf = (line: InvoiceLine, psa: PsaIndex): BillingCode | undefined =>
  line.billingCodeId === null ? undefined : psa.billingCodes.get(line.billingCodeId);
