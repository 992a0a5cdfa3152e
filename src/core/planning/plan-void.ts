import type { InvoiceHead } from '../documents/invoice.ts';
import type { BooksDocument, BooksLine } from '../documents/books-document.ts';
import type { Company } from '../documents/party.ts';
import type { BooksReferenceData } from '../documents/reference-data.ts';
import type { SalesReference, SalesState } from '../documents/sales-state.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { ofDocument, problem, type Problem, type ProblemDocument } from '../problems.ts';
import { monthOf } from '../reconciliation/month.ts';
import type { Settings } from '../settings/definitions.ts';
import { note, type Note } from '../transcript.ts';
import { addDays, dayText, type CalendarDate } from '../values/dates.ts';
import {
  absolute,
  compare,
  decimal,
  equals,
  format,
  isNegative,
  isZero,
  minus,
  negate,
  signed,
  sum,
  zero,
} from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import { isOrBelow } from './child-work.ts';
import { isName } from './link-differences.ts';
import { indexBooks, indexMappings } from './reference-index.ts';
import { nameOfSales as nameOf, voidMessages } from './messages.ts';
import { suffixedNumber } from './numbering.ts';
import type { Plan, SalesLine } from './plan.ts';
import { forecastTax } from './tax-forecast.ts';
import { taxRegimeOf } from './tax.ts';
import { taxTolerance } from './verify.ts';

/** Facts that decide on one void. */
export interface VoidFacts {
  readonly invoice: Pick<InvoiceHead, 'id' | 'number' | 'total' | 'isVoided'>;
  /** The company of the invoice; null when it cannot be read. */
  readonly company: Pick<Company, 'id' | 'name'> | null;
  /** The document that we posted for the invoice; null when we posted none. */
  readonly link: (SalesReference & { readonly number: string | null }) | null;
  /** Documents of the books: the linked one, or without a link every one that carries the invoice's number. */
  readonly documents: readonly SalesState[];
  readonly books: Pick<BooksReferenceData, 'customers' | 'preferences'> & BooksReferenceData;
  readonly mappings: readonly Mapping[];
  readonly settings: Pick<Settings, 'void_across_months'>;
  /** The linked document with its lines; null unless a credit memo may have to be made of it. */
  readonly lines: BooksDocument | null;
  /** The credit memo that takes it back already; null: none does. */
  readonly credit: BooksDocument | null;
  /** Why it may not be taken back by itself: a difference of it was billed by a document that stands; null: none was. */
  readonly difference: Problem | null;
  /** A person decided on Close that this document is voided, also in an earlier month. */
  readonly isDecided?: boolean;
  /** Today, in the tenant's time zone. */
  readonly today: CalendarDate;
  readonly psaLabel: string;
}

/**
 * Decision on a void.
 *
 * - `plan`: void the document, or make a credit memo against it
 * - `skip`: nothing to do in the books; `standing` is what became of the linked document there
 * - `refuse`: a person must act in the books first
 */
export type VoidDecision =
  | { readonly outcome: 'plan'; readonly plan: Plan }
  | {
      readonly outcome: 'skip';
      readonly reason:
        | 'not_voided_in_psa'
        | 'not_found_in_books'
        | 'deleted_in_books'
        | 'already_voided'
        | 'already_credited';
      readonly message: string;
      readonly isLoggedOnce: boolean;
      readonly standing: 'voided' | 'deleted_in_books' | null;
      readonly warnings: readonly Problem[];
      readonly notes: readonly Note[];
      readonly document: JsonObject | null;
    }
  | {
      readonly outcome: 'refuse';
      readonly problems: readonly Problem[];
      readonly mark: null;
      readonly notes: readonly Note[];
      readonly document: JsonObject | null;
    };

/**
 * Decides what becomes of an invoice that was voided in the PSA, by the state of its document in the books (domain
 * reference 7). Nothing is ever written to the PSA for a void.
 *
 * Invariant: a document that something was applied to is never voided, because the money would be left unapplied
 * without anyone noticing.
 */
