import { chooseAccount, isAccountFor } from '../settings/definition.ts';
import type { AccountingLists, Item } from '../documents/reference-data.ts';
import { never } from '../values/assert.ts';
import { normalized } from '../values/text.ts';
import { lineItemTypes } from '../planning/reference-index.ts';
import { type Mapping, type MappingNamespace, nameToCreate } from './mapping.ts';
import { oncePer } from '../values/once-per.ts';

/** A QuickBooks record that a mapping may point to, or the reason why it may not. */
export interface Target {
  readonly value: string;
  readonly label: string;
  /** Second name of the record: a stock keeping unit, a company name. */
  readonly detail: string | null;
  /** Other names that a search matches. */
  readonly names: readonly string[];
  /** Stock keeping unit. */
  readonly number: string | null;
  /** Why it cannot be chosen, as a sentence; null when it can. */
  readonly whyNot: string | null;
}

/** Nouns for a target in a sentence, by namespace. */
export const targetNouns: Readonly<Record<MappingNamespace, string>> = {
  Customer: 'customer',
  Vendor: 'vendor',
  Employee: 'vendor',
  SalesCustomField: 'custom field',
  ExpenseCategoryBillable: 'account',
  ExpenseCategoryNonBillable: 'account',
  ItemBilling: 'item',
  ItemPurchasing: 'item',
  ItemName: 'item',
  LineOfBusiness: 'class',
  Location: 'location',
  TaxRegion: 'tax code',
};

const inactive = (label: string): string => `“${label}” is inactive in QuickBooks.`;

const target = (of: Pick<Target, 'value' | 'label' | 'whyNot'> & Partial<Target>): Target => ({
  detail: null,
  names: [],
  number: null,
  ...of,
});

type Known = Partial<Record<MappingNamespace, readonly Target[]>>;
/** Cached targets: QuickBooks lists are never changed in place, and a search reads them on every keystroke. */
const knownOf = oncePer<AccountingLists, Known>(() => ({}));

/**
 * Returns every QuickBooks record that a namespace can map to, including those that cannot be chosen, with the reason.
 */
export function targetsOf(namespace: MappingNamespace, accounting: AccountingLists): readonly Target[] {
  return (knownOf(accounting)[namespace] ??= makeTargets(namespace, accounting));
}

function makeTargets(namespace: MappingNamespace, accounting: AccountingLists): readonly Target[] {
  switch (namespace) {
    case 'Customer':
    case 'Vendor':
    case 'Employee':
      return (namespace === 'Customer' ? accounting.customers : accounting.vendors).map((vendor) =>
        target({
          value: vendor.id,
          label: vendor.displayName,
          detail: vendor.companyName === vendor.displayName ? null : vendor.companyName,
          names: vendor.companyName === null ? [] : [vendor.companyName],
          whyNot: vendor.isActive ? null : inactive(vendor.displayName),
        }),
      );
    case 'SalesCustomField':
      return accounting.preferences.customFields.map(({ definitionId, name }) =>
        target({ value: definitionId, label: name, whyNot: null }),
      );
    case 'ExpenseCategoryBillable':
    case 'ExpenseCategoryNonBillable':
      return accounting.accounts.map((account) =>
        target({
          value: account.id,
          label: account.fullyQualifiedName,
          whyNot: isAccountFor('expense', account)
            ? null
            : account.isActive
              ? `“${account.fullyQualifiedName}” is no expense account. ${chooseAccount('expense')}`
              : inactive(account.fullyQualifiedName),
        }),
      );
    case 'ItemBilling':
    case 'ItemPurchasing':
    case 'ItemName':
      return accounting.items.map((item) =>
        target({
          value: item.id,
          label: item.fullyQualifiedName,
          detail: item.sku,
          names: [item.name],
          number: item.sku,
          whyNot: whyNoItem(item, namespace),
        }),
      );
    case 'LineOfBusiness':
    case 'Location':
      return (namespace === 'Location' ? (accounting.locations ?? []) : accounting.classes).map((one) =>
        target({
          value: one.id,
          label: one.fullyQualifiedName,
          whyNot: one.isActive ? null : inactive(one.fullyQualifiedName),
        }),
      );
    case 'TaxRegion':
      return accounting.taxCodes.map((taxCode) =>
        target({
          value: taxCode.id,
          label: taxCode.name,
          detail: taxCode.salesRate === null ? null : `${taxCode.salesRate} %`,
          whyNot: taxCode.isActive ? null : inactive(taxCode.name),
        }),
      );
    default:
      return never(namespace);
  }
}

function whyNoItem(item: Item, namespace: 'ItemBilling' | 'ItemPurchasing' | 'ItemName'): string | null {
  const name = item.fullyQualifiedName;
  if (item.type === 'Category')
    return `“${name}” is a category in QuickBooks, which cannot be used on a line. Choose an item.`;
  if (item.type === 'Group')
    return `“${name}” is a bundle in QuickBooks, which cannot be used on a line. Choose an item.`;
  if (!lineItemTypes.has(item.type)) return `“${name}” has a type that cannot be used on a line (${item.type}).`;
  if (!item.isActive) return inactive(name);
  if (namespace === 'ItemName') return null;
  const isSale = namespace === 'ItemBilling';
  if ((isSale ? item.incomeAccountId : item.expenseAccountId) !== null) return null;
  return `“${name}” has no ${isSale ? 'income' : 'expense'} account in QuickBooks, so it cannot be ${isSale ? 'sold' : 'bought'}.`;
}

/** The search text of a target, one name per line. */
const searchText = oncePer(({ label, number, names }: Target) =>
  [label, number ?? '', ...names].map(normalized).join('\n'),
);

/** Whether a name or number of the target contains the normalized text. */
export const isFoundBy = (one: Target, wanted: string): boolean => searchText(one).includes(wanted);

/** State of a saved mapping compared with the current QuickBooks lists. */
export type MappingState = 'ok' | 'renamed' | 'unusable' | 'gone';

/** Returns the state of a mapping and the sentence about its fix; null when nothing has to be done. */
export function stateOf(
  mapping: Mapping,
  targets: ReadonlyMap<string, Target>,
): { readonly state: MappingState; readonly label: string | null; readonly text: string | null } {
  const created = nameToCreate(mapping.targetValue);
  if (created !== null) return { state: 'ok', label: `New ${targetNouns[mapping.namespace]} “${created}”`, text: null };
  const found = targets.get(mapping.targetValue);
  if (found === undefined)
    return {
      state: 'gone',
      label: mapping.targetLabel,
      text: `QuickBooks no longer has this ${targetNouns[mapping.namespace]}: it was deleted or merged into another one. Choose another, or delete the mapping.`,
    };
  if (found.whyNot !== null) return { state: 'unusable', label: found.label, text: found.whyNot };
  if (mapping.targetLabel !== null && mapping.targetLabel !== found.label)
    return { state: 'renamed', label: found.label, text: `Was called “${mapping.targetLabel}” when it was mapped.` };
  return { state: 'ok', label: found.label, text: null };
}
