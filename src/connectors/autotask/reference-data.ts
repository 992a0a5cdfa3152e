import type { LineOfBusiness, PrepaidUnit, PsaModules, PsaReferenceData } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Logger } from '#core/ports/logger.ts';
import { ServiceError } from '#core/service-error.ts';
import { isPositive } from '#core/values/decimal.ts';
import { type AutotaskApi, queryAll } from './api.ts';
import { isRecord, wrongShape, type JsonRecord } from './errors.ts';
import {
  atBillingCode,
  atContract,
  atCurrency,
  atDepartment,
  atLevelPair,
  atNamed,
  atProduct,
  atTax,
  type Fields,
  readRows,
} from './wire.ts';
import { toLineOfBusiness } from './translate.ts';

/** Module numbers, if a deployment knows them; the vendor's table could not be read. */
export interface ModuleKeys {
  readonly procurement?: number;
  readonly multiCurrency?: number;
}

interface Sources {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  readonly moduleKeys: ModuleKeys;
}

interface ListSources extends Sources {
  readonly fields: (entity: string) => Promise<Fields>;
}

/** Reads every list that documents refer to, in parallel. */
export async function readReferenceData(sources: ListSources): Promise<PsaReferenceData> {
  const { api } = sources;
  const read = (entity: string, fields?: readonly string[]) => readList(api, entity, fields);
  const currencyRows = read('Currencies');
  const [
    billingCodes,
    taxCategories,
    taxes,
    terms,
    roles,
    contracts,
    products,
    departments,
    linesOfBusiness,
    currencies,
    modules,
  ] = await inParallel([
    read('BillingCodes'),
    read('TaxCategories'),
    read('Taxes'),
    read('PaymentTerms'),
    orEmpty(sources, 'Roles', () => read('Roles')),
    orEmpty(sources, 'Contracts', () =>
      read('Contracts', ['id', 'contractName', 'contractType', 'organizationalLevelAssociationID']),
    ),
    orEmpty(sources, 'Products', () => read('Products', ['id', 'name', 'sku'])),
    orEmpty(sources, 'Departments', () => read('Departments', ['id', 'name', 'number'])),
    readPairs(sources),
    currencyRows,
    readModules(sources, () => currencyRows),
  ]);
  const named = (entity: string, rows: readonly JsonRecord[]) =>
    readRows(operationOf(entity), atNamed, rows).map(({ id, name }) => ({ id, name: name ?? '' }));
  const taxed = readRows(operationOf('Taxes'), atTax, taxes).flatMap(({ taxCategoryID, taxRate }) =>
    taxCategoryID !== null && isPositive(taxRate) ? [taxCategoryID] : [],
  );
  const prepaid = contracts.length === 0 ? new Map<number, PrepaidUnit>() : await prepaidTypes(sources);
  return {
    billingCodes: readRows(operationOf('BillingCodes'), atBillingCode, billingCodes).map((code) => ({
      id: code.id,
      name: code.name ?? '',
      useType: code.useType ?? 0,
      taxCategoryId: code.taxCategoryID,
      externalNumber: code.externalNumber,
      departmentId: code.department,
    })),
    taxCategories: named('TaxCategories', taxCategories),
    taxableCategoryIds: [...new Set(taxed)].sort((a, b) => a - b),
    paymentTerms: named('PaymentTerms', terms),
    roles: named('Roles', roles),
    contracts: readRows(operationOf('Contracts'), atContract, contracts).map((contract) => ({
      id: contract.id,
      name: contract.contractName ?? '',
      prepaid: prepaid.get(contract.contractType ?? -1) ?? null,
      lineOfBusinessId: contract.organizationalLevelAssociationID,
    })),
    products: readRows(operationOf('Products'), atProduct, products).map(({ id, name, sku }) => ({
      id,
      name: name ?? '',
      sku,
    })),
    departments: readRows(operationOf('Departments'), atDepartment, departments).map((one) => ({
      id: one.id,
      name: one.name ?? '',
      number: one.number,
    })),
    linesOfBusiness: linesOfBusiness.map(({ line }) => line),
    currencies: readRows(operationOf('Currencies'), atCurrency, currencies).map((currency) => ({
      id: currency.id,
      code: (currency.name ?? '').toUpperCase(),
      isInternal: currency.isInternalCurrency,
      isActive: currency.isActive,
    })),
    modules,
  };
}

/** Returns the units of the prepaid contract types by number. The numbers differ between tenants, the labels do not. */
async function prepaidTypes({ fields }: ListSources): Promise<ReadonlyMap<number, PrepaidUnit>> {
  const { list } = await fields('Contracts');
  const values = list.find(({ name }) => name.toLowerCase() === 'contracttype')?.picklistValues ?? [];
  return new Map(
    values.flatMap(({ value, label }) => {
      const unit = unitByLabel[label.trim().toLowerCase()];
      return unit === undefined ? [] : [[Number(value), unit] as const];
    }),
  );
}