export function planVoid(facts: VoidFacts): VoidDecision {
  const { invoice, link } = facts;
  const skip = (
    reason: Extract<VoidDecision, { outcome: 'skip' }>['reason'],
    message: string,
    more: Partial<Extract<VoidDecision, { outcome: 'skip' }>> = {},
  ): Extract<VoidDecision, { outcome: 'skip' }> => ({
    outcome: 'skip',
    reason,
    message,
    isLoggedOnce: true,
    standing: null,
    warnings: [],
    notes: [],
    document: null,
    ...more,
  });
  if (!invoice.isVoided)
    return skip('not_voided_in_psa', voidMessages.notVoided(facts.psaLabel), { isLoggedOnce: false });

  const document = link === null ? unlinked(facts) : facts.documents.find(({ id }) => id === link.id);
  if (document === undefined) {
    if (link === null) return skip('not_found_in_books', voidMessages.notFound);
    const number = link.number ?? link.id;
    return skip('deleted_in_books', voidMessages.deleted, {
      standing: 'deleted_in_books',
      warnings: [problem('DELETED_IN_BOOKS', { what: nameOf(link.type), number })],
    });
  }
  const number = document.number ?? document.id;
  const notes = [
    note(
      'info',
      `${nameOf(document.type)} ${number}: total ${format(document.total)}, open ${format(document.balance)}`,
    ),
    ...(link === null ? [note('info', 'Found by number, customer and total; it was not posted from here.')] : []),
  ];
  if (document.isVoided)
    return skip('already_voided', voidMessages.alreadyVoided, {
      standing: 'voided',
      notes,
      document: document.document,
    });

  // A credit memo of ours is known by its note, also when the ledger is older than the books.
  if (facts.credit !== null)
    return skip('already_credited', voidMessages.alreadyCredited(facts.credit.number ?? facts.credit.id), {
      notes,
      document: document.document,
    });

  const problems: Problem[] = [];
  const applied = minus(document.total, document.balance);
  if (!equals(applied, zero))
    problems.push(problem('VOID_HAS_PAYMENTS', { what: nameOf(document.type), number, amount: format(applied) }));
  if (facts.difference !== null) problems.push(facts.difference);
  const isEarlier = monthOf(document.datedOn) < monthOf(facts.today);
  const { void_across_months: policy } = facts.settings;
  // A credit memo of today leaves the invoice's month as it was reported, closed or not.
  const isCredited = isEarlier && policy === 'credit_memo' && document.type === 'Invoice' && canCredit(facts.lines);
  const { closedThrough } = facts.books.preferences;
  if (isCredited && facts.lines !== null && problems.length === 0) {
    const differs = taxOfCreditDiffers(facts, number, facts.lines);
    if (differs === null) return credit(facts, document, facts.lines, notes);
    return {
      outcome: 'refuse',
      problems: ofDocument([differs], describeDocument(facts, document)),
      mark: null,
      notes,
      document: document.document,
    };
  }
  if (closedThrough !== null && document.datedOn <= closedThrough)
    problems.push({
      ...problem('PERIOD_CLOSED', { psa: facts.psaLabel, closedThrough }),
      remedy: `Issue a credit memo that is dated after ${dayText(closedThrough)}, or reopen the period in QuickBooks.`,
      screen: null,
    });
  else if (isEarlier && policy !== 'void' && facts.isDecided !== true && problems.length === 0)
    problems.push(
      problem('VOID_OF_AN_EARLIER_MONTH', {
        psa: facts.psaLabel,
        what: nameOf(document.type),
        number,
        datedOn: document.datedOn,
        amount: format(document.total),
      }),
    );
  const documentProblems = ofDocument(problems, describeDocument(facts, document));
  if (documentProblems.length > 0)
    return { outcome: 'refuse', problems: documentProblems, mark: null, notes, document: document.document };

  const { type, id, syncToken } = document;
  return {
    outcome: 'plan',
    plan: {
      commands: [{ do: 'void', type, id, syncToken }],
      notes,
      warnings: [],
      expected: { subtotal: zero, tax: zero, dueOn: null },
    },
  };
}

