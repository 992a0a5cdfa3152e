import { readFileSync, writeFileSync } from 'node:fs';
import type { Invoice } from '#core/documents/invoice.ts';
import type { Company } from '#core/documents/party.ts';
import type { PsaReferenceData } from '#core/documents/reference-data.ts';
import type { Psa, PsaCondition, PsaDescriptor, PsaMenus } from '#core/ports/psa.ts';
import { ServiceError } from '#core/service-error.ts';
import type { JsonObject } from '#core/values/json.ts';
import { autotaskDescriptor } from '#connectors/autotask/descriptor.ts';
import type { PsaEntry } from '#connectors/psa-entry.ts';

/** The file: documents and lists in the product's types. */
export interface JsonPsaFile {
  readonly apiKey: string;
  readonly companies: readonly Company[];
  readonly lists: PsaReferenceData;
  invoices: readonly Invoice[];
}

/** A form with three fields; Autotask has two. */
export const jsonPsaDescriptor: PsaDescriptor = {
  key: 'ledgerline',
  label: 'Ledgerline',
  credentials: [
    { name: 'file', input: 'file', label: 'Data file', help: 'Where the records are kept.', isSecret: false },
    { name: 'userName', input: 'member', label: 'Member', help: 'Who logs in.', isSecret: false },
    { name: 'secret', input: 'api_key', label: 'API key', help: 'Shown once by Ledgerline.', isSecret: true },
  ],
  menus: {
    invoice: 'Billing > the invoice',
    voidInvoice: 'Billing > the invoice > Cancel',
    processInvoices: 'Billing > New',
    companyTax: 'Members > Tax',
    taxRates: 'Setup > Tax rates',
  },
  apiUserSteps: [],
};

const names = Object.keys(autotaskDescriptor.menus) as (keyof PsaMenus)[];

/** Names that only Autotask has: no text about another PSA contains them. */
export const namesOfAutotask: readonly string[] = [
  autotaskDescriptor.label,
  ...Object.values(autotaskDescriptor.menus),
  ...autotaskDescriptor.apiUserSteps,
];

/** Returns a text about Autotask as it is about this PSA. */
export const asLedgerline = (text: string): string =>
  names
    .reduce((so, name) => so.replaceAll(autotaskDescriptor.menus[name], jsonPsaDescriptor.menus[name]), text)
    .replaceAll(autotaskDescriptor.label, jsonPsaDescriptor.label);

/** Reads the file; null for credentials of another PSA. */
const read = (path: string | undefined): JsonPsaFile | null =>
  path === undefined ? null : (JSON.parse(readFileSync(path, 'utf8')) as JsonPsaFile);

/** An invoice with the field names of the HTTP API. */
const toQueryRow = (invoice: Invoice): JsonObject => ({
  id: invoice.id,
  companyID: invoice.companyId,
  invoiceNumber: invoice.number,
  invoiceTotal: Number(invoice.total),
  createDateTime: invoice.createdAt,
  webServiceDate: invoice.exportedAt,
  paidDate: invoice.paidOn,
  isVoided: invoice.isVoided,
});

/** Returns whether a row meets a condition from the screens. */
function matchesCondition(row: JsonObject, { field, op, value = null }: PsaCondition): boolean {
  const is = row[field] ?? null;
  if (op === 'eq') return is === value;
  if (op === 'noteq') return is !== value;
  if (op === 'gte') return is !== null && value !== null && is >= value;
  if (op === 'notExist') return is === null;
  throw new Error(`unknown operator “${op}”`);
}

/** A PSA stored in a JSON file, without Autotask's concepts. Invoices only. */
export const jsonPsa: PsaEntry = {
  descriptor: jsonPsaDescriptor,
  create({ credentials }): Psa {
    const file = (): JsonPsaFile => {
      const found = read(credentials.file);
      if (found?.apiKey === credentials.secret) return found;
      throw new ServiceError({
        service: 'psa',
        operation: 'read the file',
        outcome: 'not_applied',
        next: 'reconnect',
        code: 'PSA_AUTH',
        detail: 'Ledgerline does not know this key.',
      });
    };
    const invoices = () => file().invoices;
    return {
      describe: jsonPsaDescriptor,
      identify: async () => {
        file();
        return { companyId: 0, companyName: 'Northwind IT Services', databaseId: 'ledgerline file' };
      },
      findResource: async () => null,
      // It has no unbilled items.
      readUnbilled: async () => null,
      readPurchases: async () => null,
      readContractInvoices: async (ids) =>
        invoices()
          .filter(({ isVoided }) => !isVoided)
          .map((one) => ({ ...one, lines: one.lines.filter(({ contractId }) => ids.includes(contractId ?? -1)) }))
          .filter(({ lines }) => lines.length > 0),
      readReceipts: async () => [],
      findInvoices: async (...searches) =>
        invoices().filter((invoice) =>
          searches.some(
            ({ ids, createdFrom, voided, notExported, exportedFrom, paidFrom }) =>
              (ids === undefined || ids.includes(invoice.id)) &&
              (createdFrom === undefined || invoice.createdAt >= createdFrom) &&
              (voided === undefined || invoice.isVoided === voided) &&
              (notExported !== true || invoice.exportedAt === null) &&
              (exportedFrom === undefined || (invoice.exportedAt !== null && invoice.exportedAt >= exportedFrom)) &&
              (paidFrom === undefined || (invoice.paidOn !== null && invoice.paidOn >= paidFrom)),
          ),
        ),
      readInvoices: async (ids) => invoices().filter(({ id }) => ids.includes(id)),
      readCompanies: async (ids) => file().companies.filter(({ id }) => ids.includes(id)),
      readCompanyNames: async (ids) => file().companies.filter(({ id }) => ids.includes(id)),
      readEmployeeNames: async () => [],
      readReferenceData: async () => file().lists,
      readLinesOfBusiness: async () => file().lists.linesOfBusiness,
      readModules: async () => file().lists.modules,
      readMappingSources: async () => ({
        customers: file().companies.map(({ id, name, isActive }) => ({ value: String(id), name, isActive })),
        vendors: [],
        billingCodes: [],
        products: [],
        productCategories: [],
        expenseCategories: [],
        linesOfBusiness: [],
        taxRegions: [],
      }),
      async writeInvoice(id, change) {
        const whole = file();
        const changed = whole.invoices.map((invoice) => (invoice.id === id ? { ...invoice, ...change } : invoice));
        writeFileSync(credentials.file ?? '', JSON.stringify({ ...whole, invoices: changed }));
      },
      findPurchaseOrders: async () => [],
      readPurchaseOrders: async () => [],
      writePurchaseOrder: async () => undefined,
      findExpenseReports: async () => [],
      readExpenseReports: async () => [],
      readReimbursedExpenses: async () => [],
      writeExpenseReport: async () => undefined,
      query: async (_entity, { filter }) => ({
        items: invoices()
          .map(toQueryRow)
          .filter((row) => filter.every((condition) => matchesCondition(row, condition))),
        pageDetails: {},
      }),
      count: async () => ({ queryCount: file().companies.length }),
      fieldInfo: async () => ({ fields: [] }),
    };
  },
};
