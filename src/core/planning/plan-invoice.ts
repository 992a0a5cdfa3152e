import type { Invoice, InvoiceLine } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { BooksReferenceData, PsaReferenceData } from '../documents/reference-data.ts';
import type { Mode, Trigger } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { NumberedDocument } from '../ports/accounting.ts';
import { problem, type ProblemDocument } from '../problems.ts';
import { isAccountFor, usesPsaNumber, type Settings } from '../settings/definitions.ts';
import type { ItemSettings } from '../settings/item-settings.ts';
import { errorMark, withoutSentinel } from '../sync-status.ts';
import type { Instant } from '../values/dates.ts';
import {
  absolute,
  compare,
  decimal,
  format,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  round2,
  sum,
  type Decimal,
} from '../values/decimal.ts';
import { cut, normalized, presence } from '../values/text.ts';
import {
  chooseCustomer,
  customerMatch,
  emailOf,
  isSameAddress,
  presentAddress,
  type CustomerChoice,
} from './choose-party.ts';
import { businessNames, businessSources, chooseClasses, hasClassMappings, mappedClass } from './classes.ts';
import { chooseCurrency, type CurrencyChoice } from './currency.ts';
import { chooseCustomFields } from './custom-fields.ts';
import { customerMessage } from './customer-message.ts';
import { refusal, skipped, type DocumentDecision } from './decision.ts';
import { groupLines, type DecidedLine } from './group-lines.ts';
import { decideLines } from './invoice-lines.ts';
import { invoiceMessages } from './messages.ts';
import { chooseNumber } from './numbering.ts';
import type { Command, Reference, SalesDocument, SalesLine } from './plan.ts';
import { choosePostingDate } from './posting-date.ts';
import { priceOf } from './prices.ts';
import {
  indexBooks,
  indexMappings,
  indexPsa,
  type BooksIndex,
  type MappingIndex,
  type PsaIndex,
} from './reference-index.ts';
import { Story } from './story.ts';
import { syncedWords } from './synced-words.ts';
import { documentTaxCode, taxAddress, taxRegimeNames, taxRegimeOf } from './tax.ts';

/** Everything that the decision on one invoice rests on. */
export interface InvoiceFacts {
  readonly invoice: Invoice;
  /** The invoice's company; null when it could not be read. */
  readonly company: Company | null;
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  readonly books: BooksReferenceData;
  /** Another sales document that carries the invoice's number; never our own posting of this invoice. */
  readonly numberTakenBy: NumberedDocument | null;
  /** The PSA's label, e.g. `Autotask`. */
  readonly psaLabel: string;
  readonly now: Instant;
  readonly mode: Mode;
  readonly trigger: Trigger;
  /** Counts the documents that were asked for of the invoice; the first is 1. */
  readonly generation: number;
}

/** What is to be done about an invoice. */
export type InvoiceDecision = DocumentDecision<'zero_balance' | 'voided' | 'not_mapped'>;

/** Above it header and lines disagree; up to it they round differently (domain reference 6.12). */
const controlTolerance = decimal('0.05');
const oneCent = decimal('0.01');
/** Most lines of a taxable invoice in the books. */
const maxTaxableLines = 750;
const maxTextLength = 4_000;

/**
 * Decides the invoice or credit memo for one PSA invoice (domain reference 5.3 to 6.12). Pure: nothing is read, and
 * nothing is sent; test mode shows the very plan that live mode carries out.
 */
