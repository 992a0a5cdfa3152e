import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { Invoice, InvoiceHead, InvoiceLine } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { PrepaidPurchase } from '../documents/prepaid-purchase.ts';
import type {
  AccountingLists,
  AccountingPreferences,
  Customer,
  PsaReferenceData,
} from '../documents/reference-data.ts';
import type { Mode, Trigger } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { NumberedDocument } from '../ports/accounting.ts';
import { problem, type Problem, type ProblemDocument } from '../problems.ts';
import { type Settings, usesPsaNumber } from '../settings/definitions.ts';
import type { ItemSettings } from '../settings/item-settings.ts';
import { withoutSentinel } from '../sync-status.ts';
import { addSeconds, type CalendarDate, dateIn, type Instant } from '../values/dates.ts';
import {
  type Decimal,
  format,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  round2,
  sum,
} from '../values/decimal.ts';
import { normalized, textOrNull } from '../values/text.ts';
import type { PsaMenus } from '../ports/psa.ts';
import { type ChildWorkFacts, chooseChildWork } from './child-work.ts';
import { nameItem } from './choose-item.ts';
import { chooseCustomer, type CustomerChoice, customerMatch } from './choose-party.ts';
import { chooseCurrency, type CurrencyChoice } from './currency.ts';
import { type DecisionLog, type DocumentDecision, skipped } from './decision.ts';
import { businessNames, businessSources, hasClassMappings, mappedClass } from './document-fields.ts';
import { invoiceMessages } from './messages.ts';
import { type ContractInvoice, creditMilestones } from './milestone-credits.ts';
import type { NewCustomer } from './plan.ts';
import { drawDown, type Drawdown, type PrepaidInvoice, prepaidKinds } from './prepaid.ts';
import {
  type AccountingIndex,
  incomeAccountOf,
  indexAccounting,
  indexMappings,
  indexPsa,
  type MappingIndex,
  type PsaIndex,
} from './reference-index.ts';
import { type TaxRegime, taxRegimeNames, taxRegimeOf } from './tax.ts';

/** Another invoice of a prepaid contract. */
interface SyncedInvoice extends PrepaidInvoice {
  readonly isPosted: boolean;
  /** QuickBooks document of a posted invoice; null: not found. Undefined if it was not read. */
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
  /** Blocks, retainers and tickets of those contracts. Undefined if there are none, or the PSA does not show them. */
  readonly purchases?: readonly PrepaidPurchase[];
  /** Other invoices of the contracts whose milestones it may credit. Undefined if it credits none. */
  readonly contractInvoices?: readonly ContractInvoice[];
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  readonly accounting: AccountingLists;
  /** Another sales document with the invoice's number; never the posting of this invoice. */
  readonly numberTakenBy: NumberedDocument | null;
  /** The PSA's label, e.g. `Autotask`. */
  readonly psaLabel: string;
  readonly psaMenus: PsaMenus;
  readonly now: Instant;
  readonly mode: Mode;
  readonly trigger: Trigger;
  /** Number of documents requested for the invoice, including this one; the first is 1. */
  readonly generation: number;
}

/** Decision on an invoice. */
export type InvoiceDecision = DocumentDecision<'zero_balance' | 'prepaid_used_up' | 'voided' | 'not_mapped'>;

/** What all steps of a decision share. */
export interface InvoiceContext {
  readonly facts: InvoiceFacts;
  readonly psa: PsaIndex;
  readonly accounting: AccountingIndex;
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
    accounting: indexAccounting(facts.accounting),
    mappings: indexMappings(facts.mappings),
    currency,
    amountOf: (line) => round2(currency.isForeign ? line.amount : line.internalAmount),
    rateOf: (line) => (currency.isForeign ? line.rate : line.internalRate),
    taxOf: (line) => (currency.isConverted ? line.internalTax : line.tax),
    log,
  };
}

/** What decides the currency of an invoice's total. */
interface CurrencyOfTotal extends Pick<InvoiceFacts, 'psa'> {
  readonly company: Pick<Company, 'currencyId'> | null;
  readonly accounting: { readonly preferences: Pick<AccountingPreferences, 'homeCurrency'> };
}

