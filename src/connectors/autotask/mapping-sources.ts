import { inParallel } from '#core/in-parallel.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { MappingSources, SourceRecord } from '#core/mapping/sources.ts';
import type { AutotaskApi } from './api.ts';
import type { Fields } from './fields.ts';
import { queryAll, type Condition } from './query.ts';
import { orEmpty, readLinesOfBusiness } from './reference-data.ts';
import { atCompanyName, atEmployee, atMappedCode, atMappedProduct, atNamed, readRows } from './wire.ts';

interface Sources {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  readonly fields: (entity: string) => Promise<Fields>;
}

/** Company types (specification 1, section 9). */
const customerType = 1;
const vendorType = 7;

/** Reads the lists for the mapping screens in parallel, with only the columns that they show. */
export async function readMappingSources(sources: Sources): Promise<MappingSources> {
  const { api, fields } = sources;
  const [companies, people, codes, products, regions, lines, expenseFields, productFields] = await inParallel([
    read(api, 'Companies', companyFields, [{ op: 'in', field: 'companyType', value: [customerType, vendorType] }]),
    orEmpty(sources, 'Resources', () => read(api, 'Resources', ['id', 'firstName', 'lastName', 'isActive'])),
    read(api, 'BillingCodes', ['id', 'name', 'useType', 'externalNumber', 'isActive']),
    orEmpty(sources, 'Products', () => read(api, 'Products', ['id', 'name', 'sku', 'productCategory', 'isActive'])),
    orEmpty(sources, 'TaxRegions', () => read(api, 'TaxRegions', ['id', 'name', 'isActive'])),
    readLinesOfBusiness({ api, logger: sources.logger, moduleKeys: {} }),
    fields('ExpenseItems'),
    fields('Products'),
  ]);
  const rows = readRows('read Companies', atCompanyName, companies);
  const ofType = (type: number): SourceRecord[] =>
    rows
      .filter(({ companyType }) => companyType === type)
      .map(({ id, companyName, isActive, city }) => ({ value: String(id), name: companyName ?? '', isActive, city }));
  return {
    customers: ofType(customerType),
    vendors: ofType(vendorType),
    employees: readRows('read Resources', atEmployee, people).map(({ id, firstName, lastName, isActive }) => ({
      value: String(id),
      name: [firstName, lastName].filter((part) => part !== null && part !== '').join(' ') || `Resource ${id}`,
      isActive,
    })),
    billingCodes: readRows('read BillingCodes', atMappedCode, codes).map((code) => ({
      value: String(code.id),
      name: code.name ?? '',
      isActive: code.isActive,
      number: code.externalNumber,
      group: String(code.useType ?? 0),
    })),
    products: readRows('read Products', atMappedProduct, products).map((product) => ({
      value: String(product.id),
      name: product.name ?? '',
      isActive: product.isActive,
      number: product.sku,
      group: product.productCategory === null ? null : String(product.productCategory),
    })),
    productCategories: choicesOf(productFields, 'productCategory'),
    expenseCategories: choicesOf(expenseFields, 'expenseCategory').map(({ value, text }) => ({
      value,
      name: text,
      isActive: true,
    })),
    linesOfBusiness: lines.map(({ id, fullyQualifiedName }) => ({
      value: String(id),
      name: fullyQualifiedName,
      isActive: true,
    })),
    taxRegions: readRows('read TaxRegions', atNamed, regions).map(({ name, isActive }) => ({
      value: name ?? '',
      name: name ?? '',
      isActive,
    })),
  };
}

const companyFields = ['id', 'companyName', 'companyType', 'isActive', 'city'];

const read = (api: AutotaskApi, entity: string, fields: readonly string[], filter: readonly Condition[] = []) =>
  queryAll(api, entity, { operation: `read ${entity}`, filter, fields });

/** Returns the choices of a field by name, ignoring case. */
function choicesOf({ list }: Fields, name: string) {
  const field = list.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return (field?.picklistValues ?? []).map(({ value, label }) => ({ value, text: label }));
}