export function planInvoice(facts: InvoiceFacts): InvoiceDecision {
  const { invoice, company, settings, psaLabel } = facts;
  const story = new Story(describeDocument(facts));
  story.tell('info', headline(facts));
  if (invoice.isVoided) return skipped('voided', invoiceMessages.voided(psaLabel), false, story);

  const psa = indexPsa(facts.psa);
  const books = indexBooks(facts.books);
  const mappings = indexMappings(facts.mappings);
  const currency = chooseCurrency(facts, psa, story);
  const amountOf = (line: InvoiceLine) => round2(currency.isForeign ? line.amount : line.internalAmount);

  const isAllZero = isZero(invoice.total) && invoice.lines.every((line) => isZero(amountOf(line)));
  if (isAllZero && settings.inv_ignore_zero_balance_invoices)
    return skipped('zero_balance', invoiceMessages.zeroBalance, true, story);
  if (invoice.lines.length === 0) story.refuse(problem('NO_LINES', { psa: psaLabel }));

  const lines = keptLines(facts, amountOf, psa, books, mappings, story);
  if (lines.length === 0 && invoice.lines.length > 0) {
    const left = format(sumOf(invoice.lines, amountOf));
    const message = invoiceMessages.nothingMapped(invoice.lines.length, left, businessNames(invoice.lines, psa));
    return skipped('not_mapped', message, true, story);
  }
  const hasAll = lines.length === invoice.lines.length;
  const tax = hasAll ? invoice.tax : sumOf(lines, (line) => line.tax);
  const isCredit = isNegative(hasAll ? invoice.total : plus(sumOf(lines, amountOf), tax));
  if (isCredit && settings.negative_invoice_policy === 'credit_memo')
    story.tell('info', 'The total is negative: it becomes a credit memo');
  if (isCredit && settings.negative_invoice_policy === 'error')
    story.refuse(problem('NEGATIVE_INVOICE', { total: format(invoice.total) }));

  const regime = taxRegimeOf(facts.books);
  const isPsaNumber = usesPsaNumber(settings.inv_numbering_option);
  story.tell(
    'debug',
    `Numbering: ${isPsaNumber ? psaLabel : 'QuickBooks'}. Group lines: ${settings.inv_group_invoice_lines ? 'on' : 'off'}. Tax: ${taxRegimeNames[regime]}`,
  );

  const term = chooseTerm(facts, isCredit, psa, books, story);
  const customer = company === null ? null : decideCustomer(company, facts, term.id, currency, books, mappings, story);
  if (company === null) story.refuse(problem('COMPANY_NOT_FOUND', { psa: psaLabel, id: invoice.companyId }));

  const classes = chooseClasses(lines, facts.books.preferences, psa, books, mappings);
  story.warn(...classes.warnings);
  story.tellAll(classes.notes);
  const commands: Command[] = customer?.is === 'new' ? [{ do: 'create_customer', customer: customer.customer }] : [];
  const decided = decideLines({
    lines,
    classes: classes.perLine,
    isTaxExempt: company?.isTaxExempt ?? false,
    regime,
    taxRegionName: invoice.taxRegionName,
    amountOf,
    rateOf: (line) => (currency.isForeign ? line.rate : line.internalRate),
    firstCommand: commands.length,
    items: {
      psa,
      books,
      mappings,
      itemSettings: facts.itemSettings,
      createsItems: settings.inv_create_item_automatically,
      incomeAccountId: incomeAccountOf(facts),
    },
    books: facts.books,
  });
  story.tellAll(decided.notes);
  story.refuse(...decided.problems);
  commands.push(...decided.newItems.map((item): Command => ({ do: 'create_item', item })));

  const sent = settings.inv_group_invoice_lines ? groupLines(decided.lines) : decided.lines;
  if (settings.inv_group_invoice_lines) tellGroups(sent, decided.lines.length, story);
  if (decided.hasTaxableLine && sent.length > maxTaxableLines)
    story.refuse(problem('TOO_MANY_LINES', { psa: psaLabel, count: sent.length, most: maxTaxableLines }));

  const existing = customer?.is === 'existing' ? customer.customer : null;
  const documentTax = documentTaxCode(regime, invoice.taxRegionName, decided.hasTaxableLine, books);
  story.warn(...documentTax.warnings);
  const shipping =
    company === null
      ? { address: null, problems: [] }
      : taxAddress(regime, settings.inv_ast_shipping_address, decided.hasTaxableLine, company, existing, psaLabel);
  story.refuse(...shipping.problems);
  tellTerms(facts, term, documentTax.id, story);

  checkControlTotal(facts, story);
  const dated = choosePostingDate(
    invoice.invoicedOn,
    { settings, preferences: facts.books.preferences, psaLabel },
    story,
  );
  const numbered = chooseNumber({
    number: invoice.number,
    settings,
    preferences: facts.books.preferences,
    takenBy: facts.numberTakenBy,
    psaLabel,
  });
  story.refuse(...numbered.problems);
  const fields = chooseCustomFields(invoice, isPsaNumber, facts.books.preferences, mappings);
  story.warn(...fields.warnings);
  story.tellAll(fields.notes);
  const email = isCredit || company === null ? null : chooseEmail(facts, company, customer, story);

  if (story.problems.length > 0 || company === null || customer === null || customer.is === 'refused')
    return refused(facts, isPsaNumber, story);

  const billing = presentAddress(company.billingAddress);
  const known = existing?.billingAddress ?? null;
  const document: SalesDocument = {
    customer: existing === null ? { fromCommand: 0 } : { id: existing.id, name: existing.displayName },
    number: numbered.number,
    datedOn: dated.on,
    termId: term.id,
    dueOn: isCredit || term.id !== null ? null : invoice.dueOn,
    // The books fill in what they know of the customer; only a different place is sent.
    billingAddress:
      existing === null || billing === null || (known !== null && isSameAddress(billing, known)) ? null : billing,
    shippingAddress: shipping.address,
    customerMessage: settings.inv_include_customer_message ? customerMessage(invoice) : null,
    privateNote: privateNote(facts, dated.note),
    email,
    onlinePayment: isCredit ? null : { card: settings.inv_allow_cc_payment, bank: settings.inv_allow_ach_payment },
    currency: currency.sent,
    classId: classes.ofDocument,
    customFields: fields.fields,
    taxCodeId: documentTax.id,
    taxExcluded: regime === 'elsewhere',
    lines: sent.map((line) => salesLine(line, isCredit)),
  };
  commands.push({ do: isCredit ? 'create_credit_memo' : 'create_invoice', document });
  const subtotal = sum(document.lines.map(({ amount }) => amount));
  return {
    outcome: 'plan',
    plan: {
      commands,
      notes: story.notes,
      warnings: story.warnings,
      matches: story.matches,
      expected: { subtotal, tax: isCredit ? negate(tax) : tax, dueOn: isCredit ? null : invoice.dueOn },
    },
  };
}