/** Returns the invoice as both services show it. A negative invoice is called a credit memo. */
export function describeDocument({
  invoice,
  company,
  psa,
  accounting,
}: CurrencyOfTotal & {
  readonly invoice: InvoiceHead;
  readonly company: Pick<Company, 'name' | 'currencyId'> | null;
}): ProblemDocument {
  return {
    what: isNegative(invoice.total) ? 'Credit memo' : 'Invoice',
    psaId: invoice.id,
    number: textOrNull(withoutSentinel(invoice.number)),
    party: company?.name ?? null,
    on: invoice.invoicedOn,
    amount: invoice.total,
    currency: currencyOfTotal({ company, psa, accounting }),
  };
}

/**
 * Returns the ISO code of an invoice's total in the PSA: the customer's currency if the PSA's multi-currency module is
 * active, else the PSA's own currency (domain reference 5.11).
 */
export function currencyOfTotal({ company, psa, accounting }: CurrencyOfTotal): string {
  const index = indexPsa(psa);
  const own = psa.modules.multiCurrency ? index.currencyCodes.get(company?.currencyId ?? Number.NaN) : undefined;
  return own ?? index.internalCurrency ?? accounting.preferences.homeCurrency;
}

/** Who the document is for, and on which terms. */
export interface InvoiceParties {
  readonly regime: TaxRegime;
  readonly term: TermChoice;
  readonly payer: CustomerChoice | null;
  /** The payer, or the child company whose work the invoice bills. */
  readonly customer: CustomerChoice | null;
  /** The customer, if QuickBooks has it. */
  readonly existing: Customer | null;
  readonly newCustomers: readonly NewCustomer[];
  readonly workOf: (line: InvoiceLine) => string | null;
}

export function chooseParties(context: InvoiceContext, { lines, drawdowns, isCredit }: InvoiceContent): InvoiceParties {
  const { facts, psa, accounting, mappings, currency, log } = context;
  const { invoice, company, settings, psaLabel } = facts;
  const regime = taxRegimeOf(facts.accounting);
  const numbers = usesPsaNumber(settings.inv_numbering_option) ? psaLabel : 'QuickBooks';
  log.note(
    'debug',
    `Numbering: ${numbers}. Group lines: ${settings.inv_group_invoice_lines ? 'on' : 'off'}. Tax: ${taxRegimeNames[regime]}`,
  );
  const term = chooseTerm(facts, isCredit, psa, accounting, log);
  const payer = company === null ? null : decideCustomer(company, facts, term.id, currency, accounting, mappings, log);
  if (company === null) log.refuse(problem('COMPANY_NOT_FOUND', { psa: psaLabel, id: invoice.companyId }));
  // Sales and draws of a block must be on the same customer. Otherwise one of two balances would be negative.
  const isPrepaid = lines.some(({ kind }) => prepaidKinds.has(kind)) || drawdowns.some(({ draws }) => draws.length > 0);
  const child: ChildWorkFacts | null =
    company === null || payer === null
      ? null
      : {
          payer: company,
          customer: payer,
          lines,
          companies: facts.workCompanies,
          settings: isPrepaid ? { ...settings, inv_child_work: 'parent' } : settings,
          currency: currency.sent,
          needsExemptReason: facts.accounting.preferences.automatedSalesTax,
          accounting,
          mappings,
        };
  const work = child === null ? null : chooseChildWork(child, log);
  const customer = work?.child ?? payer;
  return {
    regime,
    term,
    payer,
    customer,
    existing: customer?.is === 'existing' ? customer.customer : null,
    newCustomers: [payer, work?.child].flatMap((one) => (one?.is === 'new' ? [one.customer] : [])),
    workOf: work?.workOf ?? (() => null),
  };
}

export interface TermChoice {
  readonly name: string | null;
  readonly id: string | null;
}

function chooseTerm(
  { invoice }: InvoiceFacts,
  isCredit: boolean,
  psa: PsaIndex,
  accounting: AccountingIndex,
  log: DecisionLog,
): TermChoice {
  const label = invoice.paymentTermId === null ? undefined : psa.paymentTerms.get(invoice.paymentTermId);
  const name = textOrNull(label);
  // Nothing is due on a credit memo, so it has no due date.
  if (isCredit || name === null) return { name: null, id: null };
  const id = accounting.termIds.get(normalized(name)) ?? null;
  if (id === null) log.warn(problem('TERM_NOT_FOUND', { name }));
  return { name, id };
}

