/** The sample world of domain reference section 17: Northwind IT Services of Austin, as it was on 2025-03-03. */
import { writeCatalogue, writeCompanies } from './sample-companies.ts';
import { writeInvoices } from './sample-invoices.ts';
import { writeExpenseReports, writePurchaseOrders } from './sample-purchasing.ts';
import { writeLists } from './sample-reference.ts';
import type { Scribe } from './scribe.ts';

/** Writes what every tenant has before there are any documents. */
export function writeReferenceData(scribe: Scribe): void {
  writeLists(scribe);
  writeCompanies(scribe);
  writeCatalogue(scribe);
}

/** Writes the invoices, orders and reports. */
export function writeDocuments(scribe: Scribe): void {
  writeInvoices(scribe);
  writePurchaseOrders(scribe);
  writeExpenseReports(scribe);
}