/** The invoice as both programs show it; a negative one is called what it becomes. */
function describeDocument({ invoice, company, psa, books }: InvoiceFacts): ProblemDocument {
  const index = indexPsa(psa);
  const own = index.currencyCodes.get(company?.currencyId ?? Number.NaN);
  return {
    what: isNegative(invoice.total) ? 'Credit memo' : 'Invoice',
    psaId: invoice.id,
    number: presence(withoutSentinel(invoice.number)),
    party: company?.name ?? null,
    on: invoice.invoicedOn,
    amount: invoice.total,
    currency: (psa.modules.multiCurrency ? own : null) ?? index.internalCurrency ?? books.preferences.homeCurrency,
  };
}

const sumOf = (lines: readonly InvoiceLine[], of: (line: InvoiceLine) => Decimal): Decimal => sum(lines.map(of));

function headline({ invoice, company, mode, trigger }: InvoiceFacts): string {
  const count = invoice.lines.length;
  const name = company?.name ?? `company ${invoice.companyId}`;
  return `Invoice ${invoice.id} for ${name}, ${format(invoice.total)}, ${count} ${count === 1 ? 'line' : 'lines'}, ${mode}, ${trigger}`;
}

function refused({ invoice }: InvoiceFacts, isPsaNumber: boolean, story: Story): InvoiceDecision {
  const fields = { reference: invoice.number, exportedAt: invoice.exportedAt };
  return refusal(story, errorMark('invoice', fields, isPsaNumber));
}

/** Leaves out lines only where the tenant asked for it, and says which (contract, section 2). */
function keptLines(
  { invoice, settings }: InvoiceFacts,
  amountOf: (line: InvoiceLine) => Decimal,
  psa: PsaIndex,
  books: BooksIndex,
  mappings: MappingIndex,
  story: Story,
): readonly InvoiceLine[] {
  if (!settings.lob_only_mapped || !hasClassMappings(mappings)) return invoice.lines;
  const isMapped = (line: InvoiceLine) => mappedClass(line, books, mappings) !== null;
  const left = invoice.lines.filter((line) => !isMapped(line));
  if (left.length > 0)
    story.warn(
      problem('LINES_LEFT_OUT', {
        count: left.length,
        amount: format(sumOf(left, amountOf)),
        list: businessNames(left, psa),
        linesOfBusiness: businessSources(left, psa),
      }),
    );
  return invoice.lines.filter(isMapped);
}

interface TermChoice {
  readonly name: string | null;
  readonly id: string | null;
}

function chooseTerm(
  { invoice }: InvoiceFacts,
  isCredit: boolean,
  psa: PsaIndex,
  books: BooksIndex,
  story: Story,
): TermChoice {
  const label = invoice.paymentTermId === null ? undefined : psa.paymentTerms.get(invoice.paymentTermId);
  const name = presence(label);
  // A credit memo owes nothing, so nothing falls due.
  if (isCredit || name === null) return { name: null, id: null };
  const id = books.termIds.get(normalized(name)) ?? null;
  if (id === null) story.warn(problem('TERM_NOT_FOUND', { name }));
  return { name, id };
}

function decideCustomer(
  company: Company,
  facts: InvoiceFacts,
  termId: string | null,
  currency: CurrencyChoice,
  books: BooksIndex,
  mappings: MappingIndex,
  story: Story,
): CustomerChoice {
  const choice = chooseCustomer(company, books, mappings, { termId, currency: currency.sent });
  if (choice.is === 'refused') {
    story.refuse(choice.problem);
    return choice;
  }
  if (choice.is === 'new') {
    story.tell('info', `Customer: ${company.name} -> new customer ${choice.customer.displayName} (to be created)`);
    return choice;
  }
  const { id, displayName, currency: other } = choice.customer;
  story.tell('info', `Customer: ${company.name} -> ${id} ${displayName} (${choice.by})`);
  story.match(choice.by, customerMatch(company, choice.customer));
  // The books take amounts in the customer's own currency, whatever was meant: a mismatch is never sent.
  if (facts.books.preferences.multiCurrency && other !== null && other !== currency.ofAmounts)
    story.refuse(
      problem('CURRENCY_MISMATCH', {
        company: company.name,
        source: company,
        currency: currency.ofAmounts,
        other,
      }),
    );
  return choice;
}

