import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { calendarDate } from '#core/values/dates.ts';
import { exceptionsOf, obstaclesOf } from '#core/reconciliation/close.ts';
import { month, nextMonth, type Month } from '#core/reconciliation/month.ts';
import { sum, zero, type Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { createRandom } from '@tallybridge/sandbox';
import { Business, idOfMade, sourceOf, type Billing, type BilledLine } from '../support/business.ts';
import { ledgerOfAccounting, ledgerOfPsa } from '../support/ledger.ts';
import { mapExpenses, mapping } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { newWorld, type World } from '../support/world.ts';

/**
 * A year of a fictional MSP, from July 2027 to June 2028, with its staff's actions in Autotask, QuickBooks and the
 * bank, and failures. Only the schedule syncs. Each month a ledger calculated from Autotask and one from QuickBooks,
 * both without the product's code, must agree to the cent.
 */
let world: World;
let business: Business;
const random = createRandom(20_270_701);
const actor = { username: 'admin@northwind-msp.example' };
const isByPsaNumber = (): boolean => numbering.isByPsa;
const numbering = { isByPsa: false, next: 0 };
/** Invoices that wait for a user and must not be in QuickBooks. */
const waiting = new Set<number>();
/** Invoices dated on the first open day because of a closed period. */
const movedOn: number[] = [];

const names = [
  'Alder Advisors',
  'Basalt Builders',
  'Copper Cafe',
  'Dogwood Design',
  'Elm Electric',
  'Flint Foundry',
  'Gable Games',
  'Heron Health',
  'Indigo Inns',
  'Juniper Joinery',
  "Kestrel's Kitchens",
  'Larch Labs',
  'Mesa Motors',
  'Nettle News',
  'Onyx & Oak',
  'Poplar Press',
  'Quarry Quilts',
] as const;
const firstCustomer = 501;
const customerIds = [175, 176, 177, 179, ...names.map((_, index) => firstCustomer + index)];

beforeAll(async () => {
  world = await newWorld({
    today: '2027-07-01',
    hasNoDocuments: true,
    settings: {
      sync_start_date: calendarDate('2027-07-01'),
      inv_sync_active: true,
      void_sync_active: true,
      void_across_months: 'void',
      pay_sync_active: true,
      po_sync_active: true,
      exp_sync_active: true,
      inv_max_age_days: 45,
      po_payable_account: '20',
      exp_cash_advance_expense_account: '25',
    },
  });
  business = new Business(world);
  for (const [id, inAccounting, name] of [
    [175, '58', 'Acme Dental'],
    [176, '59', 'Birch Legal LLP'],
    [177, '60', 'Maple Clinic'],
    [179, '61', 'Delta School'],
  ] as const) {
    business.customers.set(id, name);
    business.namesInAccounting.set(inAccounting, name);
  }
  for (const [index, name] of names.entries()) await business.addCustomer(firstCustomer + index, name);
  await mapExpenses(world.store);
  await world.store.saveMappings([mapping('LineOfBusiness', '1', '200'), mapping('LineOfBusiness', '2', '201')]);
  for (const entity of ['Invoice', 'CreditMemo', 'Payment', 'PurchaseOrder', 'Bill', 'Customer'])
    business.before.set(entity, new Set((await world.quickbooks.list(entity)).map((row) => row['Id'])));
});
afterAll(() => world.close());

/** Creates an invoice with Autotask's number. */
const bill = (companyId: number, lines: readonly BilledLine[], how: Billing = {}): Promise<number> =>
  business.bill(companyId, lines, {
    ...(isByPsaNumber() ? { number: `N-${(numbering.next += 1)}` } : {}),
    ...how,
  });

/** Expects equal ledgers and each document once. */
async function expectAgreement(): Promise<void> {
  expect(await ledgerOfAccounting(business)).toEqual(await ledgerOfPsa(business, waiting));
}

/** Unpaid invoices of the previous month, by company. */
let owed: (readonly [companyId: number, invoiceId: number])[] = [];

/** Runs a month; `inMiddle` adds its special events. */
async function live(month: string, inMiddle: () => Promise<void>): Promise<void> {
  const billed: [number, number][] = [];
  await business.goTo(`${month}-01`);
  for (const id of business.customers.keys()) {
    // Every second month.
    if ((id + Number(month.slice(5))) % 2 === 0) continue;
    const seats = 3 + (id % 17);
    const lines: BilledLine[] = [{ article: 'workstation', quantity: seats, rate: 45 + (id % 3) * 2.5 }];
    if (id % 4 === 0) lines.push({ article: 'firewall', quantity: 1, rate: 79.99 });
    if (id % 5 === 0) lines.push({ article: 'support', quantity: 1.25, rate: 150, charged: 0 });
    billed.push([id, await bill(id, lines)]);
  }
  await business.syncOn(`${month}-01`, '15:20:00');

  await business.goTo(`${month}-10`);
  for (const id of customerIds.filter(() => random.chance(0.3))) {
    const lines: BilledLine[] = [
      { article: 'support', quantity: random.whole(1, 40) / 6, rate: 142.5 },
      { article: random.pick(['onsite', 'support']), quantity: random.whole(1, 12) / 4, rate: 175 },
    ].map((line) => ({ ...line, quantity: Number(line.quantity.toFixed(2)) }) as BilledLine);
    // Maple Clinic is outside the county, so its purchases are untaxed.
    if (id !== 177 && id !== 179 && random.chance(0.5))
      lines.push({ article: 'hardware', quantity: random.whole(1, 4), rate: random.pick([249.99, 1_099, 18.37]) });
    if (random.chance(0.3)) lines.push({ article: 'software', quantity: 5, rate: 12.49 });
    if (random.chance(0.2)) lines.push({ article: 'support', name: 'Goodwill', quantity: 1, rate: -20 });
    billed.push([id, await bill(id, lines)]);
  }
  await business.order(random.pick([301, 302, 303]), [
    { product: random.pick([801, 802, 803]), quantity: random.whole(1, 9), cost: random.pick([189.5, 412, 33.333_33]) },
    { product: 804, quantity: 100, cost: 0.215 },
  ]);
  await business.syncOn(`${month}-10`, '15:20:00');
  await inMiddle();

  await business.goTo(`${month}-15`);
  const halves: [number, number, number][] = [];
  const documents = await business.documents();
  for (const [companyId, invoiceId] of owed) {
    const total = business.totalOf(invoiceId);
    const how = random.next();
    if (how < 0.6) await business.enterPayment(companyId, `${month}-15`, [[invoiceId, total]], { documents });
    else if (how < 0.8) {
      const half = Math.floor(total / 2);
      await business.enterPayment(companyId, `${month}-14`, [[invoiceId, half]], { documents });
      halves.push([companyId, invoiceId, total - half]);
    } else await business.notePaid(companyId, invoiceId, `${month}-15`);
  }
  await business.syncOn(`${month}-15`, '15:20:00');
  await business.syncOn(`${month}-16`, '16:00:00');

  await business.goTo(`${month}-20`);
  await business.report(
    random.pick([21, 22, 23]),
    [
      { category: 41, amount: random.whole(1_000, 40_000) / 100, company: random.pick(customerIds.slice(4)) },
      { category: 42, amount: random.whole(500, 9_000) / 100 },
      { category: 43, amount: 61.2 },
      { category: 42, amount: 35, isByCard: true },
    ],
    random.chance(0.5) ? 50 : 0,
  );
  for (const [companyId, invoiceId, cents] of halves)
    await business.enterPayment(companyId, `${month}-20`, [[invoiceId, cents]], { documents });
  await business.syncOn(`${month}-20`, '15:20:00');
  await business.syncOn(`${month}-28`, '23:00:00');
  owed = billed;
  await expectAgreement();
}

/** Returns messages of a document's log entries, newest first. */
const saidOf = async (psaId: number): Promise<readonly string[]> => {
  const filter = { page: 1, pageSize: 50, sort: 'LastModified', descending: true, text: String(psaId) } as const;
  const { logs } = await world.store.listLogs(filter);
  const entries = await Promise.all(
    logs.filter((log) => log.psaId === psaId).map(({ key }) => world.store.readLog(key)),
  );
  return entries.flatMap((entry) => (entry === null ? [] : [entry.message]));
};
const dateOf = async (invoiceId: number) => (await business.documentOf(invoiceId))['TxnDate'];
const paidDateOf = async (invoiceId: number) => (await world.psaInvoice(invoiceId))['paidDate'] ?? null;
const setPreferences = (change: JsonObject) => world.quickbooks.put('Preferences', '1', change);
const everyCall = { path: '/v3/company/' };

const specials: Readonly<Record<string, (month: string) => Promise<void>>> = {
  '2027-07': async () => undefined,

  /** Two new customers, one with a name that QuickBooks does not accept unchanged. */
  async '2027-08'(month) {
    await business.addCustomer(521, 'Fern: Söhne & Partner', { isNew: true });
    await business.addCustomer(522, 'Ginkgo Gardens', { isNew: true });
    // Another tool left its status behind, and a user clears it.
    const left = await bill(521, [{ article: 'firewall', quantity: 1, rate: 79.99 }]);
    await world.autotask.put('Invoices', left, { invoiceNumber: 'IN PROCESS' });
    await bill(522, [{ article: 'milestone', quantity: 1, rate: 2_500 }]);
    await business.syncOn(`${month}-12`);
    await clearSyncStatus(world.tenant, 'invoice', [left], actor);
    await business.syncOn(`${month}-13`);
  },

  /** Customers are renamed, one in each service, and stay matched. */
  async '2027-09'() {
    await world.autotask.put('Companies', 505, { companyName: 'Elm Electric & Sons' });
    const row = (await world.quickbooks.list('Customer')).find((one) => one['DisplayName'] === 'Flint Foundry');
    await world.quickbooks.put('Customer', String(row?.['Id']), {
      DisplayName: 'Flint Foundry (2027)',
      FullyQualifiedName: 'Flint Foundry (2027)',
      CompanyName: 'Flint Foundry International',
    });
    const later = [bill(505, [{ article: 'onsite', quantity: 2, rate: 175 }])];
    later.push(bill(506, [{ article: 'onsite', quantity: 3, rate: 175 }]));
    await Promise.all(later);
  },

  /**
   * The third quarter is closed, and an invoice in it waits until a user moves its date. QuickBooks is down for a day.
   */
  async '2027-10'(month) {
    await business.goTo(`${month}-11`);
    await business.closeAccounting('2027-09-30');
    const late = await bill(501, [{ article: 'support', quantity: 2, rate: 150 }], { on: '2027-09-29' });
    waiting.add(late);
    await business.syncOn(`${month}-11`, '15:20:00');
    await business.syncOn(`${month}-12`);
    expect(await saidOf(late)).toEqual(['The books are closed through Sep 30, 2027.']);
    await expectAgreement();
    await world.autotask.put('Invoices', late, { invoiceDateTime: '2027-10-01T00:00:00Z' });
    waiting.delete(late);

    await world.quickbooks.fault({ match: everyCall, times: 100_000, action: { status: 503, body: '' } });
    const during = await bill(502, [{ article: 'support', quantity: 1.17, rate: 142.5 }]);
    await business.syncOn(`${month}-12`, '18:00:00');
    await business.syncOn(`${month}-13`, '03:00:00');
    expect(await saidOf(during)).toEqual([]);
    await world.quickbooks.clearFaults();
    await business.syncOn(`${month}-13`, '15:00:00');
    expect(await dateOf(late)).toBe('2027-10-01');
  },

  /** Daylight saving time ends, and midnight invoices keep their date. A check bounces and is replaced. */
  async '2027-11'(month) {
    const before = await bill(503, [{ article: 'support', quantity: 1, rate: 150 }]);
    // Half past midnight in Chicago is 05:30 in summer and 06:30 in winter.
    await world.autotask.put('Invoices', before, { invoiceDateTime: '2027-11-07T05:30:00Z' });
    const after = await bill(503, [{ article: 'support', quantity: 1, rate: 150 }]);
    await world.autotask.put('Invoices', after, { invoiceDateTime: '2027-11-08T05:30:00Z' });
    await business.syncOn(`${month}-11`);
    expect([await dateOf(before), await dateOf(after)]).toEqual(['2027-11-07', '2027-11-07']);

    const cheque = await business.enterPayment(503, `${month}-11`, [[before, 15_000]]);
    await business.syncOn(`${month}-11`, '18:00:00');
    expect(await paidDateOf(before)).toMatch(/^2027-11-11/);
    await business.bounce(503, cheque, 15_000);
    await business.syncOn(`${month}-12`);
    expect(await paidDateOf(before)).toBeNull();
    await business.enterPayment(503, `${month}-13`, [
      [before, 15_000],
      [after, 10_000],
    ]);
    await business.syncOn(`${month}-13`);
  },

  /** Voids before, during and after a sync; a credit applied to an invoice. */
  async '2027-12'(month) {
    const wrong = await bill(504, [{ article: 'hardware', quantity: 3, rate: 249.99 }]);
    const never = await bill(504, [{ article: 'hardware', quantity: 1, rate: 249.99 }]);
    await business.cancel(never);
    const partPaid = await bill(507, [{ article: 'support', quantity: 4, rate: 150 }]);
    const credit = await bill(508, [
      { article: 'workstation', quantity: 5, rate: -60 },
      { article: 'support', quantity: 1, rate: 120 },
    ]);
    const invoice = await bill(508, [{ article: 'milestone', quantity: 1, rate: 400 }]);
    await business.syncOn(`${month}-11`);
    await business.cancel(wrong);
    const right = await bill(504, [{ article: 'hardware', quantity: 2, rate: 249.99 }]);
    const part = await business.enterPayment(507, `${month}-11`, [[partPaid, 20_000]]);
    await business.enterPayment(508, `${month}-12`, [[invoice, 40_000]], { credits: [[credit, 18_000]] });
    await business.cancel(partPaid);
    await business.syncOn(`${month}-12`);
    expect(await dateOf(right)).toBe('2027-12-11');
    expect(await paidDateOf(invoice)).toMatch(/^2027-12-12/);
    expect((await saidOf(partPaid))[0]).toContain('has 200.00 applied.');
    await business.bounce(507, part, 20_000);
    await business.syncOn(`${month}-13`);
  },

  /** From January on Autotask numbers the invoices, and one number is already used in QuickBooks. */
  async '2028-01'(month) {
    await business.closeAccounting('2027-12-31');
    await setPreferences({ SalesFormsPrefs: { CustomTxnNumbers: true } });
    await world.saveSettings({ inv_numbering_option: 'autotask' });
    numbering.isByPsa = true;
    const number = `N-${numbering.next + 1}`;
    const byHand = await world.quickbooks.add('Invoice', {
      CustomerRef: { value: '59' },
      DocNumber: number,
      Line: [{ Amount: 70, DetailType: 'SalesItemLineDetail', SalesItemLineDetail: { ItemRef: { value: '21' } } }],
    });
    const id = idOfMade(byHand);
    business.before.set('Invoice', new Set([...(business.before.get('Invoice') ?? []), id]));
    const clash = await bill(509, [{ article: 'support', quantity: 1, rate: 150 }]);
    await business.syncOn(`${month}-11`);
    expect(await world.psaInvoice(clash)).toMatchObject({ invoiceNumber: `${number} ERROR` });
    expect((await saidOf(clash))[0]).toMatch(/is already used in QuickBooks by the invoice of Birch Legal LLP/);
    await world.autotask.put('Invoices', clash, { invoiceNumber: `${number}B ERROR` });
    await clearSyncStatus(world.tenant, 'invoice', [clash], actor);
    await business.syncOn(`${month}-12`);
    expect(await business.documentOf(clash)).toMatchObject({ DocNumber: `${number}B` });
  },

  /** Autotask is down for a day in the middle of responses. */
  async '2028-02'(month) {
    const during = await bill(510, [{ article: 'onsite', quantity: 1, rate: 175 }]);
    await world.autotask.fault({ match: { method: 'PATCH' }, times: 100_000, action: { status: 503, body: '' } });
    await business.syncOn(`${month}-11`);
    await business.syncOn(`${month}-11`, '20:00:00');
    await world.autotask.clearFaults();
    await business.syncOn(`${month}-12`);
    expect(await world.psaInvoice(during)).toMatchObject({ webServiceDate: expect.any(String) });
  },

  /** Daylight saving time begins. The QuickBooks connection is lost and reconnected. */
  async '2028-03'(month) {
    const leap = await bill(511, [{ article: 'support', quantity: 1, rate: 150 }], { on: '2028-02-29' });
    const early = await bill(511, [{ article: 'support', quantity: 1, rate: 150 }]);
    // 11:30 pm before the change, and 12:30 am after it.
    await world.autotask.put('Invoices', early, { invoiceDateTime: '2028-03-12T05:30:00Z' });
    await business.syncOn(`${month}-12`);
    expect([await dateOf(leap), await dateOf(early)]).toEqual(['2028-02-29', '2028-03-11']);

    await fetch(`${world.quickbooks.url}/__sandbox/revoke`, { method: 'POST', body: '{}' });
    const during = await bill(512, [{ article: 'support', quantity: 1, rate: 150 }]);
    await business.syncOn(`${month}-12`, '18:00:00');
    await business.syncOn(`${month}-13`);
    const accounting = (await world.store.listConnections()).find(({ service }) => service === 'accounting');
    expect(accounting).toMatchObject({ status: 'inactive' });
    expect(await saidOf(during)).toEqual([]);
    await world.reconnectAccounting();
    await business.syncOn(`${month}-14`);
    expect(await dateOf(during)).toBe('2028-03-12');
  },

  /** Lines are grouped, and documents in a closed period move to the first open day. */
  async '2028-04'(month) {
    await business.closeAccounting('2028-03-31');
    await world.saveSettings({ inv_group_invoice_lines: true, closed_period_policy: 'next_open_day' });
    const late = await bill(
      513,
      [1.5, 0.75, 2].map((quantity) => ({ article: 'support', quantity, rate: 150, group: 'Remote support, March' })),
      { on: '2028-03-30' },
    );
    movedOn.push(late);
    await business.syncOn(`${month}-12`);
    expect(await business.documentOf(late)).toMatchObject({
      TxnDate: '2028-04-01',
      PrivateNote: expect.stringContaining('Original date 2028-03-30'),
      TotalAmt: 637.5,
    });
  },

  /** A user requests a second document and deletes the first. A customer overpays one invoice and underpays another. */
  async '2028-05'(month) {
    await setPreferences({ SalesFormsPrefs: { CustomTxnNumbers: false } });
    await world.saveSettings({ inv_numbering_option: 'qbo', closed_period_policy: 'hold' });
    numbering.isByPsa = false;
    const twice = await bill(514, [{ article: 'milestone', quantity: 1, rate: 900 }]);
    const other = await bill(514, [{ article: 'milestone', quantity: 1, rate: 100 }]);
    await business.syncOn(`${month}-11`);
    const first = await business.documentOf(twice);
    await world.sync('invoice', { mode: 'live', force: true, psaIds: [twice] });
    await world.quickbooks.remove('Invoice', String(first['Id']));
    await business.syncOn(`${month}-12`);
    expect(await world.psaInvoice(twice)).toMatchObject({
      invoiceNumber: (await business.documentOf(twice))['DocNumber'],
    });
    // Fifty more than the first invoice, which remain the customer's credit.
    const parts = [
      [twice, 90_000],
      [other, 5_000],
    ] as const;
    await business.enterPayment(514, `${month}-12`, parts, { extra: 5_000 });
    await business.syncOn(`${month}-13`);
    expect(await paidDateOf(other)).toBeNull();
  },

  /** The last month: an invoice in the last second of its window is found. */
  async '2028-06'(month) {
    await world.saveSettings({ inv_max_age_days: 14 });
    await business.goTo(`${month}-12`);
    const [edge, tooOld] = [
      await bill(515, [{ article: 'support', quantity: 1, rate: 150 }], { createdAt: '2028-05-29T05:00:00Z' }),
      await bill(515, [{ article: 'support', quantity: 1, rate: 150 }], { createdAt: '2028-05-29T04:59:59Z' }),
    ];
    waiting.add(tooOld);
    await business.syncOn(`${month}-12`, '15:20:00');
    expect(await dateOf(edge)).toBe('2028-06-12');
    expect(await saidOf(tooOld)).toEqual([]);
  },
};

test('after a year both services agree to the cent, with each document once', async () => {
  for (const [month, special] of Object.entries(specials)) await live(month, () => special(month));
  expect(Object.keys(specials)).toHaveLength(12);
  expect(Object.keys((await ledgerOfPsa(business, waiting)).documents).length).toBeGreaterThan(200);
  // The product's reconciliation of each month agrees and lists expected differences.
  const found: unknown[] = [];
  const differences = new Map<string, Decimal>();
  for (let of: Month = month('2027-07'); of <= month('2028-06'); of = nextMonth(of)) {
    const close = await proveMonth(world, of);
    const { proof } = close;
    expect([of, obstaclesOf(proof)]).toEqual([of, []]);
    for (const one of exceptionsOf(proof))
      if (Number(one.amount) !== 0 && one.kind === 'invoice') found.push([one.class, one.psaId, one.amount]);
    for (const { kind, currency, difference } of proof.bridges)
      if (kind === 'invoice') differences.set(currency, sum([differences.get(currency) ?? zero, difference]));
  }
  expect(found).toEqual([
    ['accounting_by_hand', null, '70'],
    // A March invoice in Autotask is in April in QuickBooks. Both months report it, and the sum is zero.
    ['date_moved', movedOn[0], '-637.5'],
    ['dated_elsewhere_in_psa', movedOn[0], '637.5'],
    ['missing_outside_age', [...waiting][0], '-150'],
  ]);
  expect(Object.fromEntries(differences)).toEqual({ CAD: '0', USD: '-80' });
  // A voided invoice keeps its number and has amount 0.
  const voided = (await world.autotask.list('Invoices')).filter((row) => row['isVoided'] === true);
  const inAccounting = (await world.quickbooks.list('Invoice')).filter((row) =>
    voided.some(({ id }) => sourceOf(row) === `invoice ${Number(id)}`),
  );
  expect(inAccounting.map((row) => row['TotalAmt'])).toEqual([0, 0]);
}, 600_000);