/** Whether a credit memo that a person entered takes back an invoice: the same total, and its number in the private note. */
export const isCreditedBy = (invoice: BooksDocument, memo: BooksDocument): boolean =>
  memo.party.id === invoice.party.id &&
  equals(memo.total, invoice.total) &&
  invoice.number !== null &&
  (memo.privateNote ?? '').split(/[\s,;:.()#]+/).includes(invoice.number);

/** Whether a document can be credited line by line: an amount that a person entered without an item cannot. */
const canCredit = (of: BooksDocument | null): boolean =>
  of !== null && of.lines.every(({ itemId, amount }) => itemId !== null || isZero(amount));

/**
 * Why a credit memo dated today would not take back the tax of the invoice: a rate has changed since. QuickBooks computes
 * the tax itself, so that nothing is posted; null where it comes to the same, or where only QuickBooks knows.
 */
function taxOfCreditDiffers({ books }: VoidFacts, number: string, of: BooksDocument): Problem | null {
  const computed = forecastTax(of.lines, taxRegimeOf(books), of.taxCodeId ?? null, books);
  if (computed === null || compare(absolute(minus(computed, of.tax)), taxTolerance) <= 0) return null;
  return problem('CREDIT_TAX_WOULD_DIFFER', {
    number,
    books: format(computed),
    ours: format(of.tax),
    difference: signed(minus(computed, of.tax)),
  });
}

/** A credit memo dated today, line by line against an invoice of an earlier month. */
function credit(
  { invoice, books, today, psaLabel }: VoidFacts,
  document: SalesState,
  { lines, tax, taxCodeId = null, currency, locationId = null }: BooksDocument,
  notes: readonly Note[],
): VoidDecision {
  const number = document.number ?? document.id;
  const on = books.preferences.closedThrough;
  const datedOn = on !== null && today <= on ? addDays(on, 1) : today;
  const credited = sum(lines.map(({ amount }) => amount));
  const isAutomated = taxRegimeOf(books) === 'us_automated';
  return {
    outcome: 'plan',
    plan: {
      commands: [
        {
          do: 'create_credit_memo',
          document: {
            customer: { id: document.customer.id },
            number: books.preferences.customTransactionNumbers ? suffixedNumber(number, '-CR') : null,
            datedOn,
            termId: null,
            dueOn: null,
            billingAddress: null,
            shippingAddress: null,
            customerMessage: null,
            privateNote: `${psaLabel} invoice ${invoice.id} voided · credits ${number} of ${document.datedOn}`,
            email: null,
            onlinePayment: null,
            currency,
            classId: null,
            ...(locationId === null ? {} : { locationId }),
            customFields: [],
            taxCodeId,
            ...(isAutomated ? { taxOverride: tax } : {}),
            taxExcluded: taxRegimeOf(books) === 'elsewhere',
            lines: lines.flatMap((line) => creditLine(line)),
          },
        },
      ],
      notes: [
        ...notes,
        note(
          'info',
          `Dated ${dayText(document.datedOn)}, an earlier month: a credit memo of ${dayText(datedOn)} takes it back`,
        ),
      ],
      warnings: [problem('CREDIT_TO_APPLY', { number, amount: format(document.total) })],
      expected: { subtotal: credited, tax, dueOn: null, takesBack: number },
    },
  };
}

function creditLine({ itemId, quantity, unitPrice, amount, description, classId, taxCode }: BooksLine): SalesLine[] {
  if (itemId === null) return [];
  // A line of which one of both is not said is credited as one piece: quantity and price make its amount.
  const [pieces, price] = quantity === null || unitPrice === null ? [decimal(1), amount] : [quantity, unitPrice];
  return [
    {
      amount,
      quantity: pieces,
      unitPrice: price,
      description: description ?? '',
      item: { id: itemId },
      servedOn: null,
      classId,
      taxCode,
    },
  ];
}

/** The document that is to be voided, as the books show it. */
const describeDocument = ({ invoice, company }: VoidFacts, document: SalesState): ProblemDocument => ({
  what: nameOf(document.type),
  psaId: invoice.id,
  number: document.number,
  party: document.customer.name ?? company?.name ?? null,
  on: document.datedOn,
  // The amount of a credit memo is negative.
  amount: document.type === 'CreditMemo' ? negate(document.total) : document.total,
  currency: document.currency,
});

/** A document of an earlier tool, which must agree in number, customer and total; of several nobody knows which. */
function unlinked({ invoice, company, documents, books, mappings }: VoidFacts): SalesState | undefined {
  if (company === null) return undefined;
  const isCredit = isNegative(invoice.total);
  const mapped = indexMappings(mappings).Customer?.get(String(company.id))?.targetValue;
  const isCustomer = ({ customer }: SalesState): boolean => {
    if (mapped !== undefined) return isOrBelow(customer.id, mapped, indexBooks(books));
    const known = indexBooks(books).customersById.get(customer.id);
    const names = [known?.displayName, known?.companyName, customer.name];
    return names.some((name) => isName(name, company.name));
  };
  const [found, ...others] = documents.filter(
    (document) =>
      (document.type === 'CreditMemo') === isCredit &&
      equals(document.total, absolute(invoice.total)) &&
      isCustomer(document),
  );
  return others.length === 0 ? found : undefined;
}