/** The chosen income account while it may still carry new items. */
function incomeAccountOf({ settings, books }: InvoiceFacts): string | null {
  const account = books.accounts.find(({ id }) => id === settings.inv_default_income_account);
  return account !== undefined && isAccountFor('income', account) ? account.id : null;
}

function tellGroups(groups: readonly DecidedLine[], before: number, story: Story): void {
  story.tell('info', `Grouped: ${before} billing items -> ${groups.length} ${groups.length === 1 ? 'line' : 'lines'}`);
  for (const [index, { itemName, quantity, amount, taxCode, entries }] of groups.entries())
    story.tell(
      'debug',
      `Line ${index + 1}  ${itemName}  ${entries} ${entries === 1 ? 'entry' : 'entries'}  ${quantity} for ${format(amount)} ${taxCode ?? ''}`.trimEnd(),
    );
}

function tellTerms({ invoice }: InvoiceFacts, term: TermChoice, taxCodeId: string | null, story: Story): void {
  const parts = [
    ...(term.name === null ? [] : [`Terms: ${term.name} -> ${term.id ?? 'none'}`]),
    ...(taxCodeId === null ? [] : [`Tax region: ${invoice.taxRegionName} -> ${taxCodeId}`]),
  ];
  if (parts.length > 0) story.tell('info', parts.join('. '));
}

/** Header and lines must tell the same story before anything is sent (domain reference 6.12). */
function checkControlTotal({ invoice, psa, psaLabel }: InvoiceFacts, story: Story): void {
  if (invoice.lines.length === 0) return;
  // The header is in the customer's currency whenever the PSA knows several.
  const lines = sumOf(invoice.lines, (line) => round2(psa.modules.multiCurrency ? line.amount : line.internalAmount));
  const header = minus(invoice.total, invoice.tax);
  const difference = minus(lines, header);
  const equation = `${format(lines)} ${isZero(difference) ? '=' : '<>'} ${format(invoice.total)} - ${format(invoice.tax)}`;
  story.tell('info', `Control total ${equation}`);
  if (compare(absolute(difference), controlTolerance) > 0)
    story.refuse(problem('CONTROL_TOTAL', { psa: psaLabel, lines: format(lines), invoice: format(header) }));
  else if (compare(absolute(difference), oneCent) >= 0)
    story.warn(problem('ROUNDING', { difference: `${isPositive(difference) ? '+' : ''}${format(difference)}` }));
}

/** Domain reference 6.9: the address of the books goes before the PSA's. */
function chooseEmail(
  { settings }: InvoiceFacts,
  company: Company,
  customer: CustomerChoice | null,
  story: Story,
): SalesDocument['email'] {
  const known = customer?.is === 'existing' ? emailOf(customer.customer.email) : null;
  const address = known ?? emailOf(company.email);
  if (settings.inv_email_automatically && address === null) story.warn(problem('NO_EMAIL', { name: company.name }));
  return { address, send: settings.inv_email_automatically && address !== null };
}

/** Names the source in the books, so that a document is found again although its answer was lost. */
function privateNote({ invoice, psaLabel, now, generation }: InvoiceFacts, moved: string | null): string {
  const number = withoutSentinel(invoice.number);
  const parts = [
    `${psaLabel} invoice ${invoice.id}${number === '' ? '' : `, number ${number}`}`,
    syncedWords(now, generation),
    ...(moved === null ? [] : [moved]),
  ];
  return cut(parts.join(' · '), maxTextLength, '…');
}

/** Prices a line, and turns its sign on a credit memo (domain reference 5.6, 6.11). */
function salesLine(line: DecidedLine, isCredit: boolean): SalesLine {
  const price = priceOf(line.quantity, line.amount);
  const turned = (amount: Decimal) => (isCredit ? negate(amount) : amount);
  const item: Reference = line.item;
  return {
    amount: turned(line.amount),
    quantity: price.quantity,
    unitPrice: turned(price.unitPrice),
    description: cut(`${price.prefix}${line.description}`, maxTextLength, '…'),
    item,
    servedOn: line.servedOn,
    classId: line.classId,
    taxCode: line.taxCode,
  };
}
