import { describe, expect, test } from 'vitest';
import {
  ofDocument,
  problem,
  problemOfService,
  problems,
  treatmentOf,
  type Entry,
  withInactiveAccount,
} from './problems.ts';
import { accounting, menus } from '#test/cases/sample-world.ts';
import { needsAction } from './service-error.ts';
import { calendarDate } from './values/dates.ts';

/** Has a value for every parameter of every message. */
const everything = {
  reference: '7d0f8a52',
  address: 'ap@acme.example',
  why: 'the daily number of mails is reached.',
  differences: '1,228.00, Autotask has 2,228.00',
  name: 'Acme',
  psa: 'Autotask',
  menus,
  id: 1,
  count: 2,
  list: '"A"',
  billable: true,
  advance: '400.00',
  expenses: '290.35',
  owed: '109.65',
  what: 'Invoice number',
  of: 'taxed',
  region: 'Travis County',
  number: '7',
  at: 'QuickBooks',
  now: '2.00',
  takenBy: 'the invoice of Birch Legal',
  party: 'Acme Dental',
  isOn: true,
  left: '109.65',
  tax: '41.25',
  paid: '541.25',
  exemptIn: 'QuickBooks',
  account: 'Employee Advances',
  closedThrough: '2025-01-31',
  company: 'Acme',
  currency: 'CAD',
  other: 'USD',
  lines: '1.00',
  invoice: '2.00',
  max: 750,
  total: '-1.00',
  amount: '1.00',
  detail: 'Business validation error.',
  accounting: '1.00',
  ours: '2.00',
  difference: '+1.00',
  value: 'V',
  home: 'USD',
  used: 'Acme (Customer)',
  wrong: 'is a category',
  from: '2025-01-15',
  to: '2025-02-01',
  open: '966.25',
  paidOn: '2025-04-02',
  before: 'Northwind',
  after: 'Hill Country',
  datedOn: '2025-02-14',
  child: 'Acme North',
  on: '2025-03-03',
  until: '2025-04-01',
  parent: 'Acme Dental',
  because: 'form',
  contact: 'Maria Garcia',
  prepaid: 'Customer Prepayments',
  overage: '2 h',
  worth: ', so that 100.00 is worth 100.00 and not 74.02',
  changes: 'customer Acme Dental → Birch Legal',
  payment: 'PSA-1042',
  is: 'lower',
  advice: 'bill',
  rate: '0.74',
  by: 'new',
  method: 'QBO',
  role: 'reversal',
  isVoided: false,
  memo: '1050',
  psaId: 48_213,
  money: ['payment 4711 (940.40)'],
  canApply: true,
  worked: ['2025-03-01'],
  valid: [{ startsOn: '2025-01-01', endsOn: '2025-02-28' }],
};

