import type { BillingKind, InvoiceLine } from '../documents/invoice.ts';
import { originText } from '../documents/origin.ts';
import type { Company } from '../documents/party.ts';
import { type Problem, problem, withInactiveAccount } from '../problems.ts';
import { isAccountFor } from '../settings/definition.ts';
import { usesPsaNumber } from '../settings/definitions.ts';
import { errorMark, withoutSentinel } from '../sync-status.ts';
import { type Decimal, compare, format, isZero, negate, sum } from '../values/decimal.ts';
import { truncate, textOrNull } from '../values/text.ts';
import { type CustomerChoice, emailOf, isSameAddress, presentAddress } from './choose-party.ts';
import {
  chooseClasses,
  chooseCustomFields,
  chooseLocation,
  chooseNumber,
  choosePostingDate,
  customerMessage,
  departmentOf,
  postingDate,
  reportInactiveClasses,
} from './document-fields.ts';
import { checkControlTotal, roundingLine } from './verify.ts';
import {
  checkTax,
  codeOfRegion,
  documentTaxCode,
  forecastTax,
  roundingWithin,
  taxAddress,
  type TaxRegime,
  taxRounding,
  taxTolerance,
} from './tax.ts';
import { worthOf } from './currency.ts';
import { DecisionLog, refusal, skipped } from './decision.ts';
import { type DecidedLine, groupLines, priceOf } from './document-lines.ts';
import {
  chooseContent,
  chooseParties,
  contextOf,
  describeDocument,
  type InvoiceContent,
  type InvoiceContext,
  type InvoiceDecision,
  type InvoiceFacts,
  type InvoiceParties,
  type TermChoice,
} from './invoice-content.ts';
import { type DecidedLines, type LineFacts, decideLines } from './invoice-lines.ts';
import { invoiceMessages, syncedText } from './messages.ts';
import { type Command, type Reference, type SalesDocument, type SalesLine, sourceOfInvoice } from './plan.ts';
import { prepaidLines } from './prepaid.ts';
import type { AccountingIndex, MappingIndex } from './reference-index.ts';

/** Maximum number of lines on a taxable invoice in QuickBooks. */
const maxTaxableLines = 750;
const maxTextLength = 4_000;

/**
 * Decides the invoice or credit memo for one PSA invoice (domain reference 5.3 to 6.12). The function is pure: it reads
 * and sends nothing. Test mode shows the same plan that live mode posts.
 */
export function planInvoice(facts: InvoiceFacts): InvoiceDecision {
  const { invoice, company, psaLabel } = facts;
  const log = new DecisionLog(describeDocument(facts));
  log.note('info', headline(facts));
  if (invoice.isVoided) return skipped('voided', invoiceMessages.voided(psaLabel), false, log);

  const { taxedBy, taxState } = invoice;
  if (taxedBy !== undefined) {
    log.refuse(
      problem('TAX_OF_PSA_NOT_FINAL', {
        psa: psaLabel,
        method: taxedBy,
        ...(taxState !== undefined && { state: taxState }),
      }),
    );
    return refused(facts, usesPsaNumber(facts.settings.inv_numbering_option), log);
  }
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

/** Returns the day that the invoice is posted on, whose tax rates apply. */
const dateOf = ({ invoice, accounting }: InvoiceFacts) => postingDate(invoice.invoicedOn, accounting.preferences);

/** The lines of the document, and what is created before it. */
interface Body {
  readonly commands: readonly Command[];
  readonly lines: readonly DecidedLine[];
  /** The same lines before grouping. */
  readonly ungrouped: readonly DecidedLine[];
  readonly classId: string | null;
  readonly locationId: string | null;
  readonly taxCodeId: string | null;
  readonly hasTaxableLine: boolean;
  /** Every line is decided, so the document's tax can be computed. */
  readonly isWhole: boolean;
}

function decideBody(
  context: InvoiceContext,
  content: InvoiceContent,
  { term, regime, newCustomers, workOf }: InvoiceParties,
): Body {
  const { facts, psa, accounting, mappings, currency, log } = context;
  const { settings } = facts;
  const { lines } = content;
  const classes = chooseClasses(lines, facts.accounting.preferences, psa, accounting, mappings);
  if (classes.inactive.length > 0) reportInactiveClasses(lines, { settings, psa, accounting, mappings }, log);
  log.warn(...classes.warnings);
  log.append(classes.notes);
  const locationId = chooseLocation(
    lines.map((line) => ({
      lineOfBusinessId: line.lineOfBusinessId,
      department: departmentOf(line.billingCodeId, psa),
    })),
    { settings, preferences: facts.accounting.preferences, psa, accounting, mappings },
    log,
  );
  const customers = newCustomers.map((customer): Command => ({ do: 'create_customer', customer: customer }));
  const taxes = {
    regime,
    regionName: facts.invoice.taxRegionName,
    on: dateOf(facts),
    accounting: facts.accounting,
    mappings,
  };
  const decided = decideDocumentLines(context, lines, {
    classes: classes.perLine,
    taxes,
    workOf,
    firstCommand: customers.length,
  });
  const documentTax = documentTaxCode(
    regime,
    facts.invoice.taxRegionName,
    decided.hasTaxableLine,
    accounting,
    mappings,
  );
  log.refuse(...documentTax.problems);
  noteTerms(facts, term, documentTax.id, log);
  const newItems = [...decided.newItems];
  const lineFacts = { settings, accounting: facts.accounting, taxes, newItems, firstCommand: customers.length };
  const prepaid = prepaidLines(drawnLines(content, decided.lines), lineFacts, log);
  const missing = checkControlTotal(facts, log);
  // The control total cannot be compared if it is in another currency than the lines that are sent.
  const isMeasured = content.hasAll && !currency.isConverted;
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
    ungrouped: all,
    classId: classes.ofDocument,
    locationId,
    taxCodeId: documentTax.id,
    hasTaxableLine: decided.hasTaxableLine,
    isWhole: content.hasAll && decided.problems.length === 0 && documentTax.problems.length === 0,
  };
}

