import type { InvoiceHead } from '../documents/invoice.ts';
import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import type { Company } from '../documents/party.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import type { SalesReference, SalesState } from '../documents/sales-state.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { ofDocument, problem, type Problem, type ProblemDocument } from '../problems.ts';
import { monthOf } from '../reconciliation/month.ts';
import type { ServiceFailure } from '../service-error.ts';
import type { Settings } from '../settings/definitions.ts';
import { note, type Note } from '../transcript.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';
import {
  absolute,
  decimal,
  equals,
  format,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  sum,
  zero,
} from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import { isOrBelow } from './child-work.ts';
import { postingDate, repeatedClasses, suffixedNumber } from './document-fields.ts';
import { isName } from './link-differences.ts';
import { indexAccounting, indexMappings } from './reference-index.ts';
import { nameOfSales as nameOf, voidMessages } from './messages.ts';
import { taxOfCreditDiffers, taxRegimeOf } from './tax.ts';
import { lastCommand, type Plan, type SalesLine } from './plan.ts';
import { type PrepaidClaim, shortfallWithout, takingOf } from './prepaid-shortfall.ts';

/** Facts that decide on one void. */
export interface VoidFacts {
  readonly invoice: Pick<InvoiceHead, 'id' | 'number' | 'total' | 'isVoided'>;
  /** The company of the invoice; null if it could not be read. */
  readonly company: Pick<Company, 'id' | 'name'> | null;
  /** The posted document of the invoice; null: none was posted. */
  readonly link: (SalesReference & { readonly number: string | null }) | null;
  /** The linked QuickBooks document; without a link, all documents with the invoice's number. */
  readonly documents: readonly SalesState[];
  readonly accounting: Pick<AccountingLists, 'customers' | 'preferences'> & AccountingLists;
  readonly mappings: readonly Mapping[];
  readonly settings: Pick<Settings, 'void_across_months'>;
  /** The linked document with its lines; null unless it may need a credit memo. */
  readonly lines: AccountingDocument | null;
  /** The credit memo that already reverses the document; null: there is none. */
  readonly credit: AccountingDocument | null;
  /**
   * Problem if a difference of the invoice was billed and not voided, so the void needs a person; null: there is none.
   */
  readonly difference: Problem | null;
  /** All entries of the account for prepaid money. Undefined if there are none. */
  readonly prepaid?: Parameters<typeof shortfallWithout>[0];
  /** Prepaid money that documents take that may not be in QuickBooks yet. Undefined if there is none. */
  readonly prepaidClaims?: readonly PrepaidClaim[];
  /** A user decided in Close to void this document, even in an earlier month. */
  readonly isDecided?: boolean;
  /** Today, in the tenant's time zone. */
  readonly today: CalendarDate;
  readonly psaLabel: string;
}

/**
 * Decision on a void.
 *
 * - `plan`: void the document, or create a credit memo for it
 * - `skip`: nothing to do in QuickBooks; `postingStatus` is the state of the linked document there
 * - `refuse`: a person must act in QuickBooks first
 */
