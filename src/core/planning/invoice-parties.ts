import type { InvoiceLine } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { Customer } from '../documents/reference-data.ts';
import { problem } from '../problems.ts';
import { usesPsaNumber } from '../settings/definitions.ts';
import { normalized, textOrNull } from '../values/text.ts';
import { type ChildWorkFacts, chooseChildWork } from './child-work.ts';
import { type CustomerChoice, chooseCustomer, customerMatch } from './choose-party.ts';
import type { CurrencyChoice } from './currency.ts';
import type { DecisionLog } from './decision-log.ts';
import { prepaidKinds } from './drawdown.ts';
import type { InvoiceContent } from './invoice-content.ts';
import type { InvoiceContext, InvoiceFacts } from './invoice-facts.ts';
import type { NewCustomer } from './plan.ts';
import type { AccountingIndex, MappingIndex, PsaIndex } from './reference-index.ts';
import { type TaxRegime, taxRegimeNames, taxRegimeOf } from './tax.ts';

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

export interface TermChoice {
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