/** Decides the item, account, class and tax of each line. */
function decideDocumentLines(
  { facts, psa, accounting, mappings, amountOf, rateOf, log }: InvoiceContext,
  lines: readonly InvoiceLine[],
  of: Pick<LineFacts, 'classes' | 'taxes' | 'workOf' | 'firstCommand'>,
): DecidedLines {
  const { settings } = facts;
  const decided = decideLines({
    ...of,
    lines,
    isTaxExempt: facts.company?.isTaxExempt ?? false,
    amountOf,
    rateOf,
    items: {
      psa,
      accounting,
      mappings,
      itemSettings: facts.itemSettings,
      createsItems: settings.inv_create_item_automatically,
      incomeAccountId: usableIncome(facts, settings.inv_default_income_account),
      accountsByKind: accountsByKind(facts),
    },
    prepaidAccountId: usablePrepaid(facts),
    accounting: facts.accounting,
  });
  log.append(decided.notes);
  log.warn(...decided.warnings);
  for (const match of decided.itemMatches) log.matchItem(match);
  log.refuse(
    ...decided.problems.map((problem) =>
      problem.code === 'INCOME_ACCOUNT_REQUIRED'
        ? withInactiveAccount(problem, settings.inv_default_income_account, facts.accounting)
        : problem,
    ),
  );
  return decided;
}