/** Units by label of the contract type. `incident` is an older label of per-ticket contracts. */
const unitByLabel: Readonly<Record<string, PrepaidUnit>> = {
  'block hours': 'hours',
  retainer: 'money',
  'per ticket': 'tickets',
  incident: 'tickets',
};

/** Returns the active pairs of division and line of business. */
export async function readLinesOfBusiness(sources: Sources): Promise<LineOfBusiness[]> {
  return (await readPairs(sources)).filter((pair) => pair.isActive).map((pair) => pair.line);
}

/** Returns all pairs, because an old document may reference an inactive one. Empty if the structure is not in use. */
async function readPairs(sources: Sources) {
  const { api } = sources;
  const [level1s, level2s, pairs] = await inParallel(
    ['OrganizationalLevel1s', 'OrganizationalLevel2s', 'OrganizationalLevelAssociations'].map((entity) =>
      orEmpty(sources, entity, () => readList(api, entity)),
    ),
  );
  const operation = operationOf('OrganizationalLevelAssociations');
  const names = (rows: readonly JsonRecord[] = []) =>
    new Map(readRows(operation, atNamed, rows).map(({ id, name }) => [id, name]));
  const [names1, names2] = [names(level1s), names(level2s)];
  return readRows(operation, atLevelPair, pairs ?? []).map((pair) => ({
    isActive: pair.isActive,
    line: toLineOfBusiness(
      pair.id,
      names1.get(pair.organizationalLevel1ID ?? -1) ?? null,
      names2.get(pair.organizationalLevel2ID ?? -1) ?? null,
    ),
  }));
}

/**
 * Detects the active modules by behavior, because the numbers of the Modules list are not confirmed (autotask reference
 * section 9). Procurement is active if purchase orders can be counted, multi-currency if several currencies are active.
 */
export async function readModules(
  { api, moduleKeys }: Pick<Sources, 'api' | 'moduleKeys'>,
  currencies: () => Promise<JsonRecord[]> = () => readList(api, 'Currencies'),
): Promise<PsaModules> {
  const isOn = await listedModules(api, moduleKeys);
  return {
    procurement: isOn(moduleKeys.procurement) ?? (await canCount(api, 'PurchaseOrders')),
    multiCurrency: isOn(moduleKeys.multiCurrency) ?? hasSeveral(await currencies()),
  };
}

async function listedModules(
  api: AutotaskApi,
  keys: ModuleKeys,
): Promise<(key: number | undefined) => boolean | undefined> {
  if (keys.procurement === undefined && keys.multiCurrency === undefined) return () => undefined;
  const answer = await api.call({ operation: 'read modules', method: 'GET', path: 'Modules' });
  if (!Array.isArray(answer.modules)) throw wrongShape('read modules', 'no modules');
  const listed = answer.modules.filter((one: unknown) => isRecord(one));
  const active = new Map(listed.map((one) => [Number(one.key), one.value === true || one.value === 'true']));
  return (key) => (key === undefined ? undefined : (active.get(key) ?? false));
}

async function canCount(api: AutotaskApi, entity: string): Promise<boolean> {
  const filter = [{ op: 'gte', field: 'id', value: 0 }];
  try {
    await api.call({ operation: `count ${entity}`, method: 'POST', path: `${entity}/query/count`, body: { filter } });
    return true;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}

const hasSeveral = (currencies: readonly JsonRecord[]): boolean =>
  readRows(operationOf('Currencies'), atCurrency, currencies).filter(({ isActive }) => isActive).length > 1;

const operationOf = (entity: string): string => `read ${entity}`;

const readList = (api: AutotaskApi, entity: string, fields?: readonly string[]): Promise<JsonRecord[]> =>
  queryAll(api, entity, { operation: operationOf(entity), filter: [], ...(fields !== undefined && { fields }) });

/** Returns an empty list if the API user may not read the list: the documents still sync, with less detail. */
export const orEmpty = async (
  sources: Pick<Sources, 'logger'>,
  entity: string,
  read: () => Promise<JsonRecord[]>,
): Promise<JsonRecord[]> => (await orNull(sources, entity, read)) ?? [];

/** Returns null if the API user may not read the list, so that the caller can distinguish this from an empty list. */
export async function orNull(
  { logger }: Pick<Sources, 'logger'>,
  entity: string,
  read: () => Promise<JsonRecord[]>,
): Promise<JsonRecord[] | null> {
  try {
    return await read();
  } catch (error) {
    if (!isDenied(error)) throw error;
    logger.info({ service: 'psa', entity }, 'the API user may not read this list');
    return null;
  }
}

/** Returns true if the service permanently refused this user or this entity. */
const isDenied = (error: unknown): boolean =>
  error instanceof ServiceError && (error.about.next === 'refuse' || error.about.status === 404);
