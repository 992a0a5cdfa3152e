import type { InvoiceLine } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import { problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import { counted } from '../values/text.ts';
import { chooseCustomer, customerMatch, emailOf, presentAddress, type CustomerChoice } from './choose-party.ts';
import type { DecisionLog } from './decision.ts';
import type { NewCustomer, Reference } from './plan.ts';
import type { AccountingIndex, MappingIndex } from './reference-index.ts';

/** Facts for work that an invoice bills for other companies. */
export interface ChildWorkFacts {
  /** The company that is billed. Its customer in QuickBooks is a separate fact. */
  readonly payer: Company;
  readonly customer: CustomerChoice;
  readonly lines: readonly InvoiceLine[];
  /** The companies that the lines name, except those that could not be read. */
  readonly companies: readonly Company[];
  readonly settings: Pick<Settings, 'inv_child_work' | 'customer_create_automatically' | 'ask_before_creating_similar'>;
  /** ISO 4217 code for a new customer; null: no currency is sent. */
  readonly currency: string | null;
  /** QuickBooks computes sales tax, so a new exempt customer needs a reason. */
  readonly needsExemptReason: boolean;
  readonly accounting: AccountingIndex;
  readonly mappings: MappingIndex;
}

/** The customer of the document, and the company names to print on its lines. */
export interface ChildWork {
  /** The sub-customer that gets the document; null: the payer gets it. */
  readonly child: CustomerChoice | null;
  /** Returns the company name to print before the text of a line; null: the work is for the document's customer. */
  readonly workOf: (line: InvoiceLine) => string | null;
}

/** Company 0 is the tenant itself, not a child (autotask reference section 7). */
const childOf = (line: InvoiceLine, payer: Company): number | null =>
  line.companyId === undefined || line.companyId === null || line.companyId === 0 || line.companyId === payer.id
    ? null
    : line.companyId;

/**
 * Decides how to show work for one company that is billed to its parent (domain reference 6.15).
 *
 * The parent is the customer, and the lines name the child. If all lines belong to one child and the setting allows it,
 * the document goes to that child, as a sub-customer of the parent. A QuickBooks document has only one customer.
 */
export function chooseChildWork(facts: ChildWorkFacts, log: DecisionLog): ChildWork {
  const { payer, lines, companies, settings } = facts;
  const names = new Map(companies.map((one) => [one.id, one]));
  const ids = new Set(lines.map((line) => childOf(line, payer)));
  const nameOf = (id: number) => names.get(id)?.name ?? `Company ${id}`;
  for (const id of ids)
    if (id !== null) {
      const count = lines.filter((line) => childOf(line, payer) === id).length;
      log.note('info', `Work for ${nameOf(id)}, billed to ${payer.name}: ${counted(count, 'line')}`);
    }
  const named: ChildWork = {
    child: null,
    workOf: (line) => {
      const id = childOf(line, payer);
      return id === null ? null : nameOf(id);
    },
  };
  const [only, ...others] = ids;
  const company = only === undefined || only === null ? undefined : names.get(only);
  if (settings.inv_child_work !== 'sub_customer' || company === undefined || others.length > 0) return named;
  const child = subCustomer(company, facts, log);
  return child === null ? named : { child, workOf: () => null };
}

/** Returns the child as a sub-customer of the payer; null if its customer is not below the payer's customer. */
function subCustomer(company: Company, facts: ChildWorkFacts, log: DecisionLog): CustomerChoice | null {
  const { payer, customer, settings, currency, needsExemptReason, accounting, mappings } = facts;
  // A sub-customer needs the payer's customer as its parent.
  if (customer.is === 'refused') return null;
  const choice = chooseCustomer({ ...company, isTaxExempt: payer.isTaxExempt }, accounting, mappings, {
    termId: null,
    currency,
    mayCreate: settings.customer_create_automatically,
    reportsSimilar: settings.ask_before_creating_similar,
    needsExemptReason,
  });
  if (choice.is === 'refused') {
    log.refuse(choice.problem);
    return choice;
  }
  if (choice.is === 'new') {
    const parent: Reference =
      customer.is === 'new' ? { fromCommand: 0 } : { id: customer.customer.id, name: customer.customer.displayName };
    log.note('info', `Customer: ${company.name} -> new sub-customer ${choice.customer.displayName} (to be created)`);
    return { is: 'new', customer: below(choice.customer, parent, payer) };
  }
  const { id, displayName } = choice.customer;
  if (customer.is === 'new' || !isBelow(id, customer.customer.id, accounting)) {
    log.warn(problem('CHILD_NOT_BELOW_PARENT', { child: displayName, parent: payer.name, company }));
    return null;
  }
  log.note('info', `Customer: ${company.name} -> ${id} ${displayName} (${choice.by}), below ${payer.name}`);
  log.match(choice.by, customerMatch(company, choice.customer));
  return choice;
}

/** A sub-customer is billed through its parent, so it is taxed, mailed and addressed like the parent. */
const below = (child: NewCustomer, parent: Reference, payer: Company): NewCustomer => ({
  ...child,
  parent,
  billingAddress: presentAddress(payer.billingAddress) ?? presentAddress(payer.address),
  email: emailOf(payer.email),
  isTaxable: !payer.isTaxExempt,
});

/** Returns whether two customers are the same, or the first is a sub-customer of the second. */
export const isOrBelow = (
  id: string,
  ancestorId: string,
  accounting: Pick<AccountingIndex, 'customersById'>,
): boolean => id === ancestorId || isBelow(id, ancestorId, accounting);

/** Returns whether a customer is a sub-customer of another one, at any depth. */
function isBelow(id: string, ancestorId: string, { customersById }: Pick<AccountingIndex, 'customersById'>): boolean {
  const seen = new Set<string>();
  for (let at = customersById.get(id)?.parentId ?? null; at !== null && !seen.has(at);) {
    if (at === ancestorId) return true;
    seen.add(at);
    at = customersById.get(at)?.parentId ?? null;
  }
  return false;
}
