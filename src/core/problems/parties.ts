import { nameToCreate, type Owner } from '../mapping/mapping.ts';
import type { RepairCandidate } from './problem.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';
import {
  createAs,
  held,
  mapping,
  openIn,
  person,
  reconnect,
  screens,
  setting,
  syncAgain,
  warning,
  type Entry,
  type Source,
} from './entry.ts';

interface Party {
  readonly name: string;
  /** The PSA company, or the employee, that the party stands for. */
  readonly company?: Source;
  /** Namespace of the mapping of a vendor; a company's when absent. */
  readonly namespace?: 'Vendor' | 'Employee';
}

/** Ways to decide which customer or vendor is meant. */
export interface PartyChoices {
  readonly candidates?: readonly RepairCandidate[];
  /** The company or employee that the candidate belongs to already; absent when none does. */
  readonly owner?: Owner;
  /** Name of a new record that tells it from the others. */
  readonly createAs?: string;
  /** Id of the customer or vendor that cannot be used any more. */
  readonly replaces?: string;
}

const mappedAs = (
  as: 'Customer' | 'Vendor' | 'Employee',
  company: Source | undefined,
  { candidates, createAs: name, replaces }: PartyChoices = {},
) =>
  company === undefined
    ? []
    : [
        // A record that does not exist yet cannot be linked.
        mapping(
          as,
          company,
          candidates?.filter((candidate) => !isPlanned(candidate)),
          replaces,
        ),
        ...(name === undefined ? [] : [createAs(as, company, name)]),
      ];

const isPlanned = ({ value }: RepairCandidate): boolean => nameToCreate(value) !== null;

const quoted = (names: readonly RepairCandidate[]): string => names.map(({ label }) => `“${label}”`).join(', ');

/** What the PSA calls the owner of a vendor. */
const ownerNoun = ({ namespace }: { readonly namespace?: Owner['namespace'] | undefined }): string =>
  namespace === 'Employee' ? 'employee' : 'company';

/** `"Summit Group" (company 9001)`: the id tells owners of one name apart. */
const ownerText = ({ namespace, id, name }: Owner): string => {
  const noun = `${ownerNoun({ namespace })} ${id}`;
  return name === id ? noun : `“${name}” (${noun})`;
};

/** Says which customers or vendors could be meant, and why none is taken. */
function ambiguity(
  what: 'customer' | 'vendor',
  { name, company, namespace, candidates = [], owner }: Party & PartyChoices,
): string {
  if (owner === undefined)
    return `Several QuickBooks ${what}s have the name “${name}”${candidates.length === 0 ? '' : `: ${quoted(candidates)}`}.`;
  const id = company === undefined ? '' : ` (${ownerNoun({ namespace })} ${company.id})`;
  const [taken] = candidates;
  if (owner.sharesName === true) {
    const result =
      taken === undefined
        ? `no ${what} was created by name`
        : `the QuickBooks ${what} “${taken.label}” was not used by name`;
    return `“${company?.name ?? name}”${id} has the same name as ${ownerText(owner)}, so ${result}.`;
  }
  return taken === undefined
    ? `The name of “${company?.name ?? name}”${id} is already used by ${ownerText(owner)}.`
    : `The QuickBooks ${what} “${taken.label}” belongs to ${ownerText(owner)}, so it was not used for “${company?.name ?? name}”${id}.`;
}

/** Remedy of an ambiguity: the choices that a person has. */
function choiceRemedy(
  what: 'customer' | 'vendor',
  { candidates = [], owner, createAs: created, ...of }: Pick<Party, 'namespace'> & PartyChoices,
): string {
  const screen = what === 'customer' ? 'Customer Mappings' : 'Vendor Mappings';
  const create = created === undefined ? '' : `, or create “${created}”`;
  if (owner === undefined)
    return what === 'customer'
      ? `Choose the right one under ${screen}${create}; the choice is saved. They have the same company name in QuickBooks.`
      : `Map the ${ownerNoun(of)} to the right vendor under ${screen}${create}.`;
  const link =
    candidates.length === 0
      ? `Choose a ${what}`
      : `${owner.sharesName === true ? 'Link it' : 'Link it anyway'}, choose another ${what}`;
  return `${link} under ${screen}${create}. The choice is saved.`;
}