export type VoidDecision =
  | { readonly outcome: 'plan'; readonly plan: Plan }
  | {
      readonly outcome: 'skip';
      readonly reason:
        | 'not_voided_in_psa'
        | 'not_found_in_accounting'
        | 'deleted_in_accounting'
        | 'already_voided'
        | 'already_credited';
      readonly message: string;
      readonly isLoggedOnce: boolean;
      readonly postingStatus: 'voided' | 'deleted_in_accounting' | null;
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

type Skip = Extract<VoidDecision, { outcome: 'skip' }>;

const skip = (reason: Skip['reason'], message: string, more: Partial<Skip> = {}): Skip => ({
  outcome: 'skip',
  reason,
  message,
  isLoggedOnce: true,
  postingStatus: null,
  warnings: [],
  notes: [],
  document: null,
  ...more,
});

/**
 * Decides what to do in QuickBooks about an invoice that was voided in the PSA (domain reference 7). Nothing is written
 * to the PSA for a void.
 *
 * Invariant: a document with applied payments or credits is never voided, because the money would silently become
 * unapplied.
 */
export function planVoid(facts: VoidFacts): VoidDecision {
  const { invoice, link } = facts;
  if (!invoice.isVoided)
    return skip('not_voided_in_psa', voidMessages.notVoided(facts.psaLabel), { isLoggedOnce: false });

  const document = link === null ? unlinked(facts) : facts.documents.find(({ id }) => id === link.id);
  if (document === undefined) {
    if (link === null) return skip('not_found_in_accounting', voidMessages.notFound);
    const number = link.number ?? link.id;
    return skip('deleted_in_accounting', voidMessages.deleted, {
      postingStatus: 'deleted_in_accounting',
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
      postingStatus: 'voided',
      notes,
      document: document.document,
    });

  // The credit memo's note identifies it, even if a restored ledger has no record of it.
  if (facts.credit !== null)
    return skip('already_credited', voidMessages.alreadyCredited(facts.credit.number ?? facts.credit.id), {
      notes,
      document: document.document,
    });

  return decide(facts, document, notes);
}

/** Decides about a document that was neither voided nor credited yet. */
function decide(facts: VoidFacts, document: SalesState, notes: readonly Note[]): VoidDecision {
  const number = document.number ?? document.id;
  const problems: Problem[] = [];
  const applied = minus(document.total, document.balance);
  if (!equals(applied, zero))
    problems.push(problem('VOID_HAS_PAYMENTS', { what: nameOf(document.type), number, amount: format(applied) }));
  if (facts.difference !== null) problems.push(facts.difference);
  const prepaidShortfall = shortfallWithout(facts.prepaid ?? [], document, facts.prepaidClaims);
  if (isPositive(prepaidShortfall))
    problems.push(
      problem('PREPAID_MONEY_USED', {
        psa: facts.psaLabel,
        number,
        party: document.customer.name ?? facts.company?.name ?? 'the customer',
        amount: format(prepaidShortfall),
      }),
    );
  const isEarlier = monthOf(document.datedOn) < monthOf(facts.today);
  const { void_across_months: policy } = facts.settings;
  // A credit memo dated today leaves the invoice's month as reported, closed or not.
  const isCredited = isEarlier && policy === 'credit_memo' && document.type === 'Invoice' && canCredit(facts.lines);
  const { closedThrough } = facts.accounting.preferences;
  if (isCredited && facts.lines !== null && problems.length === 0) {
    const differs = taxOfCreditDiffers(facts.accounting, number, facts.lines, creditDate(facts));
    if (differs === null) return withPrepaid(credit(facts, document, facts.lines, notes), facts, document);
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
  const expected = { subtotal: zero, tax: zero, dueOn: null };
  const plan: Plan = { commands: [{ do: 'void', type, id, syncToken }], notes, warnings: [], expected };
  return withPrepaid({ outcome: 'plan', plan }, facts, document);
}

/** Adds the prepaid money that the plan takes, if any. */
function withPrepaid(
  decision: VoidDecision,
  { prepaid = [], accounting }: VoidFacts,
  document: SalesState,
): VoidDecision {
  const taking = takingOf(prepaid, document, accounting);
  if (decision.outcome !== 'plan' || taking === undefined) return decision;
  return { ...decision, plan: { ...decision.plan, prepaid: taking } };
}

/**
 * Returns whether a credit memo that a user entered reverses an invoice: same customer, same total, and the invoice's
 * number in the private note.
 */
export const isCreditedBy = (invoice: AccountingDocument, memo: AccountingDocument): boolean =>
  memo.party.id === invoice.party.id &&
  equals(memo.total, invoice.total) &&
  invoice.number !== null &&
  (memo.privateNote ?? '').split(/[\s,;:.()#]+/).includes(invoice.number);

/** Returns whether a document can be credited line by line. An amount without an item cannot be credited. */
const canCredit = (of: AccountingDocument | null): boolean =>
  of !== null && of.lines.every(({ itemId, amount }) => itemId !== null || isZero(amount));

/** Returns the day of a credit memo: today, or the first open day. */
const creditDate = ({ accounting, today }: Pick<VoidFacts, 'accounting' | 'today'>): CalendarDate =>
  postingDate(today, accounting.preferences);

/** Returns the plan of a credit memo dated today that reverses an invoice of an earlier month line by line. */
function credit(
  { invoice, accounting, today, psaLabel }: VoidFacts,
  document: SalesState,
  { lines, tax, taxes, taxCodeId = null, currency, exchangeRate, locationId = null }: AccountingDocument,
  notes: readonly Note[],
): VoidDecision {
  const number = document.number ?? document.id;
  const datedOn = creditDate({ accounting, today });
  const credited = sum(lines.map(({ amount }) => amount));
  const isAutomated = taxRegimeOf(accounting) === 'us_automated';
  const classes = repeatedClasses(lines, accounting.preferences);
  return {
    outcome: 'plan',
    plan: {
      commands: [
        {
          do: 'create_credit_memo',
          document: {
            customer: { id: document.customer.id },
            number: accounting.preferences.customTransactionNumbers ? suffixedNumber(number, '-CR') : null,
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
            // The income of the invoice is reversed in full; another rate would leave a part of it.
            ...(currency !== null && currency !== accounting.preferences.homeCurrency && { exchangeRate }),
            classId: classes.ofDocument,
            ...(locationId === null ? {} : { locationId }),
            customFields: [],
            taxCodeId,
            ...(isAutomated ? { taxOverride: tax } : {}),
            taxExcluded: taxRegimeOf(accounting) === 'elsewhere',
            lines: lines.flatMap((line) => creditLine({ ...line, classId: classes.ofLine(line) })),
          },
        },
      ],
      notes: [
        ...notes,
        note(
          'info',
          `Dated ${dayText(document.datedOn)}, an earlier month: a credit memo of ${dayText(datedOn)} reverses it`,
        ),
      ],
      warnings: [problem('CREDIT_TO_APPLY', { number, amount: format(document.total) })],
      expected: {
        subtotal: credited,
        tax,
        dueOn: null,
        takesBack: number,
        // Rates that are computed before were compared by agency, which may have got a new rate.
        ...(isAutomated && taxes !== undefined ? { taxes } : {}),
      },
    },
  };
}

function creditLine({
  itemId,
  quantity,
  unitPrice,
  amount,
  description,
  classId,
  taxCode,
}: AccountingLine): SalesLine[] {
  if (itemId === null) return [];
  // A line without quantity or price is credited as 1 × its amount, because quantity × price must equal the amount.
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

/** Returns the document to void, as QuickBooks shows it. */
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

/**
 * Returns the document that an earlier tool posted: number, customer and total must match. Returns none if there are
 * several.
 */
function unlinked({ invoice, company, documents, accounting, mappings }: VoidFacts): SalesState | undefined {
  if (company === null) return undefined;
  const isCredit = isNegative(invoice.total);
  const { Customer, owners } = indexMappings(mappings);
  const mapped = Customer?.get(String(company.id))?.targetValue;
  const isCustomer = ({ customer }: SalesState): boolean => {
    if (mapped !== undefined) return isOrBelow(customer.id, mapped, indexAccounting(accounting));
    // Another company may have the same name.
    if (owners !== undefined && owners.ofRecord('Customer', customer.id).length > 0) return false;
    const known = indexAccounting(accounting).customersById.get(customer.id);
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

/**
 * Returns the problem that QuickBooks cannot void a credit memo, with its fix; null for any other rejection.
 *
 * @param about the credit memo's head
 */
export function problemOfRefusedVoid(
  plan: Plan,
  about: ProblemDocument | undefined,
  { cause }: Pick<ServiceFailure, 'cause'>,
  psaLabel: string,
): Problem | null {
  const command = lastCommand(plan);
  if (cause !== 'unsupported' || command.do !== 'void' || command.type !== 'CreditMemo') return null;
  const { number = null, party = null, on = null, amount = null } = about ?? {};
  return problem('CREDIT_MEMO_NOT_VOIDED', {
    psa: psaLabel,
    number: number ?? command.id,
    party,
    on,
    amount: amount === null ? null : format(absolute(amount)),
  });
}
