import type { BillingKind, Invoice, InvoiceHead, InvoiceLine } from '../documents/invoice.ts';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { Company } from '../documents/party.ts';
import type { AccountingLists, Customer, PsaReferenceData } from '../documents/reference-data.ts';
import { originText } from '../documents/origin.ts';
import type { Mode, Trigger } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { NumberedDocument } from '../ports/accounting.ts';
import { problem, type Problem, type ProblemDocument } from '../problems.ts';
import { isAccountFor } from '../settings/account-uses.ts';
import { usesPsaNumber, type Settings } from '../settings/definitions.ts';
import type { ItemSettings } from '../settings/item-settings.ts';
import { errorMark, withoutSentinel } from '../sync-status.ts';
import type { Instant } from '../values/dates.ts';
import {
  compare,
  format,
  isNegative,
  isPositive,
  isZero,
  negate,
  plus,
  round2,
  sum,
  type Decimal,
} from '../values/decimal.ts';
import { cut, normalized, textOrNull } from '../values/text.ts';
import { chooseChildWork, type ChildWorkFacts } from './child-work.ts';
import {
  chooseCustomer,
  customerMatch,
  emailOf,
  isSameAddress,
  presentAddress,
  type CustomerChoice,
} from './choose-party.ts';
import { businessNames, businessSources, chooseClasses, hasClassMappings, mappedClass } from './classes.ts';
import { checkControlTotal, roundingLine } from './control-total.ts';
import { chooseCurrency, type CurrencyChoice } from './currency.ts';
import { chooseCustomFields } from './custom-fields.ts';
import { nameItem } from './choose-item.ts';
import { customerMessage } from './customer-message.ts';
import { refusal, skipped, type DocumentDecision } from './decision.ts';
import { drawDown, prepaidKinds, type Drawdown, type PrepaidInvoice } from './drawdown.ts';
import { groupLines, type DecidedLine } from './group-lines.ts';
import { chooseLocation, departmentOf } from './locations.ts';
import { decideLines, type DecidedLines, type LineFacts } from './invoice-lines.ts';
import { invoiceMessages } from './messages.ts';
import { taxTolerance } from './credit-tax.ts';
import { creditMilestones, type ContractInvoice } from './milestone-credits.ts';
import { chooseNumber } from './numbering.ts';
import type { Command, NewCustomer, Reference, SalesDocument, SalesLine } from './plan.ts';
import { choosePostingDate } from './posting-date.ts';
import { roundingOf } from './rounding-limit.ts';
import { prepaidLines } from './prepaid.ts';
import { priceOf } from './prices.ts';
import {
  indexAccounting,
  indexMappings,
  indexPsa,
  type AccountingIndex,
  type MappingIndex,
  type PsaIndex,
} from './reference-index.ts';
import { DecisionLog } from './decision-log.ts';
import { syncedText } from './synced-text.ts';
import { codeOfRegion, documentTaxCode, taxAddress, taxRegimeNames, taxRegimeOf, type TaxRegime } from './tax.ts';
import { checkTax, forecastTax } from './tax-forecast.ts';
import { sourceOfInvoice } from './source-view.ts';

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

/** Maximum number of lines on a taxable invoice in QuickBooks. */
const maxTaxableLines = 750;
const maxTextLength = 4_000;

/** What all steps of a decision share. */
interface Context {
  readonly facts: InvoiceFacts;
  readonly psa: PsaIndex;
  readonly books: AccountingIndex;
  readonly mappings: MappingIndex;
  readonly currency: CurrencyChoice;
  /** Amount and rate of a line in the currency that is sent. */
  readonly amountOf: (line: InvoiceLine) => Decimal;
  readonly rateOf: (line: InvoiceLine) => Decimal;
  readonly log: DecisionLog;
}

/**
 * Decides the invoice or credit memo for one PSA invoice (domain reference 5.3 to 6.12). The function is pure: it reads
 * and sends nothing. Test mode shows the same plan that live mode posts.
 */