const similarity = (what: 'customer' | 'vendor', { name, candidates = [] }: Party & PartyChoices): string =>
  candidates.length > 0 && candidates.every(isPlanned)
    ? `Another document of this sync needs the new ${what} ${quoted(candidates)}, which is similar to “${name}”. Nothing was created for “${name}”.`
    : `QuickBooks has no ${what} “${name}”, but a similar one: ${quoted(candidates)}. Nothing was created.`;

const similarRemedy = (screen: string): string =>
  `If both are the same, link them. If not, create a new one, here or under ${screen}. A setting turns this check off.`;

/** For vendors; {@link partyProblems} has the same code for customers. */
export const vendorAmbiguity: Pick<Entry<Party & PartyChoices>, 'message' | 'remedy' | 'repairs'> = {
  message: (of) => ambiguity('vendor', of),
  remedy: (of) => choiceRemedy('vendor', of),
  repairs: (of) => mappedAs(of.namespace ?? 'Vendor', of.company, of),
};

/** Problems of parties: customers, vendors, employees, and their currencies. */
export const partyProblems = {
  CUSTOMER_AMBIGUOUS: person<Party & PartyChoices>({
    message: (of) => ambiguity('customer', of),
    remedy: (of) => choiceRemedy('customer', of),
    screen: screens.customers,
    repairs: (of) => mappedAs('Customer', of.company, of),
  }),
  CUSTOMER_SIMILAR: person<Party & PartyChoices>({
    message: (of) => similarity('customer', of),
    remedy: similarRemedy('Customer Mappings'),
    screen: screens.customers,
    repairs: (of) => mappedAs('Customer', of.company, of),
  }),
  VENDOR_SIMILAR: person<Party & PartyChoices>({
    message: (of) => similarity('vendor', of),
    remedy: similarRemedy('Vendor Mappings'),
    screen: screens.vendors,
    repairs: (of) => mappedAs(of.namespace ?? 'Vendor', of.company, of),
  }),
  CUSTOMER_INACTIVE: person<Party & PartyChoices>({
    message: ({ name }) => `The QuickBooks customer “${name}” is inactive or deleted.`,
    remedy:
      'Make it active in QuickBooks (Sales > Customers > gear above the list > Include inactive > Make active), or map the company to another customer under Customer Mappings.',
    screen: screens.customers,
    repairs: (of) => [...mappedAs('Customer', of.company, of), openIn('accounting', of.name)],
  }),
  CUSTOMER_NOT_MAPPED: person<Party & PartyChoices>({
    message: ({ name }) => `QuickBooks has no customer for ${name}, and automatic creation is off.`,
    remedy:
      'Map the company under Customer Mappings, create the customer in QuickBooks (Sales > Customers > New customer), or turn on automatic creation in Settings.',
    screen: screens.customers,
    repairs: (of) => [...mappedAs('Customer', of.company, of), setting('customer_create_automatically', true)],
  }),
  CUSTOMER_EXEMPT: person<Party & PartyChoices>({
    message: ({ name }) =>
      `The new customer “${name}” is exempt from sales tax, and QuickBooks needs the reason for the exemption.`,
    remedy:
      'Nothing was posted. Create the customer in QuickBooks under this name (Sales > Customers > New customer > Additional info > This customer is tax exempt) and choose the reason, then sync again.',
    screen: screens.customers,
    repairs: (of) => [openIn('accounting', of.name), ...mappedAs('Customer', of.company, of), syncAgain],
  }),
  CHILD_NOT_BELOW_PARENT: warning<{ readonly child: string; readonly parent: string; readonly company: Source }>({
    message: ({ child, parent }) =>
      `“${child}” is not a sub-customer of ${parent} in QuickBooks. The document is posted to ${parent}, and its lines name “${child}”.`,
    remedy:
      'Make it one in QuickBooks: Sales > Customers > the customer > Edit > Is a sub-customer > Bill parent customer. Or map the company to the right sub-customer under Customer Mappings. Do not move the document by hand: the next one uses the sub-customer automatically.',
    screen: screens.customers,
    repairs: ({ child, company }) => [mapping('Customer', company), openIn('accounting', child)],
  }),
  VENDOR_NOT_MAPPED: person<Party & PartyChoices>({
    message: ({ name }) => `QuickBooks has no vendor for ${name}, and automatic creation is off.`,
    remedy: (of) =>
      `Map the ${ownerNoun(of)} under Vendor Mappings, create the vendor in QuickBooks (Expenses > Vendors > New vendor), or turn on automatic creation in Settings.`,
    screen: screens.vendors,
    repairs: (of) => [
      ...mappedAs(of.namespace ?? 'Vendor', of.company, of),
      setting('vendor_create_automatically', true),
    ],
  }),
  VENDOR_INACTIVE: person<Party & PartyChoices>({
    message: ({ name }) => `The QuickBooks vendor “${name}” is inactive or deleted.`,
    remedy: (of) =>
      `Make it active in QuickBooks (Expenses > Vendors > gear above the list > Include inactive > Make active), or map the ${ownerNoun(of)} to another vendor under Vendor Mappings.`,
    screen: screens.vendors,
    repairs: (of) => [...mappedAs(of.namespace ?? 'Vendor', of.company, of), openIn('accounting', of.name)],
  }),
  COMPANY_NOT_FOUND: person<{ readonly psa: string; readonly id: number }>({
    message: ({ psa, id }) => `The ${psa} company ${id} could not be read.`,
    remedy: 'Check that the company exists in {psa} and that the API user can read it.',
    repairs: ({ id }) => [openIn('psa', `company ${id}`)],
  }),
  RESOURCE_NOT_FOUND: person<{ readonly psa: string; readonly id: number }>({
    message: ({ psa, id }) => `The name of ${psa} resource ${id}, who submitted the report, could not be read.`,
    remedy: 'Check that the resource has a name in {psa} and that the API user can read it.',
    repairs: ({ id }) => [openIn('psa', `resource ${id}`)],
  }),
  CURRENCY_MISMATCH: person<{
    readonly company: string;
    readonly currency: string;
    readonly other: string;
    readonly source?: Source;
  }>({
    message: ({ company, currency, other }) =>
      `${company} uses ${currency}, but the QuickBooks customer uses ${other}.`,
    remedy: 'Map the company to a customer with its currency under Customer Mappings.',
    screen: screens.customers,
    repairs: ({ source }) => mappedAs('Customer', source),
  }),
  EXCHANGE_RATE_MISSING: person<{
    readonly currency: string;
    readonly on: CalendarDate;
    /** The day is older than the rates that QuickBooks has. Undefined means no. */
    readonly isOld?: boolean;
  }>({
    message: ({ currency, on, isOld = false }) =>
      `QuickBooks has no exchange rate for ${currency} on ${dayText(on)}${isOld ? ', because it has rates of the last three years only' : ''}.`,
    remedy: ({ currency, isOld = false }) =>
      isOld
        ? 'Enter the document in QuickBooks by hand, with the rate of that day.'
        : `Check that ${currency} is active in QuickBooks and has a rate for that day (Settings > Currencies), then sync the document again.`,
    repairs: () => [openIn('accounting', 'currencies')],
  }),
  EXCHANGE_RATE_UNREAD: held<{
    readonly currency: string;
    readonly on: CalendarDate;
    readonly until: CalendarDate;
  }>({
    message: ({ currency, on, until }) =>
      `The exchange rate of ${currency} on ${dayText(on)} cannot be read until ${dayText(until)}, because Intuit’s monthly limit of reads from QuickBooks is used up. Nothing was posted.`,
    remedy: 'No action needed: it is posted when QuickBooks can be read again.',
  }),
  EXCHANGE_RATE_DOUBTFUL: held<{
    readonly psa: string;
    readonly currency: string;
    readonly home: string;
    readonly on: CalendarDate;
    readonly rate: string;
    readonly amount: string;
    /** The amount in the home currency at the rate. */
    readonly accounting: string;
    /** The amount in the home currency in the PSA, or at the rate of the invoice; null: unknown. */
    readonly ours: string | null;
    readonly by: 'psa' | 'invoice';
    /** Number of the invoice that the document reverses, whose rate it has. Undefined if there is none. */
    readonly takesBack?: string;
  }>({
    message: ({ psa, currency, home, on, rate, amount, accounting, ours, by, takesBack }) => {
      const whose =
        takesBack === undefined
          ? `QuickBooks’ exchange rate of ${dayText(on)}`
          : `The exchange rate of invoice ${takesBack}`;
      const other =
        ours === null
          ? ' QuickBooks uses 1 if it has no rate.'
          : by === 'psa'
            ? ` ${psa} has ${ours} ${home}.`
            : ` At the rate of its invoice, it is ${ours} ${home}.`;
      return `${whose} is 1 ${currency} = ${rate} ${home}, so ${amount} ${currency} would be ${accounting} ${home}.${other} Nothing was posted.`;
    },
    remedy: ({ psa, currency, by, takesBack }) =>
      takesBack === undefined
        ? `Correct the rate of that day in QuickBooks (Settings > Currencies > ${currency}), or ${by === 'psa' ? `the exchange rate in ${psa}` : 'the exchange rate of the invoice'}. If both are right, raise the limit “Hold when the home amount differs by more than” in Settings. The document is then posted automatically.`
        : `Correct the exchange rate of invoice ${takesBack} in QuickBooks. The credit memo is then posted automatically.`,
    screen: screens.settings,
    repairs: ({ takesBack }) => [
      openIn('accounting', takesBack === undefined ? 'currencies' : `invoice ${takesBack}`),
      ...(takesBack === undefined ? [setting('exchange_rate_hold_over')] : []),
    ],
  }),
  HOME_CURRENCY_MISMATCH: person<{ readonly psa: string; readonly currency: string; readonly other: string }>({
    message: ({ psa, currency, other }) => `${psa} uses ${currency}, but the home currency of QuickBooks is ${other}.`,
    remedy: 'Connect a QuickBooks company with the same home currency.',
    screen: screens.connections,
    repairs: () => [reconnect('accounting')],
  }),
  CURRENCY_IGNORED: warning<{ readonly company: string; readonly currency: string; readonly home: string }>({
    message: ({ company, currency, home }) => `${company} uses ${currency}; the amounts are in ${home}.`,
  }),
  CURRENCY_NOT_KEPT: held<{
    readonly psa: string;
    readonly company: string;
    readonly currency: string;
    readonly home: string;
  }>({
    message: ({ company, currency, home }) =>
      `${company} is billed in ${currency}, but QuickBooks uses only ${home}. Nothing was posted.`,
    remedy:
      'Turn on Multicurrency in QuickBooks: Settings (gear) > Account and settings > Advanced > Currency. It cannot be turned off again. Or choose in Settings to post such documents in the home currency. The document is then posted automatically.',
    screen: screens.settings,
    repairs: () => [setting('foreign_currency_policy', 'home_amounts')],
  }),
  NO_EMAIL: warning<{ readonly name: string }>({
    message: ({ name }) => `${name} has no email address; the invoice is not emailed.`,
    remedy: 'Enter the customer’s email address in QuickBooks.',
    repairs: ({ name }) => [openIn('accounting', name)],
  }),
  EMAIL_UNUSABLE: warning<{
    readonly name: string;
    readonly address: string;
    /** The contact in the PSA who has the address; null: it is the customer's in QuickBooks, or the contact has no name. */
    readonly contact: string | null;
    readonly psa: string;
  }>({
    message: ({ name, address, contact }) =>
      `QuickBooks does not accept “${address}”, the email address of ${contact === null ? name : `${contact} (${name})`}. The invoice is posted but not emailed.`,
    remedy: 'Correct the contact’s email address in {psa}, or enter one for the customer in QuickBooks.',
    repairs: ({ name }) => [openIn('psa', name), openIn('accounting', name)],
  }),
  NAME_SUFFIXED: warning<{ readonly name: string; readonly used: string }>({
    message: ({ name, used }) => `The name “${name}” is taken in QuickBooks; “${used}” was used.`,
  }),
} as const;
