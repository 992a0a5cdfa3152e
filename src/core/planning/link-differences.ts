import type { BooksDocument } from '../documents/books-document.ts';
import type { ExpenseReport } from '../documents/expense-report.ts';
import type { Invoice } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { PurchaseOrder } from '../documents/purchase-order.ts';
import type { BooksReferenceData } from '../documents/reference-data.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { problem, type Problem, type ProblemDocument } from '../problems.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';
import { absolute, equals, format, isPositive, type Decimal } from '../values/decimal.ts';
import { normalized } from '../values/text.ts';
import { isOrBelow } from './child-work.ts';
import { chooseEmployeeVendor } from './choose-party.ts';
import { indexBooks, indexMappings } from './reference-index.ts';

/** Facts of every link: the document as the ledger and the books have it, and the lists by which they are compared. */
interface CommonFacts {
  /** Total of the document in the PSA when it was posted; null when that was not kept. */
  readonly postedTotal: Decimal | null;
  readonly books: BooksReferenceData;
  readonly mappings: readonly Mapping[];
  readonly psaLabel: string;
}

/** Everything that tells whether a document of the books is that of an invoice. */
export interface LinkFacts extends CommonFacts {
  readonly invoice: Pick<Invoice, 'id' | 'companyId' | 'invoicedOn' | 'total'>;
  /** Null when it cannot be read. */
  readonly company: Pick<Company, 'id' | 'name'> | null;
  /** The document posted for the PSA's id, as the books hold it now. */
  readonly document: SalesState;
}

/** Everything that tells whether a purchase order of the books is that of the PSA. */
export interface OrderLinkFacts extends CommonFacts {
  readonly order: Pick<PurchaseOrder, 'id' | 'vendorId'>;
  readonly vendor: Pick<Company, 'id' | 'name'> | null;
  /** The order as the PSA shows it. */
  readonly about: Pick<ProblemDocument, 'on' | 'amount'>;
  readonly document: BooksDocument;
}

/** Everything that tells whether a bill of the books is that of an expense report. */
export interface ReportLinkFacts extends CommonFacts {
  readonly report: ExpenseReport;
  readonly about: Pick<ProblemDocument, 'on' | 'party'>;
  /** The report is one bill; of one of several only the employee is compared. */
  readonly isWhole: boolean;
  readonly document: BooksDocument;
}

/**
 * Compares customer, total and date of an invoice with those of the document that the ledger has for its id, before it
 * is called the same (domain reference 5.4): a PSA that was restored from a backup gives ids out again, and an invoice
 * may have been raised since.
 *
 * @returns one problem that names all differences; none when it is the same document.
 */
export function differencesOfLink(facts: LinkFacts): readonly Problem[] {
  const { invoice, document, postedTotal } = facts;
  const { books: customer, psa: company } = customersOf(facts);
  return differences(facts, {
    what: 'invoice',
    number: document.number ?? document.id,
    party: company === null ? null : ['customer', customer, company],
    totals: [postedTotal ?? document.total, invoice.total],
    days: [document.datedOn, invoice.invoicedOn],
  });
}

/** {@link differencesOfLink} for a purchase order: vendor, total and date. */
export function differencesOfOrderLink(facts: OrderLinkFacts): readonly Problem[] {
  const { order, vendor, about, document, postedTotal, books, mappings } = facts;
  const index = indexBooks(books);
  const known = index.vendorsById.get(document.party.id);
  const names = [document.party.name, known?.displayName, known?.companyName];
  const isSame =
    vendor === null ||
    indexMappings(mappings).Vendor?.get(String(order.vendorId))?.targetValue === document.party.id ||
    names.some((name) => isName(name, vendor.name));
  return differences(facts, {
    what: 'purchase order',
    number: document.number ?? document.id,
    party: isSame ? null : ['vendor', document.party.name ?? document.party.id, vendor.name],
    totals: about.amount === null ? null : [postedTotal ?? document.total, about.amount],
    days: about.on === null ? null : [document.datedOn, about.on],
  });
}

