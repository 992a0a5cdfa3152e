import { type AccountingChange, type ListRecord, listRecords, withChanges } from '#core/documents/accounting-change.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { type Mapping, type MappingNamespace, nameToCreate } from '#core/mapping/mapping.ts';
import type { Problem, Repair } from '#core/problems.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { definitionOf, settingKeys, type Settings } from '#core/settings/definitions.ts';
import { readAgain } from '../../connections/cached-lists.ts';
import type { Searcher, Shared } from '../kinds/kind.ts';
import { oncePer } from '#core/values/once-per.ts';

/** Lists whose deleted records QuickBooks reports, by the namespace of their mappings. */
const listOf: Readonly<Partial<Record<MappingNamespace, ListRecord>>> = {
  Customer: 'customer',
  Vendor: 'vendor',
  Employee: 'vendor',
  ItemBilling: 'item',
  ItemPurchasing: 'item',
  ItemName: 'item',
  LineOfBusiness: 'class',
  ExpenseCategoryBillable: 'account',
  ExpenseCategoryNonBillable: 'account',
};

/** Lists whose missing records a job has read again, with the reading. */
const readingsOf = oncePer<Shared, Map<ListRecord, Promise<boolean>>>(() => new Map());

/**
 * Reads the missing records that problems are about, because QuickBooks may have reported a record as deleted that was
 * only changed [Q93]. Reads all records of these lists that mappings and settings name and the lists lack, once per job.
 *
 * @returns true if a record exists; it is then in the lists, and the document must be decided again.
 * @throws ServiceError when QuickBooks does not respond; then the document is not refused.
 */
export async function existAfterAll(
  run: Pick<Searcher, 'context' | 'accounting'>,
  shared: Shared,
  problems: readonly Problem[],
): Promise<boolean> {
  const concerned = new Set(problems.flatMap(({ repairs = [] }) => repairs.flatMap((one) => keysOf(one, shared))));
  if (concerned.size === 0) return false;
  const missing = missingRecords(shared);
  const lists = new Set(missing.filter((one) => concerned.has(keyOf(one))).map(({ record }) => record));
  const read = readingsOf(shared);
  let isFound = false;
  for (const list of lists) {
    const named = missing.filter(({ record }) => record === list);
    const reading = read.get(list) ?? readMissing(run, shared, named);
    read.set(list, reading);
    isFound = (await reading) || isFound;
  }
  return isFound;
}

async function readMissing(
  { context, accounting }: Pick<Searcher, 'context' | 'accounting'>,
  shared: Shared,
  named: readonly AccountingChange[],
): Promise<boolean> {
  const changes = await unlessReadsAreBlocked(readAgain(context, accounting, named), null);
  if (changes === null || changes.found.length === 0) return false;
  const { found } = changes;
  shared.accounting = withChanges({ lists: shared.accounting, changedAt: {} }, { found, gone: [] }).lists;
  return true;
}

type Missing = AccountingChange & { readonly record: ListRecord };

const keyOf = ({ record, id }: AccountingChange): string => `${record} ${id}`;

/** Returns the records that mappings and settings name and the lists do not have. */
function missingRecords({ mappings, settings, accounting }: Shared): readonly Missing[] {
  const known = new Set(
    listRecords.flatMap((record) => rowsOf(accounting, record).map(({ id }) => keyOf({ record, id }))),
  );
  const named = [
    ...mappings.flatMap((one) => targetOf(one) ?? []),
    ...settingKeys.flatMap((key) => accountOf(key, settings) ?? []),
  ];
  return [...new Map(named.flatMap((one) => (known.has(keyOf(one)) ? [] : [[keyOf(one), one]]))).values()];
}

const rowsOf = (accounting: AccountingLists, record: ListRecord): readonly { readonly id: string }[] =>
  ({
    account: accounting.accounts,
    class: accounting.classes,
    term: accounting.terms,
    customer: accounting.customers,
    vendor: accounting.vendors,
    item: accounting.items,
  })[record];

/** Returns the records that a repair is about. */
function keysOf(repair: Repair, { mappings, settings }: Shared): readonly string[] {
  if (repair.do === 'choose_setting') {
    const account = accountOf(repair.key, settings);
    return account === null ? [] : [keyOf(account)];
  }
  if (repair.do !== 'map') return [];
  const { namespace, sourceValue, replaces } = repair;
  const record = listOf[namespace];
  const replaced = record === undefined || replaces === undefined ? [] : [keyOf({ record, id: replaces })];
  const own = mappings.filter((one) => one.namespace === namespace && one.sourceValue === sourceValue);
  return [...replaced, ...own.flatMap((one) => targetOf(one) ?? []).map(keyOf)];
}

function targetOf({ namespace, targetValue }: Mapping): Missing | null {
  const record = listOf[namespace];
  return record === undefined || nameToCreate(targetValue) !== null ? null : { record, id: targetValue };
}

function accountOf(key: keyof Settings, settings: Settings): Missing | null {
  const id = settings[key];
  return definitionOf(key).type === 'account' && typeof id === 'string' ? { record: 'account', id } : null;
}
