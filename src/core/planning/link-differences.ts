import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { ExpenseReport } from '../documents/expense-report.ts';
import type { Invoice } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { PurchaseOrder } from '../documents/purchase-order.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { Mapping, Owner, PartyNamespace } from '../mapping/mapping.ts';
import { problem, type Problem, type ProblemDocument } from '../problems.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';
import { absolute, equals, format, isPositive, type Decimal } from '../values/decimal.ts';
import { normalized } from '../values/text.ts';
import { isOrBelow } from './child-work.ts';
import { chooseEmployeeVendor } from './choose-party.ts';
import { indexAccounting, indexMappings } from './reference-index.ts';

/** Facts for every link: the document in the ledger and in QuickBooks, and the lists for the comparison. */
interface CommonFacts {
  /** Total of the document in the PSA when it was posted; null if it was not stored. */
  readonly postedTotal: Decimal | null;
  readonly accounting: AccountingLists;
  readonly mappings: readonly Mapping[];
  readonly psaLabel: string;
}

/** Facts that show whether a QuickBooks document belongs to an invoice. */
export interface LinkFacts extends CommonFacts {
  readonly invoice: Pick<Invoice, 'id' | 'companyId' | 'invoicedOn' | 'total'>;
  /** Null if it could not be read. */
  readonly company: Pick<Company, 'id' | 'name'> | null;
  /** The document that was posted for the invoice's id, as it is in QuickBooks now. */
  readonly document: Pick<SalesState, 'id' | 'number' | 'customer' | 'datedOn' | 'total'>;
}

/** Facts that show whether a QuickBooks purchase order belongs to the PSA's order. */
export interface OrderLinkFacts extends CommonFacts {
  readonly order: Pick<PurchaseOrder, 'id' | 'vendorId'>;
  readonly vendor: Pick<Company, 'id' | 'name'> | null;
  /** The order as the PSA shows it. */
  readonly about: Pick<ProblemDocument, 'on' | 'amount'>;
  readonly document: AccountingDocument;
}

/** Facts that show whether a QuickBooks bill belongs to an expense report. */
export interface ReportLinkFacts extends CommonFacts {
  readonly report: ExpenseReport;
  readonly about: Pick<ProblemDocument, 'on' | 'party'>;
  /** True if the report is one bill. If it is several bills, only the employee is compared. */
  readonly isWhole: boolean;
  readonly document: AccountingDocument;
}

/**
 * Compares an invoice with the document that the ledger has for its id, by customer, total and date (domain reference
 * 5.4).
 *
 * The ids may not match: a PSA that was restored from a backup assigns ids again. The invoice may also have changed
 * since it was posted.
 *
 * @returns one problem that names all differences; none if it is the same document
 */
export function differencesOfLink(facts: LinkFacts): readonly Problem[] {
  const { invoice, document, postedTotal } = facts;
  const { accounting: customer, psa: company } = customersOf(facts);
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
  const { order, vendor, about, document, postedTotal, accounting, mappings } = facts;
  const index = indexAccounting(accounting);
  const known = index.vendorsById.get(document.party.id);
  const names = [document.party.name, known?.displayName, known?.companyName];
  const { Vendor, owners } = indexMappings(mappings);
  const isSame =
    vendor === null ||
    Vendor?.get(String(order.vendorId))?.targetValue === document.party.id ||
    (!isOfAnother(owners?.ofRecord('Vendor', document.party.id), 'Vendor', order.vendorId) &&
      names.some((name) => isName(name, vendor.name)));
  return differences(facts, {
    what: 'purchase order',
    number: document.number ?? document.id,
    party: isSame ? null : ['vendor', document.party.name ?? document.party.id, vendor.name],
    totals: about.amount === null ? null : [postedTotal ?? document.total, about.amount],
    days: about.on === null ? null : [document.datedOn, about.on],
  });
}

/**
 * {@link differencesOfLink} for an expense report: employee, total and date. A vendor that was renamed in QuickBooks
 * still matches.
 */
export function differencesOfReportLink(facts: ReportLinkFacts): readonly Problem[] {
  const { report, about, isWhole, document, postedTotal, accounting, mappings } = facts;
  const choice =
    report.submitter === null
      ? null
      : chooseEmployeeVendor(
          report.submitter,
          report.submitterId,
          indexAccounting(accounting),
          indexMappings(mappings),
        );
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

/** Values of a link, QuickBooks first; null if they are equal or unknown. */
interface Sides {
  readonly what: string;
  readonly number: string;
  readonly party: readonly [what: string, accounting: string, psa: string] | null;
  readonly totals: readonly [accounting: Decimal, psa: Decimal] | null;
  readonly days: readonly [accounting: CalendarDate, psa: CalendarDate] | null;
}

/** Returns one problem that names every difference, or none. */
function differences(
  { psaLabel, accounting }: CommonFacts,
  { what, number, party, totals, days }: Sides,
): readonly Problem[] {
  const found: string[] = [];
  if (party !== null) found.push(`${party[0]} “${party[1]}”, ${psaLabel} has “${party[2]}”`);
  if (totals !== null) {
    const [before, now] = [absolute(totals[0]), absolute(totals[1])];
    if (!equals(before, now)) found.push(`${format(before)}, ${psaLabel} has ${format(now)}`);
  }
  if (days !== null && isOtherDay(days, accounting.preferences.closedThrough))
    found.push(`dated ${dayText(days[0])}, ${psaLabel} has ${dayText(days[1])}`);
  if (found.length === 0) return [];
  return [problem('LINK_DIFFERS', { psa: psaLabel, what, number, differences: found.join('; ') })];
}

/** Returns both customers; `psa` is null if they are the same, or if the PSA's company is unknown. */
function customersOf({ company, document, accounting, mappings }: LinkFacts): {
  readonly accounting: string;
  readonly psa: string | null;
} {
  const index = indexAccounting(accounting);
  const known = index.customersById.get(document.customer.id);
  const name = document.customer.name ?? known?.displayName ?? document.customer.id;
  if (company === null) return { accounting: name, psa: null };
  const { Customer, owners } = indexMappings(mappings);
  const mapped = Customer?.get(String(company.id))?.targetValue;
  const payer =
    known?.parentId === undefined || known.parentId === null ? null : index.customersById.get(known.parentId);
  const names = [known, payer].flatMap((one) => [one?.displayName, one?.companyName]);
  const isSame =
    (mapped !== undefined && isOrBelow(document.customer.id, mapped, index)) ||
    (!isOfAnother(owners?.ofRecord('Customer', document.customer.id), 'Customer', company.id) &&
      [document.customer.name, ...names].some((one) => isName(one, company.name)));
  return { accounting: name, psa: isSame ? null : company.name };
}

/** Returns whether a record belongs only to other companies, which may have the same name. */
const isOfAnother = (owners: readonly Owner[] = [], namespace: PartyNamespace, id: number): boolean =>
  owners.length > 0 && owners.every((owner) => owner.namespace !== namespace || owner.id !== String(id));

/** Returns whether a party has this name, ignoring case, width and extra spaces. A missing name never matches. */
export const isName = (name: string | null | undefined, wanted: string): boolean =>
  name !== undefined && name !== null && normalized(name) === normalized(wanted);

/** A document may be dated later than in the PSA because the books were closed, but never earlier. */
const isOtherDay = (
  [accounting, psa]: readonly [CalendarDate, CalendarDate],
  closedThrough: CalendarDate | null,
): boolean => {
  if (accounting <= psa) return accounting < psa;
  return closedThrough === null || closedThrough < psa;
};
