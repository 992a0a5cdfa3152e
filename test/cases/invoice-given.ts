import type { Posted } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { Invoice } from '#core/documents/invoice.ts';
import type { Company } from '#core/documents/party.ts';
import type { Customer, Item } from '#core/documents/reference-data.ts';
import type { InvoiceFacts } from '#core/planning/invoice-content.ts';
import { accounting, companies, factsFor, invoice, mapping, mappings, psa, settings } from './sample-world.ts';

/** Differences from the sample data. */
export interface InvoiceGiven {
  readonly about: string;
  readonly invoice: Parameters<typeof invoice>[0];
  /** Repeats the given lines N times. */
  readonly repeatLines?: number;
  readonly settings?: Partial<InvoiceFacts['settings']>;
  readonly preferences?: Partial<InvoiceFacts['accounting']['preferences']>;
  readonly modules?: Partial<InvoiceFacts['psa']['modules']>;
  /** Differences of the invoice's company; null: it could not be read. */
  readonly company?: Partial<Company> | null;
  /** Replace QuickBooks records with the same id. */
  readonly customers?: readonly (Partial<Customer> & { readonly id: string })[];
  readonly contracts?: InvoiceFacts['psa']['contracts'];
  /** Other invoices of the prepaid contracts, posted unless `isPosted` is false. */
  readonly prepaid?: readonly (Parameters<typeof invoice>[0] & {
    readonly isPosted?: boolean;
    readonly document?: AccountingDocument | null;
  })[];
  /** Blocks, retainers and tickets of the contracts. */
  readonly purchases?: NonNullable<InvoiceFacts['purchases']>;
  readonly withoutItems?: readonly string[];
  readonly withoutMappings?: readonly string[];
  readonly moreMappings?: readonly (readonly [Parameters<typeof mapping>[0], string, string])[];
  readonly moreItems?: readonly Item[];
  readonly moreAccounts?: InvoiceFacts['accounting']['accounts'];
  readonly numberTakenBy?: InvoiceFacts['numberTakenBy'];
  readonly mode?: InvoiceFacts['mode'];
  readonly generation?: number;
  /** QuickBooks' tax codes; default: the sample data's. */
  readonly taxCodes?: InvoiceFacts['accounting']['taxCodes'];
  /** Country of QuickBooks and home currency of both services, for a tenant outside the US. */
  readonly abroad?: { readonly country: string; readonly currency: string };
  /** Sandbox switches, for cases that are posted. */
  readonly behaviour?: Readonly<Record<string, boolean | number | string>>;
  /** QuickBooks' response, for cases that verify it. */
  readonly posted?: Posted;
}

function companyOf({ companyId }: Invoice, change: Partial<Company> | null): Company | null {
  const company = companies.find(({ id }) => id === companyId);
  return company === undefined || change === null ? null : { ...company, ...change };
}

/** Returns the facts of a case. */
export function factsOfInvoice(given: InvoiceGiven): InvoiceFacts {
  const one = invoice(given.invoice);
  const lines = Array.from({ length: given.repeatLines ?? 1 }).flatMap(() => one.lines);
  const whole: Invoice = { ...one, lines: lines.map((line, index) => ({ ...line, id: index + 1 })) };
  return factsFor(whole, {
    settings: { ...settings, ...given.settings },
    ...(given.company !== undefined && { company: companyOf(whole, given.company) }),
    mappings: [
      ...mappings.filter(({ namespace }) => !(given.withoutMappings ?? []).includes(namespace)),
      ...(given.moreMappings ?? []).map(([namespace, from, to]) => mapping(namespace, from, to)),
    ],
    psa: {
      ...psa,
      contracts: given.contracts ?? psa.contracts,
      modules: { ...psa.modules, ...given.modules },
      currencies: psa.currencies.map((one) =>
        one.isInternal && given.abroad !== undefined ? { ...one, code: given.abroad.currency } : one,
      ),
    },
    accounting: {
      ...accounting,
      company: { ...accounting.company, country: given.abroad?.country ?? accounting.company.country },
      taxCodes: given.taxCodes ?? accounting.taxCodes,
      accounts: [...accounting.accounts, ...(given.moreAccounts ?? [])],
      preferences: {
        ...accounting.preferences,
        homeCurrency: given.abroad?.currency ?? accounting.preferences.homeCurrency,
        ...given.preferences,
      },
      customers: accounting.customers.map((customer) => ({
        ...customer,
        ...given.customers?.find(({ id }) => id === customer.id),
      })),
      items: [
        ...accounting.items.filter(({ id }) => !(given.withoutItems ?? []).includes(id)),
        ...(given.moreItems ?? []),
      ],
    },
    prepaid: (given.prepaid ?? []).map(({ isPosted = true, document, ...of }) => ({
      ...invoice(of),
      isPosted,
      ...(document !== undefined && { document }),
    })),
    purchases: given.purchases ?? [],
    numberTakenBy: given.numberTakenBy ?? null,
    mode: given.mode ?? 'live',
    generation: given.generation ?? 1,
  });
}