describe.each(Object.entries(problems) as [string, Entry<never>][])('%s', (code, entry) => {
  test('says what happened and what to do', () => {
    const message = entry.message(everything as never);
    expect(message).toMatch(/^\S.*\S$/);
    expect(message).not.toMatch(/undefined|null|\[object|NaN/);
    expect(code).toMatch(/^[A-Z_]+$/);
    // A warning may need no action; every other problem has a remedy.
    const remedy = typeof entry.remedy === 'function' ? entry.remedy(everything as never) : entry.remedy;
    if (entry.treatment !== 'warning') expect(remedy).toMatch(/\.$/);
    if (entry.screen !== null) expect(entry.screen).toMatch(/^\/[a-z-]+$/);
    expect(`${message} ${remedy}`, 'no ISO date').not.toMatch(/\d{4}-\d\d-\d\d/);
  });
});

describe('problem messages', () => {
  test.each([
    [problem('ITEM_NOT_MAPPED', { count: 1, list: '"A" (labor)' }), '1 line has no QuickBooks item: "A" (labor).'],
    [problem('VOID_HAS_PAYMENTS', { number: '1042', amount: '1,000.00' }), 'Invoice 1042 has 1,000.00 applied.'],
    [
      problem('TOO_MANY_LINES', { psa: 'Autotask', count: 1800, max: 750 }),
      'QuickBooks allows at most 750 lines on a taxable invoice; this one has 1,800.',
    ],
  ])('%#', (found, message) => {
    expect(found.message).toBe(message);
  });

  test('remedies name the PSA by its label', () => {
    expect(problem('NO_LINES', { psa: 'Autotask' }).remedy).toBe('Check it in Autotask.');
  });
});

describe('a failed call', () => {
  const failure = {
    service: 'accounting',
    next: 'refuse',
    code: 'QBO_VALIDATION',
    detail: 'Amount is wrong.',
  } as const;

  test.each([
    [failure, 'QBO_VALIDATION', 'person', 'QuickBooks rejected the document: Amount is wrong.'],
    [
      { ...failure, code: 'PERIOD_CLOSED' },
      'PERIOD_CLOSED',
      'held',
      'QuickBooks rejected the document: Amount is wrong.',
    ],
    [
      { ...failure, code: 'NEW_CODE' },
      'QBO_VALIDATION',
      'person',
      'QuickBooks rejected the document: Amount is wrong.',
    ],
    [{ ...failure, code: 'NEW_CODE', next: 'try_again' }, 'QBO_UNAVAILABLE', 'transient', 'Amount is wrong.'],
    [
      { ...failure, service: 'psa', code: 'PSA_UNAVAILABLE', next: 'try_again' },
      'PSA_UNAVAILABLE',
      'transient',
      'Amount is wrong.',
    ],
    [
      { ...failure, service: 'psa', code: 'x', next: 'reconnect' },
      'PSA_AUTH',
      'stops_run',
      'Autotask needs to be reconnected.',
    ],
    [
      { ...failure, service: 'psa', code: 'toString' },
      'PSA_VALIDATION',
      'person',
      'Autotask rejected the change: Amount is wrong.',
    ],
  ] as const)('%# becomes a known problem', (about, code, treatment, message) => {
    expect(problemOfService(about, 'Autotask')).toMatchObject({ code, treatment, message });
  });
});

test('the most urgent of several problems decides the treatment', () => {
  const held = problem('PERIOD_CLOSED', { psa: 'Autotask', closedThrough: calendarDate('2025-01-31') });
  const person = problem('NO_LINES', { psa: 'Autotask' });
  const stops = problem('NUMBERING_MISMATCH', { isOn: true });
  expect(treatmentOf([held])).toBe('held');
  expect(treatmentOf([held, person])).toBe('person');
  expect(treatmentOf([person, stops, held])).toBe('stops_run');
  expect(treatmentOf([])).toBe('warning');
});

describe('repairs of a problem', () => {
  test('map each source once and offer to turn on item creation', () => {
    const sources = [
      { namespace: 'ItemBilling', id: 61, name: 'Managed Workstation' },
      { namespace: 'ItemBilling', id: 61, name: 'Managed Workstation' },
    ] as const;
    expect(problem('ITEM_NOT_MAPPED', { count: 2, list: 'x', sources }).repairs).toEqual([
      {
        do: 'map',
        namespace: 'ItemBilling',
        sourceEntity: 'BillingCode',
        sourceValue: '61',
        sourceLabel: 'Managed Workstation',
      },
      { do: 'choose_setting', key: 'inv_create_item_automatically', value: true },
    ]);
  });

  test('list all candidates when several match', () => {
    const candidates = [{ value: '58', label: 'Ember Cafe Downtown' }];
    const company = { id: 180, name: 'Ember Cafe' };
    expect(problem('CUSTOMER_AMBIGUOUS', { name: 'Ember Cafe', company, candidates }).repairs).toMatchObject([
      { do: 'map', namespace: 'Customer', sourceValue: '180', candidates },
    ]);
  });

  test('keep the document that was set first', () => {
    const of = (psaId: number) =>
      ({ what: 'Invoice', psaId, number: null, party: null, on: null, amount: null, currency: null }) as const;
    const found = ofDocument([problem('CLASSES_DIFFER')], of(1));
    expect(ofDocument(found, of(2))).toMatchObject([{ document: { psaId: 1 } }]);
  });
});

test.each([
  ['psa', false, 'The document of “A” was unfinished when “B” was connected.'],
  ['psa', true, 'The document of “A” was unfinished when “B” was connected; it may already be in QuickBooks.'],
  ['accounting', false, 'The document was unfinished in “A” when “B” was connected.'],
  ['accounting', true, 'The document was unfinished in “A” when “B” was connected; it may already be in “A”.'],
] as const)('another company in the %s, sent %s: %s', (service, isSent, message) => {
  expect(problem('COMPANY_CHANGED', { before: 'A', after: 'B', service, isSent }).message).toBe(message);
});

test.each([
  ['stop_run', 'QBO_SUBSCRIPTION', true],
  ['stop_run', 'QBO_PERMISSION', true],
  ['stop_run', 'QBO_UNAVAILABLE', false],
  ['try_again', 'QBO_SUBSCRIPTION', false],
] as const)('after %s with code %s, a user must act: %s', (next, code, asks) => {
  expect(needsAction({ next, code })).toBe(asks);
});

test('a chosen account that is inactive is named, with its remedy', () => {
  const [account] = accounting.accounts;
  if (account === undefined) throw new Error('no account');
  const found = problem('PAYABLE_ACCOUNT_REQUIRED');
  const of = (isActive: boolean) => ({ accounts: [{ ...account, isActive }] });
  expect([withInactiveAccount(found, account.id, of(true)), withInactiveAccount(found, null, of(false))]).toEqual([
    found,
    found,
  ]);
  expect(withInactiveAccount(found, account.id, of(false))).toEqual({
    ...found,
    message: `The account “${account.fullyQualifiedName}” is inactive in QuickBooks. No usable payable account is chosen.`,
    remedy: `Choose a payable account in Settings, Purchase Orders. Or make “${account.fullyQualifiedName}” active in QuickBooks again.`,
  });
});