function decideCustomer(
  company: Company,
  facts: InvoiceFacts,
  termId: string | null,
  currency: CurrencyChoice,
  accounting: AccountingIndex,
  mappings: MappingIndex,
  log: DecisionLog,
): CustomerChoice {
  const choice = chooseCustomer(company, accounting, mappings, {
    termId,
    currency: currency.sent,
    mayCreate: facts.settings.customer_create_automatically,
    reportsSimilar: facts.settings.ask_before_creating_similar,
    needsExemptReason: facts.accounting.preferences.automatedSalesTax,
  });
  if (choice.is === 'refused') {
    log.refuse(choice.problem);
    return choice;
  }
  if (choice.is === 'new') {
    log.note('info', `Customer: ${company.name} -> new customer ${choice.customer.displayName} (to be created)`);
    return choice;
  }
  const { id, displayName, currency: other } = choice.customer;
  log.note('info', `Customer: ${company.name} -> ${id} ${displayName} (${choice.by})`);
  log.match(choice.by, customerMatch(company, choice.customer));
  // QuickBooks reads amounts in the customer's own currency, so a mismatch is never sent.
  if (facts.accounting.preferences.multiCurrency && other !== null && other !== currency.ofAmounts)
    log.refuse(
      problem('CURRENCY_MISMATCH', {
        company: company.name,
        source: company,
        currency: currency.ofAmounts,
        other,
      }),
    );
  return choice;
}

/** The lines to post, and what they amount to. */
export interface InvoiceContent {
  readonly lines: readonly InvoiceLine[];
  readonly drawdowns: readonly Drawdown[];
  /** See {@link Plan.prepaidReserved}. Undefined if no purchase that is used has ended. */
  readonly reserved?: Decimal;
  /** Every line of the invoice is posted. */
  readonly hasAll: boolean;
  /** Billed tax of the lines, in the currency that is sent. */
  readonly tax: Decimal;
  readonly isCredit: boolean;
  readonly isAllZero: boolean;
}

/** Chooses the lines to post; or skips the invoice. */
export function chooseContent(context: InvoiceContext): InvoiceContent | InvoiceDecision {
  const { facts, psa, accounting, mappings, currency, amountOf, taxOf, log } = context;
  const { invoice, settings, psaLabel } = facts;
  const isAllZero = isZero(invoice.total) && invoice.lines.every((line) => isZero(amountOf(line)));
  const isIncluded = lineFilter(facts, accounting, mappings);
  const { drawdowns, ...kept } = drawdownsOf(context, isIncluded);
  const unpaid = overageProblems(drawdowns, psa, psaLabel);
  log.warn(...unpaid);
  if (isAllZero && settings.inv_ignore_zero_balance_invoices && drawdowns.every(({ draws }) => draws.length === 0))
    return unpaid.length === 0
      ? skipped('zero_balance', invoiceMessages.zeroBalance, true, log)
      : skipped('prepaid_used_up', invoiceMessages.withoutPrepaid(unpaid), true, log, log.warnings);
  if (invoice.lines.length === 0) log.refuse(problem('NO_LINES', { psa: psaLabel }));

  log.refuse(...unsyncedSales(drawdowns, facts));
  const included = includedLines(facts, amountOf, psa, isIncluded, log);
  const lines = withMilestoneCredits(context, included);
  if (lines.length === 0 && invoice.lines.length > 0) {
    const left = format(sumOf(invoice.lines, amountOf));
    const message = invoiceMessages.nothingMapped(invoice.lines.length, left, businessNames(invoice.lines, psa));
    return skipped('not_mapped', message, true, log);
  }
  const hasAll = included.length === invoice.lines.length;
  const tax = hasAll && !currency.isConverted ? invoice.tax : round2(sumOf(lines, taxOf));
  const isCredit = isNegative(hasAll ? invoice.total : plus(sumOf(lines, amountOf), tax));
  if (isCredit && settings.negative_invoice_policy === 'credit_memo')
    log.note('info', 'The total is negative: it becomes a credit memo');
  if (isCredit && settings.negative_invoice_policy === 'error')
    log.refuse(problem('NEGATIVE_INVOICE', { total: format(invoice.total) }));
  return { lines, drawdowns, ...kept, hasAll, tax, isCredit, isAllZero };
}

