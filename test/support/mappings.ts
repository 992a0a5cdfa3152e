import { type MappingNamespace, mappingNamespaces } from '#core/mapping/mapping.ts';
import type { TenantStore } from '#store/tenant-store.ts';

/** Returns a mapping without labels. */
export const mapping = (namespace: MappingNamespace, from: string, to: string) => ({
  namespace,
  sourceEntity: mappingNamespaces[namespace].source,
  sourceValue: from,
  sourceLabel: null,
  targetEntity: mappingNamespaces[namespace].target,
  targetValue: to,
  targetLabel: null,
});

/**
 * Maps categories of the sample expense reports to accounts.
 *
 * @param store of the client.
 * @param notBillable categories; default: those of report 1207.
 */
export const mapExpenses = (
  store: Pick<TenantStore, 'saveMappings'>,
  notBillable: readonly number[] = [42, 43],
): Promise<unknown> =>
  store.saveMappings([
    mapping('ExpenseCategoryBillable', '41', '11'),
    // The accounts 11 to 14.
    ...notBillable.map((category) => mapping('ExpenseCategoryNonBillable', String(category), String(category - 30))),
  ]);
