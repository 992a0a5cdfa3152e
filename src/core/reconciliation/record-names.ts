import type { AccountingLists } from '../documents/reference-data.ts';
import type { DocumentRow } from './completeness.ts';

/** Records of QuickBooks that a document and its lines refer to. */
type RecordKind = 'customer' | 'item' | 'account' | 'class' | 'location';

/** Names by id of the records that the documents of a month refer to. */
export type RecordNames = Readonly<Record<Exclude<RecordKind, 'location'>, Names>> & {
  /** Absent in proofs from before locations were compared. */
  readonly location?: Names;
};
type Names = Readonly<Record<string, string>>;

export const noNames: RecordNames = { customer: {}, item: {}, account: {}, class: {} };

/** Returns the name of a record; its id if the name is unknown, null if there is no record. */
export const nameIn = (names: RecordNames, of: RecordKind, id: string | null): string | null =>
  id === null ? null : (names[of]?.[id] ?? id);

/** Returns the value of a changed field, with a name instead of an id. */
export const valueIn = (names: RecordNames, field: string, value: string | null): string =>
  (field === 'item_account'
    ? nameIn(names, 'account', value)
    : field in names
      ? nameIn(names, field as RecordKind, value)
      : value) ?? '–';

type Row = Pick<DocumentRow, 'posted' | 'accounting' | 'changes'>;

/** Returns the names that the rows of a month need, from QuickBooks' lists. */
export function recordNames(
  rows: readonly Row[],
  lists: Pick<AccountingLists, 'customers' | 'vendors' | 'items' | 'accounts' | 'classes' | 'locations'>,
): RecordNames {
  const used = new Set(rows.flatMap(idsOf));
  const named = (list: readonly { readonly id: string; readonly name: string }[]) =>
    Object.fromEntries(list.flatMap(({ id, name }) => (used.has(id) ? [[id, name]] : [])));
  const full = ({ id, fullyQualifiedName }: { readonly id: string; readonly fullyQualifiedName: string }) => ({
    id,
    name: fullyQualifiedName,
  });
  return {
    customer: named([...lists.customers, ...lists.vendors].map(({ id, displayName }) => ({ id, name: displayName }))),
    item: named(lists.items.map(full)),
    account: named(lists.accounts.map(full)),
    class: named(lists.classes.map(full)),
    location: named((lists.locations ?? []).map(full)),
  };
}

const idsOf = ({ posted, accounting, changes }: Row): (string | null)[] => [
  accounting?.locationId ?? null,
  ...[...(posted ?? []), ...(accounting?.lines ?? [])].flatMap(({ itemId, accountId, classId }) => [
    itemId,
    accountId,
    classId,
  ]),
  ...changes.flatMap(({ before, after }) => [before, after]),
];