/** Returns what the lines of the invoice draw from prepaid contracts. */
function drawdownsOf(
  { facts, psa, accounting, amountOf }: InvoiceContext,
  isIncluded: (line: InvoiceLine) => boolean,
): Pick<InvoiceContent, 'drawdowns' | 'reserved'> {
  const { invoice } = facts;
  if (!facts.settings.prepaid_drawdown) return { drawdowns: [] };
  const withIncludedLines = (one: PrepaidInvoice): PrepaidInvoice => ({ ...one, lines: one.lines.filter(isIncluded) });
  const others = facts.prepaid.filter(({ id }) => id !== invoice.id).map((one) => asPosted(one, facts, accounting));
  const drawnBy = (own: Invoice) => {
    const all = [...others, own].map(withIncludedLines);
    const { drawdowns, unused } = drawDown(all, psa.prepaidUnits, amountOf, facts.purchases ?? []);
    return { drawdowns: drawdowns.filter(({ invoiceId }) => invoiceId === invoice.id), unused };
  };
  const first = drawnBy(invoice);
  // The PSA may create the invoice of a sale right after that of its use. What the others leave pays for it.
  const endAt = addSeconds(invoice.createdAt, batchSeconds);
  const mayFollow =
    first.drawdowns.some(({ overage }) => !isZero(overage)) &&
    others.some(
      ({ createdAt, lines }) =>
        createdAt >= invoice.createdAt && createdAt <= endAt && lines.some(({ kind }) => prepaidKinds.has(kind)),
    );
  const later = mayFollow ? drawnBy({ ...invoice, createdAt: endAt }) : first;
  const isMore = isPositive(minus(totalOf(later.drawdowns), totalOf(first.drawdowns)));
  const { drawdowns, unused } = isMore ? later : first;
  const today = dateIn(facts.now, 'UTC');
  const hasEnded = (endsOn: CalendarDate | null) => endsOn !== null && endsOn < today;
  if (!drawdowns.some(({ draws }) => draws.some(({ endsOn }) => hasEnded(endsOn)))) return { drawdowns };
  const posted = new Set(facts.prepaid.flatMap(({ id, isPosted }) => (isPosted ? [id] : [])));
  const valid = unused.filter((sale) => posted.has(sale.invoice.id) && !hasEnded(sale.purchase?.endsOn ?? null));
  return { drawdowns, reserved: sum(valid.map(({ left }) => left)) };
}

/** Invoices of one billing run are created within less than this time. */
const batchSeconds = 86_399;

const totalOf = (drawdowns: readonly Drawdown[]): Decimal =>
  sum(drawdowns.flatMap(({ draws }) => draws.map(({ amount }) => amount)));

/** Returns the lines, where credits of milestones have the items of their milestones. */
function withMilestoneCredits(
  { facts, psa, mappings, amountOf, log }: InvoiceContext,
  included: readonly InvoiceLine[],
): readonly InvoiceLine[] {
  const { lines, credits, unclear } = creditMilestones(included, {
    amountOf,
    itemOf: (milestone) =>
      mappings.ItemBilling?.get(String(milestone.billingCodeId))?.targetValue ??
      `named ${normalized(nameItem(milestone, psa, facts.itemSettings).name)}`,
    ...(facts.contractInvoices !== undefined && { others: facts.contractInvoices }),
  });
  for (const { credit, milestones } of unclear)
    log.refuse(
      problem('MILESTONE_CREDIT_UNCLEAR', {
        psa: facts.psaLabel,
        name: credit.itemName ?? 'A credit',
        amount: format(amountOf(credit)),
        list: milestones
          .map((milestone) => `“${milestone.itemName ?? 'Milestone'}” (${format(amountOf(milestone))})`)
          .join(', '),
      }),
    );
  for (const { credit, milestone } of credits)
    log.note(
      'info',
      `“${credit.itemName ?? 'A credit'}” (${format(amountOf(credit))}) credits the milestone “${milestone.itemName ?? ''}” and uses its item`,
    );
  return lines;
}

const sumOf = (lines: readonly InvoiceLine[], of: (line: InvoiceLine) => Decimal): Decimal => sum(lines.map(of));

/** Returns which lines are synced: all, or only those with a mapped line of business (contract, section 2). */
function lineFilter(
  { settings }: InvoiceFacts,
  accounting: AccountingIndex,
  mappings: MappingIndex,
): (line: InvoiceLine) => boolean {
  if (!settings.lob_only_mapped || !hasClassMappings(mappings)) return () => true;
  return (line) => mappedClass(line, accounting, mappings) !== null;
}