/**
 * {@link differencesOfLink} for an expense report: employee, total and date. A vendor that was renamed in the books is
 * the same one; another one is who the employee is called there now.
 */
export function differencesOfReportLink(facts: ReportLinkFacts): readonly Problem[] {
  const { report, about, isWhole, document, postedTotal, books, mappings } = facts;
  const choice =
    report.submitter === null
      ? null
      : chooseEmployeeVendor(report.submitter, report.submitterId, indexBooks(books), indexMappings(mappings));
  const isAnother = choice?.is === 'existing' && choice.vendor.id !== document.party.id;
  const due = report.amountDue;
  return differences(facts, {
    what: 'bill',
    number: document.number ?? document.id,
    party: isAnother ? ['vendor', document.party.name ?? document.party.id, about.party ?? ''] : null,
    totals: isWhole && postedTotal !== null && due !== null && isPositive(due) ? [postedTotal, due] : null,
    days: isWhole && about.on !== null ? [document.datedOn, about.on] : null,
  });
}

/** Both sides of a link, books first; null where they are the same, or nobody can say. */
interface Sides {
  readonly what: string;
  readonly number: string;
  readonly party: readonly [what: string, books: string, psa: string] | null;
  readonly totals: readonly [books: Decimal, psa: Decimal] | null;
  readonly days: readonly [books: CalendarDate, psa: CalendarDate] | null;
}

/** The problem that names every difference, or none. */
function differences(
  { psaLabel, books }: CommonFacts,
  { what, number, party, totals, days }: Sides,
): readonly Problem[] {
  const found: string[] = [];
  if (party !== null) found.push(`${party[0]} "${party[1]}", ${psaLabel} has "${party[2]}"`);
  if (totals !== null) {
    const [before, now] = [absolute(totals[0]), absolute(totals[1])];
    if (!equals(before, now)) found.push(`${format(before)}, ${psaLabel} has ${format(now)}`);
  }
  if (days !== null && isOtherDay(days, books.preferences.closedThrough))
    found.push(`dated ${dayText(days[0])}, ${psaLabel} has ${dayText(days[1])}`);
  if (found.length === 0) return [];
  return [problem('LINK_DIFFERS', { psa: psaLabel, what, number, differences: found.join('; ') })];
}

/** Both customers when they are not the same; `psa` is null when they are, or when nobody can say. */
function customersOf({ company, document, books, mappings }: LinkFacts): {
  readonly books: string;
  readonly psa: string | null;
} {
  const index = indexBooks(books);
  const known = index.customersById.get(document.customer.id);
  const name = document.customer.name ?? known?.displayName ?? document.customer.id;
  if (company === null) return { books: name, psa: null };
  const mapped = indexMappings(mappings).Customer?.get(String(company.id))?.targetValue;
  const payer =
    known?.parentId === undefined || known.parentId === null ? null : index.customersById.get(known.parentId);
  const names = [known, payer].flatMap((one) => [one?.displayName, one?.companyName]);
  const isSame =
    (mapped !== undefined && isOrBelow(document.customer.id, mapped, index)) ||
    [document.customer.name, ...names].some((one) => isName(one, company.name));
  return { books: name, psa: isSame ? null : company.name };
}

/** Whether a party is called so, compared without case, width and extra space; one without a name is not. */
export const isName = (name: string | null | undefined, wanted: string): boolean =>
  name !== undefined && name !== null && normalized(name) === normalized(wanted);

/** A document may have been moved behind the day that the books were closed through; never before its own. */
const isOtherDay = (
  [books, psa]: readonly [CalendarDate, CalendarDate],
  closedThrough: CalendarDate | null,
): boolean => {
  if (books <= psa) return books < psa;
  return closedThrough === null || closedThrough < psa;
};
