import type { InvoiceLine } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import { problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import { counted } from '../values/text.ts';
import { chooseCustomer, customerMatch, emailOf, presentAddress, type CustomerChoice } from './choose-party.ts';
import type { DecisionLog } from './decision-log.ts';
import type { NewCustomer, Reference } from './plan.ts';
import type { BooksIndex, MappingIndex } from './reference-index.ts';

/** Facts that decide on the work of other companies on an invoice. */
export interface ChildWorkFacts {
  /** The company that is billed, and its customer in the books. */
  readonly payer: Company;
  readonly customer: CustomerChoice;
  readonly lines: readonly InvoiceLine[];
  /** The companies that the lines name, as far as they could be read. */
  readonly companies: readonly Company[];
  readonly settings: Pick<Settings, 'inv_child_work' | 'customer_create_automatically' | 'ask_before_creating_similar'>;
  /** ISO 4217, of a new customer; null: none is said. */
  readonly currency: string | null;
  readonly books: BooksIndex;
  readonly mappings: MappingIndex;
}

/** Customer of the document, and the texts by which its lines say whose work they are. */
export interface ChildWork {
  /** The sub-customer that gets the document instead of the payer; null: the payer does. */
  readonly child: CustomerChoice | null;
  /** The name that stands before the text of a line; null: the work is that of whoever gets the document. */
  readonly workOf: (line: InvoiceLine) => string | null;
}

/** Company 0 is the tenant itself, and is no child (autotask reference section 7). */
const childOf = (line: InvoiceLine, payer: Company): number | null =>
  line.companyId === undefined || line.companyId === null || line.companyId === 0 || line.companyId === payer.id
    ? null
    : line.companyId;

/**
 * Decides how work shows that was done for one company and is billed to another, its parent (domain reference 6.15). The
 * parent is the customer, and the lines name the child; or the document goes to the child as a sub-customer of the parent,
 * where all of its lines are that child's and the setting says so: a document of the books has one customer.
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

/** The child as a customer below the payer's; null when there is one of its name that is not. */
function subCustomer(company: Company, facts: ChildWorkFacts, log: DecisionLog): CustomerChoice | null {
  const { payer, customer, settings, currency, books, mappings } = facts;
  // Without a customer of the payer nothing is made of its child.
  if (customer.is === 'refused') return null;
  const choice = chooseCustomer(company, books, mappings, {
    termId: null,
    currency,
    mayCreate: settings.customer_create_automatically,
    asksSimilar: settings.ask_before_creating_similar,
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
  if (customer.is === 'new' || !isBelow(id, customer.customer.id, books)) {
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

/** Whether two customers are the same, or the one is a sub-customer of the other. */
export const isOrBelow = (id: string, ancestorId: string, books: Pick<BooksIndex, 'customersById'>): boolean =>
  id === ancestorId || isBelow(id, ancestorId, books);

/** Whether a customer is a sub-customer of another one, however deep. */
function isBelow(id: string, ancestorId: string, { customersById }: Pick<BooksIndex, 'customersById'>): boolean {
  const seen = new Set<string>();
  for (let at = customersById.get(id)?.parentId ?? null; at !== null && !seen.has(at);) {
    if (at === ancestorId) return true;
    seen.add(at);
    at = customersById.get(at)?.parentId ?? null;
  }
  return false;
}