/** Returns the decided lines that draw prepaid money, with their draws. */
function drawnLines({ lines, drawdowns }: InvoiceContent, decided: readonly DecidedLine[]) {
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
  { facts, log }: InvoiceContext,
  { lines, tax }: InvoiceContent,
  { regime, existing }: InvoiceParties,
  body: Body,
): TaxDecision {
  const { company, settings, psaLabel, psaMenus } = facts;
  const basis = { regime, documentCode: body.taxCodeId, on: dateOf(facts), accounting: facts.accounting };
  const rounding = taxRounding({ ...basis, lines: body.ungrouped }, lines.filter((line) => !isZero(line.tax)).length);
  const forecast = body.isWhole ? forecastTax({ ...basis, lines: body.lines }) : null;
  if (forecast !== null && body.hasTaxableLine)
    log.note('info', `Sales tax as QuickBooks computes it: ${format(forecast)}; ${psaLabel} billed ${format(tax)}`);
  if (company === null) return { forecast, rounding, shippingAddress: null };
  if (body.isWhole)
    log.refuse(
      ...checkTax({
        billed: tax,
        forecast,
        company,
        customer: existing,
        regime,
        settings,
        rounding,
        psaLabel,
        psaMenus,
      }),
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

function decideHead(
  { facts, mappings, log }: InvoiceContext,
  { isCredit, isAllZero }: InvoiceContent,
  { payer }: InvoiceParties,
): Head {
  const { invoice, company, settings, psaLabel } = facts;
  const { preferences } = facts.accounting;
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
  readonly content: InvoiceContent;
  readonly parties: InvoiceParties;
  readonly body: Body;
  readonly tax: TaxDecision;
  readonly head: Head;
  readonly company: Company;
}

function documentOf(
  { facts, accounting, mappings, currency }: InvoiceContext,
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
    ...taxOfDocument(facts, ofTax, accounting, mappings),
    taxExcluded: regime === 'elsewhere',
    lines: body.lines.map((line) => salesLine(line, isCredit)),
  };
}

function planOf(
  { facts, currency, amountOf, rateOf, log }: InvoiceContext,
  { content, body, tax, document }: Pick<Decided, 'content' | 'body' | 'tax'> & { readonly document: SalesDocument },
): InvoiceDecision {
  const { invoice, settings } = facts;
  const { isCredit } = content;
  const signed = (amount: Decimal) => (isCredit ? negate(amount) : amount);
  const rounding = roundingWithin(tax.rounding, settings);
  return {
    outcome: 'plan',
    plan: {
      commands: [...body.commands, { do: isCredit ? 'create_credit_memo' : 'create_invoice', document }],
      ...log.forPlan(),
      ...(content.reserved !== undefined && { prepaidReserved: content.reserved }),
      source: sourceOfInvoice(invoice, describeDocument(facts), amountOf, rateOf),
      expected: {
        subtotal: sum(document.lines.map(({ amount }) => amount)),
        tax: signed(content.tax),
        dueOn: isCredit ? null : invoice.dueOn,
        accountingTax: tax.forecast === null ? null : signed(tax.forecast),
        taxHoldOver: settings.tax_hold_over,
        ...worthOf(currency, content.lines.flatMap(inBothCurrencies)),
        ...(compare(rounding, taxTolerance) > 0 && { taxRounding: rounding }),
      },
    },
  };
}

/** Returns the amount and the tax of a line in the customer's and in the PSA's own currency. */
const inBothCurrencies = ({ amount, internalAmount, tax, internalTax }: InvoiceLine) => [
  { own: amount, home: internalAmount },
  { own: tax, home: internalTax },
];

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
  accounting: AccountingIndex,
  mappings: MappingIndex,
): Pick<SalesDocument, 'taxCodeId' | 'taxOverride'> {
  if (regime !== 'us_automated' || settings.inv_tax_authority === 'quickbooks') return { taxCodeId: codeId };
  return { taxCodeId: codeOfRegion(invoice.taxRegionName, accounting, mappings), taxOverride: tax };
}

export function refused({ invoice }: InvoiceFacts, isPsaNumber: boolean, log: DecisionLog): InvoiceDecision {
  const fields = { reference: invoice.number, exportedAt: invoice.exportedAt };
  return refusal(log, errorMark('invoice', fields, isPsaNumber));
}

/** Returns the class that all lines share; null if they have several or none. */
const onlyClass = (perLine: readonly (string | null)[]): string | null => {
  const [first, ...others] = new Set(perLine);
  return others.length === 0 ? (first ?? null) : null;
};

/** Returns the chosen income account if it can still be used for new items, else null. */
function usableIncome({ accounting }: InvoiceFacts, id: string | null): string | null {
  const account = accounting.accounts.find((one) => one.id === id);
  return account !== undefined && isAccountFor('income', account) ? account.id : null;
}

/** Returns the chosen account for prepaid money if it can still be used, else null. */
function usablePrepaid({ settings, accounting }: InvoiceFacts): string | null {
  const account = accounting.accounts.find(({ id }) => id === settings.prepaid_account);
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
  const [inPsa, inAccounting] = [textOrNull(company.email), textOrNull(known)];
  if (inPsa !== null) return problem('EMAIL_UNUSABLE', { name, address: inPsa, contact: contactName, psa });
  return inAccounting === null
    ? problem('NO_EMAIL', { name })
    : problem('EMAIL_UNUSABLE', { name, address: inAccounting, contact: null, psa });
}

/** Returns a note that names the source, so a search in QuickBooks finds the document even if its response was lost. */
function privateNote({ invoice, psaLabel, now, generation }: InvoiceFacts, moved: string | null): string {
  const number = withoutSentinel(invoice.number);
  const parts = [
    `${originText(psaLabel, 'invoice', invoice.id)}${number === '' ? '' : `, number ${number}`}`,
    syncedText(now, generation),
    ...(moved === null ? [] : [moved]),
  ];
  return truncate(parts.join(' · '), maxTextLength, '…');
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
    description: truncate(`${price.prefix}${childPrefix}${line.description}`, maxTextLength, '…'),
    item,
    servedOn: line.servedOn,
    classId: line.classId,
    taxCode: line.taxCode,
  };
}
