/** The sample world of domain reference section 17: Northwind IT Services of Austin, as it was on 2025-03-03. */
import { writeCatalogue, writeCompanies } from './sample-companies.ts';
import { writeInvoices } from './sample-invoices.ts';
import { writeExpenseReports, writePurchaseOrders } from './sample-purchasing.ts';
import { writeLists } from './sample-reference.ts';
import type { RecordBuilder } from './record-builder.ts';

/** Writes the records that every tenant has before its first document. */
export function writeReferenceData(builder: RecordBuilder): void {
  writeLists(builder);
  writeCompanies(builder);
  writeCatalogue(builder);
}

/** Writes the invoices, orders and reports. */
export function writeDocuments(builder: RecordBuilder): void {
  writeInvoices(builder);
  writePurchaseOrders(builder);
  writeExpenseReports(builder);
}