export function planInvoice(facts: InvoiceFacts): InvoiceDecision {
  const { invoice, company, psaLabel } = facts;
  const log = new DecisionLog(describeDocument(facts));
  log.note('info', headline(facts));
  if (invoice.isVoided) return skipped('voided', invoiceMessages.voided(psaLabel), false, log);

  const context = contextOf(facts, log);
  const content = chooseContent(context);
  if ('outcome' in content) return content;
  const parties = chooseParties(context, content);
  const body = decideBody(context, content, parties);
  const tax = decideTax(context, content, parties, body);
  const head = decideHead(context, content, parties);

  const { customer } = parties;
  if (log.problems.length > 0 || company === null || customer === null || customer.is === 'refused')
    return refused(facts, usesPsaNumber(facts.settings.inv_numbering_option), log);
  const document = documentOf(context, { content, parties, body, tax, head, company });
  return planOf(context, { content, body, tax, document });
}

function contextOf(facts: InvoiceFacts, log: DecisionLog): Context {
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
    log,
  };
}

/** The lines to post, and what they amount to. */
interface Content {
  readonly lines: readonly InvoiceLine[];
  readonly drawdowns: readonly Drawdown[];
  /** Every line of the invoice is posted. */
  readonly hasAll: boolean;
  readonly tax: Decimal;
  readonly isCredit: boolean;
  readonly isAllZero: boolean;
}

/** Chooses the lines to post; or skips the invoice. */
function chooseContent(context: Context): Content | InvoiceDecision {
  const { facts, psa, books, mappings, amountOf, log } = context;
  const { invoice, settings, psaLabel } = facts;
  const isAllZero = isZero(invoice.total) && invoice.lines.every((line) => isZero(amountOf(line)));
  const isIncluded = lineFilter(facts, books, mappings);
  const drawdowns = drawdownsOf(context, isIncluded);
  warnOfOverage(drawdowns, psa, psaLabel, log);
  if (isAllZero && settings.inv_ignore_zero_balance_invoices && drawdowns.every(({ draws }) => draws.length === 0))
    return skipped('zero_balance', invoiceMessages.zeroBalance, true, log);
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
  const tax = hasAll ? invoice.tax : sumOf(lines, (line) => line.tax);
  const isCredit = isNegative(hasAll ? invoice.total : plus(sumOf(lines, amountOf), tax));
  if (isCredit && settings.negative_invoice_policy === 'credit_memo')
    log.note('info', 'The total is negative: it becomes a credit memo');
  if (isCredit && settings.negative_invoice_policy === 'error')
    log.refuse(problem('NEGATIVE_INVOICE', { total: format(invoice.total) }));
  return { lines, drawdowns, hasAll, tax, isCredit, isAllZero };
}

/** Returns what the lines of the invoice draw from prepaid contracts. */
function drawdownsOf(
  { facts, psa, books, amountOf }: Context,
  isIncluded: (line: InvoiceLine) => boolean,
): readonly Drawdown[] {
  const { invoice } = facts;
  if (!facts.settings.prepaid_drawdown) return [];
  const withIncludedLines = (one: PrepaidInvoice): PrepaidInvoice => ({ ...one, lines: one.lines.filter(isIncluded) });
  const others = facts.prepaid.filter(({ id }) => id !== invoice.id).map((one) => asPosted(one, facts, books));
  return drawDown([...others, invoice].map(withIncludedLines), psa.prepaidUnits, amountOf).filter(
    ({ invoiceId }) => invoiceId === invoice.id,
  );
}

/** Returns the lines, where credits of milestones have the items of their milestones. */
function withMilestoneCredits(
  { facts, psa, mappings, amountOf, log }: Context,
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
        list: milestones.map((one) => `“${one.itemName ?? 'Milestone'}” (${format(amountOf(one))})`).join(', '),
      }),
    );
  for (const { credit, milestone } of credits)
    log.note(
      'info',
      `“${credit.itemName ?? 'A credit'}” (${format(amountOf(credit))}) credits the milestone “${milestone.itemName ?? ''}” and uses its item`,
    );
  return lines;
}

