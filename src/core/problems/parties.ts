import type { RepairCandidate } from './problem.ts';
import { held, mapping, openIn, person, reconnect, screens, setting, warning, type Source } from './entry.ts';

interface Party {
  readonly name: string;
  /** The PSA company that the party stands for; absent for an employee. */
  readonly company?: Source;
}

const mappedAs = (as: 'Customer' | 'Vendor', company: Source | undefined, candidates?: readonly RepairCandidate[]) =>
  company === undefined ? [] : [mapping(as, company, candidates)];

/** Problems of parties: customers, vendors, employees, and their currencies. */
export const partyProblems = {
  CUSTOMER_AMBIGUOUS: person<Party & { readonly candidates?: readonly RepairCandidate[] }>({
    message: ({ name, candidates = [] }) =>
      candidates.length === 0
        ? `Several QuickBooks customers are called "${name}".`
        : `Several QuickBooks customers are called "${name}": ${candidates.map(({ label }) => `"${label}"`).join(', ')}.`,
    remedy:
      'Choose the right one under Customer Mappings; it is remembered. They have the same company name in QuickBooks.',
    screen: screens.customers,
    repairs: ({ company, candidates }) => mappedAs('Customer', company, candidates),
  }),
  CUSTOMER_INACTIVE: person<Party>({
    message: ({ name }) => `The QuickBooks customer "${name}" is inactive or deleted.`,
    remedy:
      'Make it active in QuickBooks (Sales > Customers > gear above the list > Include inactive > Make active), or map the company to another customer under Customer Mappings.',
    screen: screens.customers,
    repairs: ({ name, company }) => [...mappedAs('Customer', company), openIn('accounting', name)],
  }),
  CUSTOMER_NOT_MAPPED: person<Party>({
    message: ({ name }) => `QuickBooks has no customer for ${name}, and none is made by itself.`,
    remedy:
      'Map the company to a customer under Customer Mappings, create one of the same name in QuickBooks (Sales > Customers > New customer), or turn on in Settings that missing customers are created.',
    screen: screens.customers,
    repairs: ({ company }) => [...mappedAs('Customer', company), setting('customer_create_automatically', true)],
  }),
  CHILD_NOT_BELOW_PARENT: warning<{ readonly child: string; readonly parent: string; readonly company: Source }>({
    message: ({ child, parent }) =>
      `"${child}" is no sub-customer of ${parent} in QuickBooks; the document is ${parent}'s, and its lines name "${child}".`,
    remedy:
      'In QuickBooks make it one: Sales > Customers > the customer > Edit > Is a sub-customer > Bill parent customer. Or map the company to the right sub-customer under Customer Mappings. Do not move the document by hand: the next one goes there by itself.',
    screen: screens.customers,
    repairs: ({ child, company }) => [mapping('Customer', company), openIn('accounting', child)],
  }),
  VENDOR_NOT_MAPPED: person<Party>({
    message: ({ name }) => `QuickBooks has no vendor for ${name}, and none is made by itself.`,
    remedy:
      'Map the company to a vendor under Vendor Mappings, create one of the same name in QuickBooks (Expenses > Vendors > New vendor), or turn on in Settings that missing vendors are created.',
    screen: screens.vendors,
    repairs: ({ company }) => [...mappedAs('Vendor', company), setting('vendor_create_automatically', true)],
  }),
  VENDOR_INACTIVE: person<Party>({
    message: ({ name }) => `The QuickBooks vendor "${name}" is inactive or deleted.`,
    remedy:
      'Make it active in QuickBooks (Expenses > Vendors > gear above the list > Include inactive > Make active), or map the company to another vendor under Vendor Mappings.',
    screen: screens.vendors,
    repairs: ({ name, company }) => [...mappedAs('Vendor', company), openIn('accounting', name)],
  }),
  COMPANY_NOT_FOUND: person<{ readonly psa: string; readonly id: number }>({
    message: ({ psa, id }) => `The ${psa} company ${id} could not be read.`,
    remedy: 'Check that the company exists in {psa} and that the API user may read it.',
    repairs: ({ id }) => [openIn('psa', `company ${id}`)],
  }),
  RESOURCE_NOT_FOUND: person<{ readonly psa: string; readonly id: number }>({
    message: ({ psa, id }) => `The name of the ${psa} resource ${id}, who submitted the report, could not be read.`,
    remedy: 'Check that the person has a name in {psa} and that the API user may read it.',
    repairs: ({ id }) => [openIn('psa', `resource ${id}`)],
  }),
  CURRENCY_MISMATCH: person<{
    readonly company: string;
    readonly currency: string;
    readonly other: string;
    readonly source?: Source;
  }>({
    message: ({ company, currency, other }) => `${company} uses ${currency}, the QuickBooks customer uses ${other}.`,
    remedy: 'Map the company to a customer of its currency under Customer Mappings.',
    screen: screens.customers,
    repairs: ({ source }) => mappedAs('Customer', source),
  }),
  HOME_CURRENCY_MISMATCH: person<{ readonly psa: string; readonly currency: string; readonly other: string }>({
    message: ({ psa, currency, other }) => `${psa} uses ${currency}, QuickBooks uses ${other} as its home currency.`,
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
      `${company} is billed in ${currency}, and QuickBooks keeps ${home} only. Nothing was posted.`,
    remedy:
      'Turn on Multicurrency in QuickBooks: Settings (gear) > Account and settings > Advanced > Currency; it cannot be turned off again. Or choose in Settings to post such documents in the home currency. It is posted by itself after that.',
    screen: screens.settings,
    repairs: () => [setting('foreign_currency_policy', 'home_amounts')],
  }),
  NO_EMAIL: warning<{ readonly name: string }>({
    message: ({ name }) => `${name} has no email address; the invoice is not mailed.`,
    remedy: 'Give the customer an email address in QuickBooks.',
    repairs: ({ name }) => [openIn('accounting', name)],
  }),
  NAME_SUFFIXED: warning<{ readonly name: string; readonly used: string }>({
    message: ({ name, used }) => `The name "${name}" is taken in QuickBooks; "${used}" was used.`,
  }),
} as const;
