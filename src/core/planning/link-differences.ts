import type { Invoice } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { BooksReferenceData } from '../documents/reference-data.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { problem, type Problem } from '../problems.ts';
import { absolute, equals, format, type Decimal } from '../values/decimal.ts';
import { normalized } from '../values/text.ts';
import { isOrBelow } from './child-work.ts';
import { indexBooks, indexMappings } from './reference-index.ts';

/** Everything that tells whether a document of the books is that of an invoice. */
export interface LinkFacts {
  readonly invoice: Pick<Invoice, 'id' | 'companyId' | 'invoicedOn' | 'total'>;
  /** Null when it cannot be read. */
  readonly company: Pick<Company, 'id' | 'name'> | null;
  /** What was posted for the PSA's id, as the books hold it now. */
  readonly document: SalesState;
  /** What the invoice came to when it was posted; null when that was not kept. */
  readonly postedTotal: Decimal | null;
  readonly books: BooksReferenceData;
  readonly mappings: readonly Mapping[];
  readonly psaLabel: string;
}

/**
 * Compares customer, total and date of an invoice with those of the document that the ledger has for its id, before it
 * is called the same (domain reference 5.4): a PSA that was restored from a backup gives ids out again, and an invoice
 * may have been raised since.
 *
 * @returns one problem that names all differences; none when it is the same document.
 */
export function differencesOfLink(facts: LinkFacts): readonly Problem[] {
  const { invoice, document, postedTotal, psaLabel } = facts;
  const differences: string[] = [];
  const { books: customer, psa: company } = customersOf(facts);
  if (company !== null) differences.push(`customer "${customer}", ${psaLabel} has "${company}"`);
  const total = absolute(invoice.total);
  const before = absolute(postedTotal ?? document.total);
  if (!equals(total, before)) differences.push(`${format(before)}, ${psaLabel} has ${format(total)}`);
  if (isOtherDay(facts)) differences.push(`dated ${document.datedOn}, ${psaLabel} has ${invoice.invoicedOn}`);
  if (differences.length === 0) return [];
  const number = document.number ?? document.id;
  return [problem('LINK_DIFFERS', { psa: psaLabel, number, differences: differences.join('; ') })];
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
    [document.customer.name, ...names].some(
      (one) => one !== undefined && one !== null && normalized(one) === normalized(company.name),
    );
  return { books: name, psa: isSame ? null : company.name };
}

/** A document may have been moved behind the day that the books were closed through; never before its own. */
const isOtherDay = ({ invoice, document, books }: LinkFacts): boolean => {
  const { closedThrough } = books.preferences;
  if (document.datedOn === invoice.invoicedOn) return false;
  return document.datedOn < invoice.invoicedOn || closedThrough === null || closedThrough < invoice.invoicedOn;
};
