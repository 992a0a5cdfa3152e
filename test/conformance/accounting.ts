import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Posted } from '#core/attempt.ts';
import type { Command, PurchaseForm, SalesDocument } from '#core/planning/plan.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import { ServiceError } from '#core/service-error.ts';
import { addSeconds, calendarDate, instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { unclear, type JournalEntry, type SandboxDriver } from './driver.ts';
import { paymentConformance } from './payments.ts';

/** An accounting connector with the driver of its service, which contains the sample world as of 2025-03-03. */
export interface AccountingUnderTest {
  readonly driver: SandboxDriver;
  /**
   * Returns a connector for a company that has just given consent, with pauses that take no time. Call limits apply
   * only in the test about limits.
   */
  connect(limits?: 'kept'): Promise<{
    readonly accounting: Accounting;
    /** Returns how often the tokens were renewed. */
    readonly renewals: () => number;
  }>;
  /** Returns the log of all connectors so far, as text. */
  logged(): string;
  /** Secrets issued so far, including tokens. */
  secrets(): readonly string[];
  /** Paths of the calls for faults: creating an invoice, and queries. */
  readonly invoiceWrites: { readonly method: string; readonly path: string };
  readonly queries: { readonly method: string; readonly path: string };
  readonly otherWrites: Readonly<Record<'void' | 'payment', { readonly method: string; readonly path: string }>>;
  /** Switches for how soon changes are reported: at once, and late. */
  readonly changesAt: readonly Readonly<Record<string, unknown>>[];
  /** Switches that disable the idempotency key, and switches that allow document numbers from us. */
  readonly ignoreRequestIds: Readonly<Record<string, unknown>>;
  /** Switches for the ways in which the service reports that our access was withdrawn. */
  readonly withdrawnAnswers: readonly Readonly<Record<string, unknown>>[];
  readonly isTokenCall: (entry: JournalEntry) => boolean;
  useOwnNumbers(): Promise<void>;
  /** Ends our access at the service, as a disconnect does. */
  release(): Promise<void>;
  closeCompanyAccess(how: 'expire' | 'disconnect'): Promise<void>;
  voidInvoice(id: string): Promise<void>;
  deleteInvoice(id: string): Promise<void>;
  close(): Promise<void>;
}

const document: SalesDocument = {
  customer: { id: '58' },
  number: null,
  datedOn: calendarDate('2025-03-03'),
  termId: '3',
  dueOn: null,
  billingAddress: null,
  shippingAddress: null,
  customerMessage: 'Order: PO-7781\n“Danke” – O’Neil & Sons',
  privateNote: 'Autotask invoice 48213 · synced 2025-03-03T15:00:07Z',
  email: { address: 'ap@acmedental.example', send: false },
  onlinePayment: { card: false, bank: false },
  currency: null,
  classId: null,
  customFields: [{ definitionId: '1', name: 'P.O. Number', value: 'PO-7781' }],
  taxCodeId: '5',
  taxExcluded: false,
  lines: [
    {
      amount: decimal('687.50'),
      quantity: decimal('4.25'),
      unitPrice: decimal('161.76471'),
      description: 'Remote support, February',
      item: { id: '21' },
      servedOn: calendarDate('2025-02-27'),
      classId: '200',
      taxCode: 'NON',
    },
    {
      amount: decimal('500'),
      quantity: decimal('2'),
      unitPrice: decimal('250'),
      description: '24-inch monitor',
      item: { id: '32' },
      servedOn: calendarDate('2025-02-26'),
      classId: '201',
      taxCode: 'TAX',
    },
  ],
};
const invoice = (more: Partial<SalesDocument> = {}): Command => ({
  do: 'create_invoice',
  document: { ...document, ...more },
});
const customer = (displayName: string): Command => ({
  do: 'create_customer',
  customer: {
    companyId: 180,
    displayName,
    companyName: 'Ember Cafe',
    billingAddress: {
      line1: '1501 East 6th Street',
      line2: null,
      city: 'Austin',
      state: 'TX',
      postalCode: '78702',
      country: 'US',
    },
    shippingAddress: null,
    phone: '512-555-0100',
    email: 'hello@embercafe.example',
    isTaxable: true,
    resaleNumber: null,
    termId: '3',
    currency: null,
  },
});
const item = (name: string): Command => ({
  do: 'create_item',
  item: { name, sku: 'HW-1', incomeAccountId: '2', expenseAccountId: null, isTaxable: true },
});
const sentAt = instant('2025-03-03T15:00:00Z');

/** Tests of the accounting port's contract for every connector, run against the driver of its service. */
export function accountingConformance(name: string, open: () => Promise<AccountingUnderTest>): void {
  describe(`${name} implements the accounting port`, () => {
    let under: AccountingUnderTest;
    let accounting: Accounting;
    let renewals: () => number;
    beforeAll(async () => {
      under = await open();
    });
    beforeEach(async () => {
      await under.driver.reset();
      // Only one test is about limits.
      await under.driver.enforceLimits(false);
      ({ accounting, renewals } = await under.connect());
      await under.driver.forget();
    });
    afterAll(() => under.close());

    /** Returns the QuickBooks documents with our note. */
    const ours = async (note = document.privateNote) =>
      (await under.driver.list('Invoice')).filter((row) => row.PrivateNote === note);
    /** Posts a command under a request id. */
    const post = (command: Command, requestId = 'request-1', answers: readonly Posted[] = []) =>
      accounting.post(command, answers, requestId);

    test('returns the company', async () => {
      expect(await accounting.identify()).toEqual({
        companyName: 'Northwind IT Services',
        companyId: expect.stringMatching(/^\d+$/),
      });
    });

    test('returns reference data with every list, including inactive records', async () => {
      const data = await accounting.readReferenceData();
      expect(data.preferences).toMatchObject({
        customTransactionNumbers: false,
        customOrderNumbers: false,
        classPerLine: true,
        homeCurrency: 'USD',
        usesSalesTax: true,
        closedThrough: '2025-01-31',
        customFields: [
          { definitionId: '1', name: 'P.O. Number' },
          { definitionId: '2', name: 'Ticket' },
        ],
      });
      expect(data.company).toEqual({ name: 'Northwind IT Services', country: 'US' });
      expect(data.accounts).toContainEqual(
        expect.objectContaining({ id: '20', classification: 'Liability', subType: 'AccountsPayable' }),
      );
      expect(data.classes.map(({ id }) => id)).toEqual(expect.arrayContaining(['200', '201', '202']));
      expect(data.terms).toContainEqual({ id: '3', name: 'Net 30' });
      expect(data.taxCodes).toContainEqual({
        id: '5',
        name: 'Travis County',
        isActive: true,
        salesRates: [{ id: '9', name: expect.any(String), agencyId: expect.any(String), percent: '8.25' }],
        salesRate: '8.25',
      });
      expect(data.customers).toContainEqual(
        expect.objectContaining({ id: '58', displayName: 'Acme Dental', isActive: true, currency: 'USD' }),
      );
      expect(data.customers).toContainEqual(expect.objectContaining({ id: '62', isActive: false }));
      expect(data.items).toContainEqual(
        expect.objectContaining({ id: '31', sku: 'AP-620', incomeAccountId: null, expenseAccountId: '14' }),
      );
      expect(await accounting.readPreferences()).toEqual(data.preferences);
      expect(await accounting.readAccounts()).toEqual(data.accounts);
      expect(await accounting.readClasses()).toEqual(data.classes);
    });

    test('reads locations where they are tracked', async () => {
      expect((await accounting.readReferenceData()).locations).toEqual([]);
      expect(await accounting.readLocations()).toEqual(
        expect.arrayContaining([{ id: '210', fullyQualifiedName: 'Austin office', isActive: true }]),
      );
    });

    describe('a write', () => {
      test('creates the shown document to the cent and returns it', async () => {
        const posted = await post(invoice());
        expect(posted).toMatchObject({
          type: 'Invoice',
          syncToken: '0',
          total: '1228.75',
          tax: '41.25',
          subtotal: '1187.5',
          dueOn: '2025-04-02',
        });
        const [stored, ...others] = await ours();
        expect(others).toEqual([]);
        const shown = accounting.preview(invoice(), []);
        expect(stored).toMatchObject({
          Id: posted.id,
          DocNumber: posted.number,
          TxnDate: shown.TxnDate,
          CustomerMemo: shown.CustomerMemo,
          BillEmail: shown.BillEmail,
          EmailStatus: 'NotSet',
        });
        const [first, second] = shown.Line as { SalesItemLineDetail: object }[];
        expect(stored?.Line).toMatchObject([
          { Amount: 687.5, SalesItemLineDetail: first?.SalesItemLineDetail },
          { Amount: 500, SalesItemLineDetail: second?.SalesItemLineDetail },
          { DetailType: 'SubTotalLineDetail', Amount: 1187.5 },
        ]);
      });

      test('of an invoice refers to the customer and item created before it', async () => {
        const answers: Posted[] = [];
        answers.push(await post(customer('Ember Cafe'), 'r-1', answers));
        answers.push(await post(item('Hardware'), 'r-2', answers));
        const lines = document.lines.map((line) => ({ ...line, item: { fromCommand: 1 } }));
        const posted = await post(invoice({ customer: { fromCommand: 0 }, lines }), 'r-3', answers);
        const [stored] = await ours();
        expect(stored).toMatchObject({ Id: posted.id, CustomerRef: { value: answers[0]?.id } });
        expect(answers.map(({ type, name: made }) => [type, made])).toEqual([
          ['Customer', 'Ember Cafe'],
          ['Item', 'Hardware'],
        ]);
      });

      test('creates a credit memo', async () => {
        const memo: Command = {
          do: 'create_credit_memo',
          document: { ...document, termId: null, email: null, onlinePayment: null },
        };
        const posted = await post(memo);
        expect(posted).toMatchObject({ type: 'CreditMemo', dueOn: null, total: '1228.75' });
        expect(await accounting.find(memo, [], sentAt)).toMatchObject({ id: posted.id });
      });

      test('repeated with its key is the same write', async () => {
        const [first, second] = [await post(invoice()), await post(invoice())];
        expect(second.id).toBe(first.id);
        expect(await ours()).toHaveLength(1);
      });

      describe.each([
        ['honoured', {}],
        ['ignored', 'ignore'],
      ] as const)('with idempotency keys %s', (_position, switches) => {
        test.each(unclear)('may have arrived after %s and is found if it did', async (_name, action, isApplied) => {
          if (switches === 'ignore') await under.driver.behave(under.ignoreRequestIds);
          await under.driver.fault({ match: under.invoiceWrites, times: 1, action });
          await expect(post(invoice())).rejects.toMatchObject({
            about: { service: 'accounting', outcome: 'unknown', next: 'try_again' },
          });
          const writes = (await under.driver.journal()).filter(({ path }) => /\/invoice$/i.test(path));
          expect(writes).toHaveLength(1);
          const stored = await ours();
          expect(stored).toHaveLength(isApplied ? 1 : 0);
          const found = await accounting.find(invoice(), [], sentAt);
          expect(found?.id ?? null).toBe(stored[0]?.Id ?? null);
        });
      });

      test('N2 that arrives late is not found before and found afterward', async () => {
        const action = { reset: 'late', apply_after_seconds: 60 } as const;
        await under.driver.fault({ match: under.invoiceWrites, times: 1, action });
        await expect(post(invoice())).rejects.toMatchObject({ about: { outcome: 'unknown' } });
        expect(await accounting.find(invoice(), [], sentAt)).toBeNull();
        await under.driver.advance(61);
        expect(await accounting.find(invoice(), [], sentAt)).toMatchObject({ type: 'Invoice' });
      });

      test('does not match another invoice with the same customer, date, and amount', async () => {
        await post(invoice({ privateNote: 'Autotask invoice 48214 · synced 2025-03-03T15:00:07Z' }));
        expect(await accounting.find(invoice(), [], sentAt)).toBeNull();
      });

      test.each(['Ember Cafe', "O'Neil's", 'Joe’s – “Bar”', 'A & B 100%', 'Zoë 東京 🧾'])(
        'of a customer named %s is found by name',
        async (displayName) => {
          const made = await post(customer(displayName));
          expect(await accounting.find(customer(displayName), [], addSeconds(sentAt, 1))).toMatchObject({
            id: made.id,
          });
          expect(await accounting.find(customer(`${displayName} 2`), [], sentAt)).toBeNull();
        },
      );

      test('of an item is found by name', async () => {
        const made = await post(item("Hard'ware"));
        expect(await accounting.find(item("Hard'ware"), [], sentAt)).toMatchObject({ id: made.id, type: 'Item' });
      });

      test('of several commands in one call is the same when repeated, and each is found', async () => {
        const items = [
          { id: '1', command: invoice(), answers: [] },
          { id: '2', command: item('Batch item'), answers: [] },
          {
            id: '3',
            command: invoice({ privateNote: 'Autotask invoice 48214 · synced 2025-03-03T15:00:07Z' }),
            answers: [],
          },
        ];
        const made = await accounting.postBatch(items, 'conformance batch 1');
        expect(made).toMatchObject([{ type: 'Invoice' }, { type: 'Item' }, { type: 'Invoice' }]);
        const again = await accounting.postBatch(items.slice(2), 'conformance batch 1');
        expect(again).toMatchObject([{ id: made[2] !== undefined && 'id' in made[2] ? made[2].id : '' }]);
        const wanted = items.map(({ command, answers }) => ({ command, answers, sentAt }));
        const never = invoice({ privateNote: 'never sent' });
        expect(await accounting.findAll([...wanted, { command: never, answers: [], sentAt }])).toMatchObject([
          ...made.map((one) => ({ id: 'id' in one ? one.id : '' })),
          null,
        ]);
      });

      test('N5 N6 that was throttled was not applied, and reports how long to wait', async () => {
        const action = { status: 429, headers: { 'Retry-After': '7' }, body: '' };
        await under.driver.fault({ match: under.invoiceWrites, times: 1, action });
        await expect(post(invoice())).rejects.toMatchObject({
          about: { outcome: 'not_applied', next: 'try_again', code: 'QBO_THROTTLED', waitMs: 7_000 },
        });
        expect(await ours()).toEqual([]);
      });

      test.each<[string, Partial<SalesDocument>, object]>([
        [
          'D3 into closed books',
          { datedOn: calendarDate('2025-01-15') },
          { code: 'PERIOD_CLOSED', vendorCode: '6210' },
        ],
        ['D1 for a deleted customer', { customer: { id: '999999' } }, { code: 'QBO_REFERENCE' }],
        ['D1 for an inactive customer', { customer: { id: '62' } }, { code: 'QBO_REFERENCE' }],
        [
          'D4 whose amount is not quantity times price',
          { lines: document.lines.map((line) => ({ ...line, unitPrice: decimal('1') })) },
          { code: 'QBO_VALIDATION', vendorCode: '6070' },
        ],
      ])('%s is rejected permanently with its code', async (_name, more, about) => {
        await expect(post(invoice(more))).rejects.toMatchObject({
          about: { outcome: 'not_applied', next: 'refuse', traceId: expect.stringMatching(/\S/), ...about },
        });
        expect(await ours()).toEqual([]);
      });

      test('D2 with a number that is taken returns the document with that number', async () => {
        await under.useOwnNumbers();
        const first = await post(invoice({ number: 'TB-1', privateNote: 'another' }), 'r-1');
        const numbered = invoice({ number: 'TB-1' });
        await expect(post(numbered, 'r-2')).rejects.toMatchObject({
          about: {
            code: 'DUPLICATE_DOC_NUMBER',
            vendorCode: '6140',
            outcome: 'not_applied',
            detail: expect.stringContaining(first.id),
          },
        });
        expect(await accounting.find(numbered, [], sentAt)).toBeNull();
        expect(await accounting.findNumbered(['TB-1', 'none'])).toEqual([
          {
            type: 'Invoice',
            id: first.id,
            number: 'TB-1',
            customerName: 'Acme Dental',
            privateNote: 'another',
          },
        ]);
      });

      test('with a name that is taken reports that', async () => {
        await post(customer('Ember Cafe'), 'r-1');
        await expect(post(customer('Ember Cafe'), 'r-2')).rejects.toMatchObject({
          about: { outcome: 'not_applied', next: 'refuse', vendorCode: '6240' },
        });
      });
    });

    describe('purchases', () => {
      const form: PurchaseForm = {
        vendor: { id: '90' },
        number: null,
        datedOn: calendarDate('2025-02-28'),
        payableAccountId: '20',
        termId: '3',
        shipTo: null,
        messageToVendor: null,
        privateNote: 'Autotask purchase order 3310 · synced 2025-03-03T15:00:07Z',
        currency: null,
        taxExcluded: false,
        lines: [
          {
            by: 'item',
            item: { id: '31' },
            amount: decimal('758'),
            quantity: decimal('4'),
            unitPrice: decimal('189.5'),
            description: 'Access point',
            customer: { id: '58' },
            classId: null,
            taxCode: null,
          },
          {
            by: 'account',
            accountId: '25',
            amount: decimal('-36.4'),
            description: 'Cash advance',
            customer: null,
            classId: '202',
            taxCode: null,
          },
        ],
      };
      const orderOf = (more: Partial<PurchaseForm> = {}): Command => ({
        do: 'create_purchase_order',
        order: { ...form, ...more },
      });
      const billOf = (more: Partial<PurchaseForm> = {}): Command => ({
        do: 'create_bill',
        bill: { ...form, number: 'EXP-1207', ...more },
      });
      const vendor: Command = {
        do: 'create_vendor',
        vendor: {
          companyId: null,
          displayName: "v-O'Brien – “J”, John",
          companyName: null,
          givenName: 'John',
          familyName: "O'Brien",
          address: null,
          phone: null,
          email: null,
          currency: null,
        },
      };

      test.each([
        ['an order', orderOf],
        ['a bill', billOf],
      ])('%s returns its total and is found only by its note', async (_name, commandOf) => {
        const made = await post(commandOf());
        expect(made).toMatchObject({ total: '721.6', subtotal: '721.6', tax: '0' });
        await post(commandOf({ privateNote: 'another attempt' }), 'request-2');
        expect((await accounting.find(commandOf(), [], sentAt))?.id).toBe(made.id);
        expect(await accounting.find(commandOf({ privateNote: 'never sent' }), [], sentAt)).toBeNull();
        expect(await accounting.read(made.type, made.id)).toMatchObject({ total: '721.6', isVoided: false });
      });

      test('finds and lists a vendor whose name cannot be quoted in a query', async () => {
        const made = await post(vendor);
        expect((await accounting.find(vendor, [], sentAt))?.id).toBe(made.id);
        const { vendors } = await accounting.readReferenceData();
        expect(vendors).toContainEqual({
          id: made.id,
          displayName: "v-O'Brien – “J”, John",
          companyName: null,
          isActive: true,
          currency: 'USD',
          email: null,
          phone: null,
        });
      });

      test('searches an order number among orders', async () => {
        const made = await post(orderOf({ number: 'PO-3310' }));
        expect(await accounting.findNumbered(['PO-3310'])).toEqual([]);
        expect(await accounting.findNumbered(['PO-3310'], 'purchase_orders')).toMatchObject([
          { type: 'PurchaseOrder', id: made.id, number: 'PO-3310', customerName: 'Ingram Supplies' },
        ]);
      });

      test('finds no order for a vendor that was never created', async () => {
        expect(await accounting.find(orderOf({ vendor: { fromCommand: 0 } }), [], sentAt)).toBeNull();
      });
    });

    let counter = 0;
    paymentConformance({
      driver: () => under.driver,
      accounting: () => accounting,
      postInvoice: () => post(invoice({ privateNote: `to be paid ${(counter += 1)}` }), `request-open-${counter}`),
      writes: (path) => under.otherWrites[path],
      deleteInvoice: (id) => under.deleteInvoice(id),
      changesAt: () => under.changesAt,
    });

    test('N5 waits as long as throttling requests, in every form', async () => {
      const forms = [
        [{ 'Retry-After': '7' }, 7_000],
        [{ 'Retry-After': '0' }, 0],
        [{ 'Retry-After': '3600' }, 3_600_000],
        [{ Date: 'Mon, 03 Mar 2025 18:00:00 GMT', 'Retry-After': 'Mon, 03 Mar 2025 18:00:09 GMT' }, 9_000],
        [{}, 60_000],
      ] as const;
      for (const [headers, waitMs] of forms) {
        const action = { status: 429, headers, body: '' };
        await under.driver.fault({ match: under.invoiceWrites, times: 1, action });
        const sent = post(invoice(), `request-${waitMs}`);
        await expect(sent).rejects.toMatchObject({ about: { outcome: 'not_applied', code: 'QBO_THROTTLED', waitMs } });
        ({ accounting } = await under.connect());
      }
      expect(await ours()).toEqual([]);
    });

    test('searches many numbers in two calls', async () => {
      const numbers = Array.from({ length: 400 }, (_, index) => `N-${index}`);
      await under.driver.forget();
      expect(await accounting.findNumbered(numbers)).toEqual([]);
      expect(await under.driver.journal()).toHaveLength(2);
    });

    test('reads a posted document as it is, voided, or deleted', async () => {
      const { id } = await post(invoice());
      expect(await accounting.read('Invoice', id)).toMatchObject({ id, total: '1228.75', isVoided: false });
      await under.voidInvoice(id);
      expect(await accounting.read('Invoice', id)).toMatchObject({ id, total: '0', isVoided: true });
      expect(await accounting.find(invoice(), [], sentAt)).toMatchObject({ id });
      await under.deleteInvoice(id);
      expect(await accounting.read('Invoice', id)).toBeNull();
      expect(await accounting.read('Invoice', '99999999')).toBeNull();
    });

    describe('reading', () => {
      test.each(unclear)('succeeds after %s', async (_name, action) => {
        await under.driver.fault({ match: under.queries, times: 1, action });
        expect(await accounting.readClasses()).toHaveLength(3);
      });

      test('N7 reports an unavailable service after a limited number of attempts', async () => {
        await under.driver.fault({ match: under.queries, action: { status: 503, body: '' } });
        await expect(accounting.readClasses()).rejects.toMatchObject({
          about: { code: 'QBO_UNAVAILABLE', outcome: 'unknown', next: 'try_again' },
        });
        expect((await under.driver.journal()).length).toBeLessThanOrEqual(3);
      });
    });

    test('ends all parallel reads before reporting a failure', async () => {
      await under.driver.fault({ match: under.queries, skip: 1, action: { delay_ms: 300 } });
      const refused = { Fault: { type: 'ValidationFault', Error: [{ code: '4000', Message: 'Error parsing query' }] } };
      await under.driver.fault({ match: under.queries, times: 1, action: { status: 400, body: refused } });
      await expect(accounting.readReferenceData()).rejects.toBeInstanceOf(ServiceError);
      const journal = await under.driver.journal();
      await accounting.identify();
      expect(journal.every(({ status }) => status !== null)).toBe(true);
      expect(await under.driver.journal()).toHaveLength(journal.length + 1);
    });

    describe('access', () => {
      test('A1 that has expired is renewed once for parallel calls without losing any', async () => {
        await under.closeCompanyAccess('expire');
        const [posted, classes] = await Promise.all([
          post(invoice()),
          accounting.readClasses(),
          accounting.readAccounts(),
        ]);
        expect([posted.type, classes.length]).toEqual(['Invoice', 3]);
        expect(await ours()).toHaveLength(1);
        expect(renewals()).toBe(1);
      });

      test('A5 that was revoked fails with a clear error and few token calls', async () => {
        for (const switches of under.withdrawnAnswers) {
          ({ accounting } = await under.connect());
          await under.driver.behave(switches);
          await under.closeCompanyAccess('disconnect');
          await under.driver.forget();
          const about = { code: 'QBO_AUTH', next: 'reconnect', outcome: 'not_applied' };
          const calls = [() => accounting.readReferenceData(), () => accounting.identify(), () => post(invoice())];
          for (const ask of calls) await expect(ask()).rejects.toMatchObject({ about });
          expect((await under.driver.journal()).filter(under.isTokenCall).length).toBeLessThanOrEqual(1);
        }
        expect(await ours()).toEqual([]);
      });

      test('can be ended by us', async () => {
        await under.release();
        await expect(accounting.identify()).rejects.toMatchObject({ about: { next: 'reconnect' } });
        await under.release();
      });
    });

    test('passes on lists and the company as the service returns them', async () => {
      expect((await accounting.rawAccounts()).length).toBeGreaterThan(10);
      expect(await accounting.rawClasses()).toHaveLength(3);
      expect(await accounting.rawPreferences()).toHaveProperty('SalesFormsPrefs');
      expect(await accounting.rawCompanyInfo()).toMatchObject({ CompanyName: 'Northwind IT Services' });
    });

    test("never exceeds the service's limits without faults", async () => {
      // After this time, the calls of other tests no longer count.
      await under.driver.advance(300);
      await under.driver.enforceLimits(true);
      ({ accounting } = await under.connect('kept'));
      await under.driver.forget();
      await Promise.all([accounting.readReferenceData(), accounting.readReferenceData()]);
      for (let turn = 0; turn < 2; turn += 1) await post(invoice({ privateNote: `note ${turn}` }), `r-${turn}`);
      expect((await under.driver.journal()).filter(({ status }) => status !== 200)).toEqual([]);
    });

    test('logged no secrets', () => {
      expect(under.logged().length).toBeGreaterThan(1_000);
      for (const secret of under.secrets()) expect(under.logged()).not.toContain(secret);
    });
  });
}
