import type { Customer, Vendor } from '#core/documents/reference-data.ts';
import { indexAccounting, lineItemTypes } from '#core/planning/reference-index.ts';
import type { PsaFieldInfoEntity, PsaQuery, PsaQueryEntity } from '#core/ports/psa.ts';
import type { JsonObject } from '#core/values/json.ts';
import { normalized } from '#core/values/text.ts';
import type { TenantContext } from '../context.ts';
import { loadCachedLists } from './cached-lists.ts';

/** Queries of screens to the connected services; each may throw a ServiceError or the Refusal `not_connected`. */

/** Returns records of the PSA in its own JSON. */
export const queryPsa = async (context: TenantContext, entity: PsaQueryEntity, query: PsaQuery): Promise<JsonObject> =>
  (await context.psa()).query(entity, query);

/** Returns the number of matching companies in the PSA. */
export const countCompanies = async (context: TenantContext, query: PsaQuery): Promise<JsonObject> =>
  (await context.psa()).count('Companies', query);

/** Returns the PSA's description of the fields of an entity. */
export const readFieldInfo = async (context: TenantContext, entity: PsaFieldInfoEntity): Promise<JsonObject> =>
  (await context.psa()).fieldInfo(entity);

/** Maximum rows for a type-ahead. */
const maxFound = 100;

/** Maximum age of the lists that are searched, in seconds. A user may just have added a record in QuickBooks. */
const maxAgeSeconds = 5;

const collator = new Intl.Collator('en');
const holds = (text: string | null, part: string): boolean => normalized(text ?? '').includes(part);

/**
 * Returns active records whose name contains a text, sorted by name. Searches the cached lists, because QuickBooks does
 * not filter by every name [Q81].
 */
function searchByName<One extends { readonly isActive: boolean }>(
  rows: readonly One[],
  text: string,
  nameOf: (row: One) => string,
  otherNameOf: (row: One) => string | null = () => null,
): readonly One[] {
  const part = normalized(text);
  return rows
    .filter((row) => row.isActive && (holds(nameOf(row), part) || holds(otherNameOf(row), part)))
    .toSorted((a, b) => collator.compare(nameOf(a), nameOf(b)))
    .slice(0, maxFound);
}

const displayName = (one: { readonly displayName: string }): string => one.displayName;

/** Returns QuickBooks customers whose name contains this text. */
export const searchCustomers = async (context: TenantContext, name: string): Promise<readonly Customer[]> =>
  searchByName((await loadCachedLists(context, { maxAgeSeconds })).customers, name, displayName);

/** Returns QuickBooks vendors whose name contains this text. */
export const searchVendors = async (context: TenantContext, name: string): Promise<readonly Vendor[]> =>
  searchByName((await loadCachedLists(context, { maxAgeSeconds })).vendors, name, displayName);

/** Returns QuickBooks items usable on a line whose full name or SKU contains this text, with these attributes. */
export async function searchItems(
  context: TenantContext,
  name: string,
  attributes: readonly string[],
): Promise<readonly JsonObject[]> {
  const lists = await loadCachedLists(context, { maxAgeSeconds });
  const { accountNames } = indexAccounting(lists);
  const accountOf = (id: string | null): JsonObject | null =>
    id === null ? null : { value: id, name: accountNames.get(id) ?? id };
  const usable = lists.items.filter(({ type }) => lineItemTypes.has(type));
  const found = searchByName(
    usable,
    name,
    (item) => item.fullyQualifiedName,
    (item) => item.sku,
  );
  return found.map((item) => {
    const members: JsonObject = {
      Id: item.id,
      Name: item.name,
      FullyQualifiedName: item.fullyQualifiedName,
      Sku: item.sku,
      Type: item.type,
      Active: item.isActive,
      IncomeAccountRef: accountOf(item.incomeAccountId),
      ExpenseAccountRef: accountOf(item.expenseAccountId),
    };
    return Object.fromEntries(
      Object.entries(members).filter(([key, value]) => attributes.includes(key) && value !== null),
    );
  });
}