/** Returns the lines that are synced, with a warning about the others. */
function includedLines(
  { invoice }: InvoiceFacts,
  amountOf: (line: InvoiceLine) => Decimal,
  psa: PsaIndex,
  isIncluded: (line: InvoiceLine) => boolean,
  log: DecisionLog,
): readonly InvoiceLine[] {
  const left = invoice.lines.filter((line) => !isIncluded(line));
  if (left.length > 0)
    log.warn(
      problem('LINES_LEFT_OUT', {
        count: left.length,
        amount: format(sumOf(left, amountOf)),
        list: businessNames(left, psa),
        linesOfBusiness: businessSources(left, psa),
      }),
    );
  return invoice.lines.filter(isIncluded);
}

/** Returns the invoice with what its document draws, and without sales whose money is not in the prepaid account. */
function asPosted(invoice: SyncedInvoice, { settings }: InvoiceFacts, accounting: AccountingIndex): PrepaidInvoice {
  if (invoice.document === undefined) return invoice;
  const amounts = (invoice.document?.lines ?? []).flatMap((line) =>
    incomeAccountOf(line, accounting.itemsById) === settings.prepaid_account ? [line.amount] : [],
  );
  const isLiability = amounts.some(isPositive);
  return {
    ...invoice,
    lines: invoice.lines.filter(({ kind, amount }) => isLiability || isNegative(amount) || !prepaidKinds.has(kind)),
    drawn: negate(sum(amounts.filter(isNegative))),
  };
}

/** Returns a warning for each contract with covered work that no sale pays for, or that is outside its purchases. */
function overageProblems(drawdowns: readonly Drawdown[], psa: PsaIndex, psaLabel: string): readonly Problem[] {
  const unpaid = drawdowns.filter(({ overage }) => !isZero(overage));
  return [...Map.groupBy(unpaid, (drawdown) => drawdown.contractId)].flatMap(([contractId, lines]) => {
    const name = psa.contracts.get(contractId) ?? `Contract ${contractId}`;
    const unit = psa.prepaidUnits.get(contractId);
    const textOf = (own: readonly Drawdown[]): string => {
      const overage = sum(own.map((drawdown) => drawdown.overage));
      return unit === 'money' ? format(overage) : `${format(overage, 0)} ${unit === 'hours' ? 'h' : 'tickets'}`;
    };
    const [outside, usedUp] = [lines.filter(isOutside), lines.filter((line) => !isOutside(line))];
    return [
      ...(usedUp.length === 0 ? [] : [problem('PREPAID_USED_UP', { psa: psaLabel, name, overage: textOf(usedUp) })]),
      ...(outside.length === 0
        ? []
        : [
            problem('PREPAID_OUTSIDE_DATES', {
              psa: psaLabel,
              name,
              overage: textOf(outside),
              worked: [...new Set(outside.map(({ workedOn }) => workedOn))].sort(),
              valid: [...new Set(outside.flatMap((drawdown) => drawdown.outside))]
                .toSorted((a, b) => (a.startsOn ?? '').localeCompare(b.startsOn ?? ''))
                .map(({ startsOn, endsOn }) => ({ startsOn, endsOn })),
            }),
          ]),
    ];
  });
}

const isOutside = ({ outside }: Drawdown): boolean => outside.length > 0;

/** Returns the problem that the work draws on a sale that is not in QuickBooks: its liability would be below zero. */
function unsyncedSales(
  drawdowns: readonly Drawdown[],
  { invoice, prepaid, psaLabel }: InvoiceFacts,
): readonly Problem[] {
  const synced = new Set([invoice.id, ...prepaid.flatMap(({ id, isPosted }) => (isPosted ? [id] : []))]);
  const unsynced = drawdowns.flatMap(({ draws }) => draws).filter(({ soldBy }) => !synced.has(soldBy));
  if (unsynced.length === 0) return [];
  const list = [...new Set(unsynced.map(({ soldBy }) => soldBy))].sort((a, b) => a - b).join(', ');
  const amount = format(sum(unsynced.map((draw) => draw.amount)));
  return [problem('PREPAID_SALE_NOT_SYNCED', { psa: psaLabel, list, amount })];
}
