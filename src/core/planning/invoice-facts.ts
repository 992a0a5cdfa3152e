import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { Invoice, InvoiceHead, InvoiceLine } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { AccountingLists, PsaReferenceData } from '../documents/reference-data.ts';
import type { Mode, Trigger } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { NumberedDocument } from '../ports/accounting.ts';
import type { ProblemDocument } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import type { ItemSettings } from '../settings/item-settings.ts';
import { withoutSentinel } from '../sync-status.ts';
import type { Instant } from '../values/dates.ts';
import { type Decimal, isNegative, round2 } from '../values/decimal.ts';
import { textOrNull } from '../values/text.ts';
import { type CurrencyChoice, chooseCurrency } from './currency.ts';
import type { DecisionLog } from './decision-log.ts';
import type { DocumentDecision } from './decision.ts';
import type { PrepaidInvoice } from './drawdown.ts';
import type { ContractInvoice } from './milestone-credits.ts';
import {
  type AccountingIndex,
  type MappingIndex,
  type PsaIndex,
  indexAccounting,
  indexMappings,
  indexPsa,
} from './reference-index.ts';

/** Another invoice of a prepaid contract. */
export interface SyncedInvoice extends PrepaidInvoice {
  readonly isPosted: boolean;
  /** QuickBooks document of a posted invoice; null: not found; absent: not read. */
  readonly document?: AccountingDocument | null;
}

/** Facts that decide on one invoice. */
export interface InvoiceFacts {
  readonly invoice: Invoice;
  /** The invoice's company; null if it could not be read. */
  readonly company: Company | null;
  /** Other companies that its lines name, except those that could not be read. */
  readonly workCompanies: readonly Company[];
  /** Invoices of its prepaid contracts that are synced or will be. Sales on other invoices are not in QuickBooks. */
  readonly prepaid: readonly SyncedInvoice[];
  /** Other invoices of the contracts whose milestones it may credit; absent: it credits none. */
  readonly contractInvoices?: readonly ContractInvoice[];
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  readonly books: AccountingLists;
  /** Another sales document with the invoice's number; never the posting of this invoice. */
  readonly numberTakenBy: NumberedDocument | null;
  /** The PSA's label, e.g. `Autotask`. */
  readonly psaLabel: string;
  readonly now: Instant;
  readonly mode: Mode;
  readonly trigger: Trigger;
  /** Number of documents requested for the invoice, including this one; the first is 1. */
  readonly generation: number;
}

/** Decision on an invoice. */
export type InvoiceDecision = DocumentDecision<'zero_balance' | 'voided' | 'not_mapped'>;

/** What all steps of a decision share. */
export interface InvoiceContext {
  readonly facts: InvoiceFacts;
  readonly psa: PsaIndex;
  readonly books: AccountingIndex;
  readonly mappings: MappingIndex;
  readonly currency: CurrencyChoice;
  /** Amount, rate and tax of a line in the currency that is sent. */
  readonly amountOf: (line: InvoiceLine) => Decimal;
  readonly rateOf: (line: InvoiceLine) => Decimal;
  readonly taxOf: (line: InvoiceLine) => Decimal;
  readonly log: DecisionLog;
}

export function contextOf(facts: InvoiceFacts, log: DecisionLog): InvoiceContext {
  const psa = indexPsa(facts.psa);
  const currency = chooseCurrency(facts, psa, log);
  return {
    facts,
    psa,
    books: indexAccounting(facts.books),
    mappings: indexMappings(facts.mappings),
    currency,
    amountOf: (line) => round2(currency.isForeign ? line.amount : line.internalAmount),
    rateOf: (line) => (currency.isForeign ? line.rate : line.internalRate),
    taxOf: (line) => (currency.isConverted ? line.internalTax : line.tax),
    log,
  };
}

/** Returns the invoice as both services show it. A negative invoice is called a credit memo. */
export function describeDocument({
  invoice,
  company,
  psa,
  books,
}: Pick<InvoiceFacts, 'company' | 'psa' | 'books'> & { readonly invoice: InvoiceHead }): ProblemDocument {
  return {
    what: isNegative(invoice.total) ? 'Credit memo' : 'Invoice',
    psaId: invoice.id,
    number: textOrNull(withoutSentinel(invoice.number)),
    party: company?.name ?? null,
    on: invoice.invoicedOn,
    amount: invoice.total,
    currency: currencyOfTotal({ company, psa, books }),
  };
}

/**
 * Returns the ISO code of an invoice's total in the PSA: the customer's currency if the PSA's multi-currency module is
 * active, else the PSA's own currency (domain reference 5.11).
 */
export function currencyOfTotal({
  company,
  psa,
  books,
}: Pick<InvoiceFacts, 'psa' | 'books'> & { readonly company: Pick<Company, 'currencyId'> | null }): string {
  const index = indexPsa(psa);
  const own = psa.modules.multiCurrency ? index.currencyCodes.get(company?.currencyId ?? Number.NaN) : undefined;
  return own ?? index.internalCurrency ?? books.preferences.homeCurrency;
}