/** Who the document is for, and on which terms. */
interface Parties {
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

function chooseParties(context: Context, { lines, drawdowns, isCredit }: Content): Parties {
  const { facts, psa, books, mappings, currency, log } = context;
  const { invoice, company, settings, psaLabel } = facts;
  const regime = taxRegimeOf(facts.books);
  const numbers = usesPsaNumber(settings.inv_numbering_option) ? psaLabel : 'QuickBooks';
  log.note(
    'debug',
    `Numbering: ${numbers}. Group lines: ${settings.inv_group_invoice_lines ? 'on' : 'off'}. Tax: ${taxRegimeNames[regime]}`,
  );
  const term = chooseTerm(facts, isCredit, psa, books, log);
  const payer = company === null ? null : decideCustomer(company, facts, term.id, currency, books, mappings, log);
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
          books,
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

/** The lines of the document, and what is created before it. */
interface Body {
  readonly commands: readonly Command[];
  readonly lines: readonly DecidedLine[];
  readonly classId: string | null;
  readonly locationId: string | null;
  readonly taxCodeId: string | null;
  readonly hasTaxableLine: boolean;
  /** Every line is decided, in one currency with the total, so its tax can be computed. */
  readonly isWhole: boolean;
}

function decideBody(context: Context, content: Content, { term, regime, newCustomers, workOf }: Parties): Body {
  const { facts, psa, books, mappings, currency, log } = context;
  const { settings } = facts;
  const { lines } = content;
  const classes = chooseClasses(lines, facts.books.preferences, psa, books, mappings);
  log.warn(...classes.warnings);
  log.append(classes.notes);
  const locationId = chooseLocation(
    lines.map((line) => ({
      lineOfBusinessId: line.lineOfBusinessId,
      department: departmentOf(line.billingCodeId, psa),
    })),
    { settings, preferences: facts.books.preferences, psa, books, mappings },
    log,
  );
  const customers = newCustomers.map((one): Command => ({ do: 'create_customer', customer: one }));
  const decided = decideDocumentLines(context, lines, {
    classes: classes.perLine,
    regime,
    workOf,
    firstCommand: customers.length,
  });
  const documentTax = documentTaxCode(regime, facts.invoice.taxRegionName, decided.hasTaxableLine, books, mappings);
  log.refuse(...documentTax.problems);
  noteTerms(facts, term, documentTax.id, log);
  const newItems = [...decided.newItems];
  const lineFacts = { settings, books: facts.books, regime, newItems, firstCommand: customers.length };
  const prepaid = prepaidLines(drawnLines(content, decided.lines), lineFacts, log);
  const missing = checkControlTotal(facts, log);
  // The control total cannot be compared if it is in another currency than the lines that are sent.
  const isMeasured = content.hasAll && (currency.isForeign || !facts.psa.modules.multiCurrency || currency.isHome);
  const rounding =
    isZero(missing) || !isMeasured
      ? null
      : roundingLine(missing, { ...lineFacts, classId: onlyClass(classes.perLine) }, log);
  const all = [...decided.lines, ...prepaid, ...(rounding === null ? [] : [rounding])];
  const sent = settings.inv_group_invoice_lines ? groupLines(all) : all;
  if (settings.inv_group_invoice_lines) noteGroups(sent, all.length, log);
  if (decided.hasTaxableLine && sent.length > maxTaxableLines)
    log.refuse(problem('TOO_MANY_LINES', { psa: facts.psaLabel, count: sent.length, max: maxTaxableLines }));
  return {
    commands: [...customers, ...newItems.map((item): Command => ({ do: 'create_item', item }))],
    lines: sent,
    classId: classes.ofDocument,
    locationId,
    taxCodeId: documentTax.id,
    hasTaxableLine: decided.hasTaxableLine,
    isWhole: isMeasured && decided.problems.length === 0 && documentTax.problems.length === 0,
  };
}

/** Decides the item, account, class and tax of each line. */
function decideDocumentLines(
  { facts, psa, books, mappings, amountOf, rateOf, log }: Context,
  lines: readonly InvoiceLine[],
  of: Pick<LineFacts, 'classes' | 'regime' | 'workOf' | 'firstCommand'>,
): DecidedLines {
  const { settings } = facts;
  const decided = decideLines({
    ...of,
    lines,
    isTaxExempt: facts.company?.isTaxExempt ?? false,
    taxRegionName: facts.invoice.taxRegionName,
    amountOf,
    rateOf,
    items: {
      psa,
      books,
      mappings,
      itemSettings: facts.itemSettings,
      createsItems: settings.inv_create_item_automatically,
      incomeAccountId: usableIncome(facts, settings.inv_default_income_account),
      accountsByKind: accountsByKind(facts),
    },
    prepaidAccountId: usablePrepaid(facts),
    books: facts.books,
  });
  log.append(decided.notes);
  log.warn(...decided.warnings);
  for (const match of decided.itemMatches) log.matchItem(match);
  log.refuse(...decided.problems);
  return decided;
}

/** Returns the decided lines that draw prepaid money, with their draws. */
function drawnLines({ lines, drawdowns }: Content, decided: readonly DecidedLine[]) {
  // If a line could not be decided, the decided lines cannot be matched to their source lines.
  if (decided.length !== lines.length) return [];
  const drawsByLine = new Map(drawdowns.map(({ lineId, draws }) => [lineId, draws]));
  return decided.flatMap((line, index) => {
    const draws = drawsByLine.get(lines[index]?.id ?? Number.NaN) ?? [];
    return draws.length === 0 ? [] : [{ line, draws }];
  });
}

/** The tax that QuickBooks is expected to compute. */
interface TaxDecision {
  /** Null: not known. */
  readonly forecast: Decimal | null;
  /** The PSA may round the tax of each taxed line. */
  readonly rounding: Decimal;
  readonly shippingAddress: SalesDocument['shippingAddress'];
}

function decideTax(
  { facts, log }: Context,
  { lines, tax }: Content,
  { regime, existing }: Parties,
  body: Body,
): TaxDecision {
  const { company, settings, psaLabel } = facts;
  const rounding = roundingOf(lines.filter((line) => !isZero(line.tax)).length);
  const forecast = body.isWhole ? forecastTax(body.lines, regime, body.taxCodeId, facts.books) : null;
  if (forecast !== null && body.hasTaxableLine)
    log.note('info', `Sales tax as QuickBooks computes it: ${format(forecast)}; ${psaLabel} billed ${format(tax)}`);
  if (company === null) return { forecast, rounding, shippingAddress: null };
  if (body.isWhole)
    log.refuse(
      ...checkTax({ billed: tax, forecast, company, customer: existing, regime, settings, rounding, psaLabel }),
    );
  const shipsFrom = settings.inv_ast_shipping_address;
  const shipping = taxAddress(regime, shipsFrom, body.hasTaxableLine, company, existing, psaLabel);
  log.refuse(...shipping.problems);
  return { forecast, rounding, shippingAddress: shipping.address };
}

/** Date, number, custom fields and email of the document. */
interface Head {
  readonly dated: ReturnType<typeof choosePostingDate>;
  readonly number: string | null;
  readonly customFields: SalesDocument['customFields'];
  readonly email: SalesDocument['email'];
}

function decideHead({ facts, mappings, log }: Context, { isCredit, isAllZero }: Content, { payer }: Parties): Head {
  const { invoice, company, settings, psaLabel } = facts;
  const { preferences } = facts.books;
  const dated = choosePostingDate(invoice.invoicedOn, { settings, preferences, psaLabel }, log);
  const numbered = chooseNumber({
    number: invoice.number,
    settings,
    preferences,
    takenBy: facts.numberTakenBy,
    psaLabel,
  });
  log.refuse(...numbered.problems);
  const fields = chooseCustomFields(invoice, usesPsaNumber(settings.inv_numbering_option), preferences, mappings);
  log.warn(...fields.warnings);
  log.append(fields.notes);
  // No email is sent if nothing is due.
  const email = isCredit || isAllZero || company === null ? null : chooseEmail(facts, company, payer, log);
  return { dated, number: numbered.number, customFields: fields.fields, email };
}

interface Decided {
  readonly content: Content;
  readonly parties: Parties;
  readonly body: Body;
  readonly tax: TaxDecision;
  readonly head: Head;
  readonly company: Company;
}

function documentOf(
  { facts, books, mappings, currency }: Context,
  { content, parties, body, tax, head, company }: Decided,
): SalesDocument {
  const { invoice, settings } = facts;
  const { isCredit } = content;
  const { existing, regime, term } = parties;
  const keepsDueDate = head.dated.note !== null && invoice.dueOn !== null;
  const billing = presentAddress(company.billingAddress);
  const known = existing?.billingAddress ?? null;
  const ofTax = { regime, codeId: body.taxCodeId, tax: isCredit ? negate(content.tax) : content.tax };
  return {
    customer:
      existing === null
        ? { fromCommand: parties.newCustomers.length - 1 }
        : { id: existing.id, name: existing.displayName },
    number: head.number,
    datedOn: head.dated.on,
    // QuickBooks counts a term from the document's date, so a moved date would give the client more time.
    termId: keepsDueDate ? null : term.id,
    dueOn: isCredit || (term.id !== null && !keepsDueDate) ? null : invoice.dueOn,
    // QuickBooks fills in the customer's own address, so only a different address is sent.
    billingAddress:
      existing === null || billing === null || (known !== null && isSameAddress(billing, known)) ? null : billing,
    shippingAddress: tax.shippingAddress,
    customerMessage: settings.inv_include_customer_message ? customerMessage(invoice) : null,
    privateNote: privateNote(facts, head.dated.note),
    email: head.email,
    onlinePayment: isCredit ? null : { card: settings.inv_allow_cc_payment, bank: settings.inv_allow_ach_payment },
    currency: currency.sent,
    classId: body.classId,
    ...(body.locationId === null ? {} : { locationId: body.locationId }),
    customFields: head.customFields,
    ...taxOfDocument(facts, ofTax, books, mappings),
    taxExcluded: regime === 'elsewhere',
    lines: body.lines.map((line) => salesLine(line, isCredit)),
  };
}

function planOf(
  { facts, amountOf, rateOf, log }: Context,
  { content, body, tax, document }: Pick<Decided, 'content' | 'body' | 'tax'> & { readonly document: SalesDocument },
): InvoiceDecision {
  const { invoice, settings } = facts;
  const { isCredit } = content;
  const signed = (amount: Decimal) => (isCredit ? negate(amount) : amount);
  return {
    outcome: 'plan',
    plan: {
      commands: [...body.commands, { do: isCredit ? 'create_credit_memo' : 'create_invoice', document }],
      ...log.forPlan(),
      source: sourceOfInvoice(invoice, describeDocument(facts), amountOf, rateOf),
      expected: {
        subtotal: sum(document.lines.map(({ amount }) => amount)),
        tax: signed(content.tax),
        dueOn: isCredit ? null : invoice.dueOn,
        booksTax: tax.forecast === null ? null : signed(tax.forecast),
        taxHoldOver: settings.tax_hold_over,
        ...(compare(tax.rounding, taxTolerance) > 0 && { taxRounding: tax.rounding }),
      },
    },
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

const sumOf = (lines: readonly InvoiceLine[], of: (line: InvoiceLine) => Decimal): Decimal => sum(lines.map(of));

function headline({ invoice, company, mode, trigger }: InvoiceFacts): string {
  const count = invoice.lines.length;
  const name = company?.name ?? `company ${invoice.companyId}`;
  return `Invoice ${invoice.id} for ${name}, ${format(invoice.total)}, ${count} ${count === 1 ? 'line' : 'lines'}, ${mode}, ${trigger}`;
}

/**
 * Returns the tax of the document. With automated sales tax, the tenant can choose that the billed amount overrides
 * the tax that QuickBooks computes.
 */
function taxOfDocument(
  { invoice, settings }: InvoiceFacts,
  { regime, codeId, tax }: { readonly regime: TaxRegime; readonly codeId: string | null; readonly tax: Decimal },
  books: AccountingIndex,
  mappings: MappingIndex,
): Pick<SalesDocument, 'taxCodeId' | 'taxOverride'> {
  if (regime !== 'us_automated' || settings.inv_tax_authority === 'quickbooks') return { taxCodeId: codeId };
  return { taxCodeId: codeOfRegion(invoice.taxRegionName, books, mappings), taxOverride: tax };
}

function refused({ invoice }: InvoiceFacts, isPsaNumber: boolean, log: DecisionLog): InvoiceDecision {
  const fields = { reference: invoice.number, exportedAt: invoice.exportedAt };
  return refusal(log, errorMark('invoice', fields, isPsaNumber));
}

/** Returns which lines are synced: all, or only those with a mapped line of business (contract, section 2). */
function lineFilter(
  { settings }: InvoiceFacts,
  books: AccountingIndex,
  mappings: MappingIndex,
): (line: InvoiceLine) => boolean {
  if (!settings.lob_only_mapped || !hasClassMappings(mappings)) return () => true;
  return (line) => mappedClass(line, books, mappings) !== null;
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
function asPosted(one: SyncedInvoice, { settings }: InvoiceFacts, books: AccountingIndex): PrepaidInvoice {
  if (one.document === undefined) return one;
  const isPrepaid = (itemId: string | null) =>
    books.itemsById.get(itemId ?? '')?.incomeAccountId === settings.prepaid_account;
  const amounts = (one.document?.lines ?? []).flatMap(({ itemId, amount }) => (isPrepaid(itemId) ? [amount] : []));
  const isLiability = amounts.some(isPositive);
  return {
    ...one,
    lines: one.lines.filter(({ kind, amount }) => isLiability || isNegative(amount) || !prepaidKinds.has(kind)),
    drawn: negate(sum(amounts.filter(isNegative))),
  };
}

/** Warns about covered work that no sale pays for. */
function warnOfOverage(drawdowns: readonly Drawdown[], psa: PsaIndex, psaLabel: string, log: DecisionLog): void {
  for (const [contractId, lines] of Map.groupBy(drawdowns, (one) => one.contractId)) {
    const overage = sum(lines.map((one) => one.overage));
    if (isZero(overage)) continue;
    const name = psa.contracts.get(contractId) ?? `Contract ${contractId}`;
    const unit = psa.prepaidUnits.get(contractId);
    const units = unit === 'money' ? format(overage) : `${format(overage, 0)} ${unit === 'hours' ? 'h' : 'tickets'}`;
    log.warn(problem('PREPAID_USED_UP', { psa: psaLabel, name, overage: units }));
  }
}

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

/** Returns the class that all lines share; null if they have several or none. */
const onlyClass = (perLine: readonly (string | null)[]): string | null => {
  const [first, ...others] = new Set(perLine);
  return others.length === 0 ? (first ?? null) : null;
};

interface TermChoice {
  readonly name: string | null;
  readonly id: string | null;
}

function chooseTerm(
  { invoice }: InvoiceFacts,
  isCredit: boolean,
  psa: PsaIndex,
  books: AccountingIndex,
  log: DecisionLog,
): TermChoice {
  const label = invoice.paymentTermId === null ? undefined : psa.paymentTerms.get(invoice.paymentTermId);
  const name = textOrNull(label);
  // Nothing is due on a credit memo, so it has no due date.
  if (isCredit || name === null) return { name: null, id: null };
  const id = books.termIds.get(normalized(name)) ?? null;
  if (id === null) log.warn(problem('TERM_NOT_FOUND', { name }));
  return { name, id };
}

function decideCustomer(
  company: Company,
  facts: InvoiceFacts,
  termId: string | null,
  currency: CurrencyChoice,
  books: AccountingIndex,
  mappings: MappingIndex,
  log: DecisionLog,
): CustomerChoice {
  const choice = chooseCustomer(company, books, mappings, {
    termId,
    currency: currency.sent,
    mayCreate: facts.settings.customer_create_automatically,
    reportsSimilar: facts.settings.ask_before_creating_similar,
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
  if (facts.books.preferences.multiCurrency && other !== null && other !== currency.ofAmounts)
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

/** Returns the chosen income account if it can still be used for new items, else null. */
function usableIncome({ books }: InvoiceFacts, id: string | null): string | null {
  const account = books.accounts.find((one) => one.id === id);
  return account !== undefined && isAccountFor('income', account) ? account.id : null;
}

/** Returns the chosen account for prepaid money if it can still be used, else null. */
function usablePrepaid({ settings, books }: InvoiceFacts): string | null {
  const account = books.accounts.find(({ id }) => id === settings.prepaid_account);
  return account !== undefined && isAccountFor('prepaid', account) ? account.id : null;
}

/**
 * Returns the chosen accounts of new items by kind. Prepaid money goes to a liability account, because it is not earned
 * yet.
 */
function accountsByKind(facts: InvoiceFacts): Readonly<Partial<Record<BillingKind, string>>> {
  const { settings } = facts;
  const prepaidId = usablePrepaid(facts);
  const chosen: Readonly<Partial<Record<BillingKind, string | null>>> = {
    labor: usableIncome(facts, settings.inv_income_account_labor),
    service: usableIncome(facts, settings.inv_income_account_service),
    subscription: usableIncome(facts, settings.inv_income_account_subscription),
    charge: usableIncome(facts, settings.inv_income_account_charge),
    expense: usableIncome(facts, settings.inv_income_account_expense),
    milestone: usableIncome(facts, settings.inv_income_account_milestone),
    block_purchase: prepaidId,
    retainer_purchase: prepaidId,
    ticket_purchase: prepaidId,
  };
  return Object.fromEntries(Object.entries(chosen).filter(([, id]) => id !== null));
}

function noteGroups(groups: readonly DecidedLine[], before: number, log: DecisionLog): void {
  log.note('info', `Grouped: ${before} billing items -> ${groups.length} ${groups.length === 1 ? 'line' : 'lines'}`);
  for (const [index, { itemName, quantity, amount, taxCode, entries }] of groups.entries())
    log.note(
      'debug',
      `Line ${index + 1}  ${itemName}  ${entries} ${entries === 1 ? 'entry' : 'entries'}  ${quantity} for ${format(amount)} ${taxCode ?? ''}`.trimEnd(),
    );
}

function noteTerms({ invoice }: InvoiceFacts, term: TermChoice, taxCodeId: string | null, log: DecisionLog): void {
  const parts = [
    ...(term.name === null ? [] : [`Terms: ${term.name} -> ${term.id ?? 'none'}`]),
    ...(taxCodeId === null ? [] : [`Tax region: ${invoice.taxRegionName} -> ${taxCodeId}`]),
  ];
  if (parts.length > 0) log.note('info', parts.join('. '));
}

/** Chooses the email address; the one in QuickBooks wins over the PSA's (domain reference 6.9). */
function chooseEmail(
  { settings, psaLabel: psa }: InvoiceFacts,
  company: Company,
  customer: CustomerChoice | null,
  log: DecisionLog,
): SalesDocument['email'] {
  const known = customer?.is === 'existing' ? customer.customer.email : null;
  const address = emailOf(known) ?? emailOf(company.email);
  if (address === null && settings.inv_email_automatically) log.warn(whyNotMailed(company, known, psa));
  return { address, send: settings.inv_email_automatically && address !== null };
}

function whyNotMailed(company: Company, known: string | null, psa: string): Problem {
  const { name, contactName = null } = company;
  const [inPsa, inBooks] = [textOrNull(company.email), textOrNull(known)];
  if (inPsa !== null) return problem('EMAIL_UNUSABLE', { name, address: inPsa, contact: contactName, psa });
  return inBooks === null
    ? problem('NO_EMAIL', { name })
    : problem('EMAIL_UNUSABLE', { name, address: inBooks, contact: null, psa });
}

/** Returns a note that names the source, so a search in QuickBooks finds the document even if its response was lost. */
function privateNote({ invoice, psaLabel, now, generation }: InvoiceFacts, moved: string | null): string {
  const number = withoutSentinel(invoice.number);
  const parts = [
    `${originText(psaLabel, 'invoice', invoice.id)}${number === '' ? '' : `, number ${number}`}`,
    syncedText(now, generation),
    ...(moved === null ? [] : [moved]),
  ];
  return cut(parts.join(' · '), maxTextLength, '…');
}

/** Returns a line with its price, with the opposite sign on a credit memo (domain reference 5.6, 6.11). */
function salesLine(line: DecidedLine, isCredit: boolean): SalesLine {
  const price = priceOf(line.quantity, line.amount, line.rate);
  const turned = (amount: Decimal) => (isCredit ? negate(amount) : amount);
  const item: Reference = line.item;
  const childPrefix = (line.workOf ?? null) === null ? '' : `${line.workOf} – `;
  return {
    amount: turned(line.amount),
    quantity: price.quantity,
    unitPrice: turned(price.unitPrice),
    description: cut(`${price.prefix}${childPrefix}${line.description}`, maxTextLength, '…'),
    item,
    servedOn: line.servedOn,
    classId: line.classId,
    taxCode: line.taxCode,
  };
}
