import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Psa } from '#core/ports/psa.ts';
import { BadPsaQuery } from '#core/psa-query.ts';
import { addSeconds, calendarDate, instant, type Instant } from '#core/values/dates.ts';
import { unclear, type JournalEntry, type SandboxDriver } from './driver.ts';

/** A PSA connector with the driver of its service, which contains the sample world as of 2025-03-03. */
export interface PsaUnderTest {
  readonly driver: SandboxDriver;
  /** Returns a connector with empty caches. */
  connect(): Psa;
  /** Returns the log of all connectors so far, as text. */
  logged(): string;
  readonly secrets: readonly string[];
  /** Returns true if a call in the journal is a search of this service. */
  readonly isSearch: (entry: JournalEntry) => boolean;
  readonly isWrite: (entry: JournalEntry) => boolean;
  /** Paths of the calls for faults: reading invoices, and writing to them. */
  readonly invoiceReads: { readonly method: string; readonly path: string };
  readonly invoiceWrites: { readonly method: string; readonly path: string };
  /** Returns the invoice's number as stored by the service. */
  numberOf(id: number): Promise<unknown>;
  /** Makes the service refuse the credentials from now on. */
  changePassword(): Promise<void>;
  close(): Promise<void>;
}

/** Tests of the PSA port's contract for every connector, run against the driver of its service. */
export function psaConformance(name: string, open: () => Promise<PsaUnderTest>): void {
  describe(`${name} implements the PSA port`, () => {
    let under: PsaUnderTest;
    let psa: Psa;
    beforeAll(async () => {
      under = await open();
    });
    beforeEach(async () => {
      await under.driver.reset();
      psa = under.connect();
    });
    afterAll(() => under.close());

    test("returns the tenant's company and database", async () => {
      expect(await psa.identify()).toEqual({
        companyId: 0,
        companyName: 'Northwind IT Services',
        databaseId: expect.stringMatching(/\S/),
      });
    });

    test('finds an active user by name and email together', async () => {
      const betty = { firstName: 'Betty', lastName: 'Decker', email: 'betty.decker@northwind-msp.example' };
      expect(await psa.findResource(betty)).toEqual({ id: 21, ...betty });
      expect(
        await psa.findResource({ firstName: 'John', lastName: "O'Brien", email: 'john.obrien@northwind-msp.example' }),
      ).toMatchObject({ id: 22 });
      const noFirstName = { firstName: '', lastName: 'Jacobsen', email: 'jacobsen@northwind-msp.example' };
      expect(await psa.findResource(noFirstName)).toEqual({ id: 23, ...noFirstName });
      for (const other of [
        { ...betty, firstName: 'Bette' },
        { ...betty, firstName: '' },
        { ...betty, lastName: "' or 1=1" },
        { ...betty, email: 'john.obrien@northwind-msp.example' },
        { firstName: 'Dana', lastName: 'Former', email: 'dana.former@northwind-msp.example' },
      ])
        expect(await psa.findResource(other)).toBeNull();
    });

    describe('invoices', () => {
      test('that are not voided or exported are returned by ascending ID', async () => {
        const found = await psa.findInvoices({ voided: false, notExported: true });
        const ids = found.map(({ id }) => id);
        expect(ids).toEqual([...ids].sort((a, b) => a - b));
        expect(ids).toEqual(expect.arrayContaining([48_213, 48_214, 48_301, 48_308]));
        expect(found.every(({ isVoided, exportedAt }) => !isVoided && exportedAt === null)).toBe(true);
      });

      test('are found from an exact time on', async () => {
        const all = await psa.findInvoices({ voided: false });
        const edge = all.find(({ id }) => id === 48_310);
        const from = edge?.createdAt ?? instant(0);
        const found = await psa.findInvoices({ voided: false, createdFrom: from });
        expect(found.map(({ id }) => id)).toContain(48_310);
        expect(found.map(({ id }) => id)).not.toContain(48_311);
        expect(found.every(({ createdAt }) => createdAt >= from)).toBe(true);
      });

      test('that were exported are found from an exact time on', async () => {
        const at = instant(Date.parse('2025-03-09T10:00:00.000Z'));
        const ids = async (exportedFrom: Instant) =>
          (await psa.findInvoices({ voided: false, exportedFrom })).map(({ id }) => id);
        await psa.writeInvoice(48_213, { number: '1042', exportedAt: at });
        expect(await ids(at)).toEqual([48_213]);
        expect(await ids(addSeconds(at, 1))).toEqual([]);
      });

      test('that were voided are found separately', async () => {
        const found = await psa.findInvoices({ voided: true });
        expect(found.map(({ id }) => id)).toEqual([48_312, 48_313]);
        expect(found.every(({ voidedAt }) => voidedAt !== null)).toBe(true);
      });

      test('with a paid date are found from a date on', async () => {
        const ids = async (paidFrom: string) =>
          (await psa.findInvoices({ voided: false, paidFrom: calendarDate(paidFrom) })).map(({ id }) => id);
        expect(await ids('2000-01-01')).not.toContain(48_213);
        await psa.writeInvoice(48_213, { paidOn: calendarDate('2025-03-09') });
        expect((await psa.readInvoices([48_213]))[0]?.paidOn).toBe('2025-03-09');
        expect(await ids('2025-03-09')).toContain(48_213);
        expect(await ids('2025-03-10')).not.toContain(48_213);
        await psa.writeInvoice(48_213, { paidOn: null });
        expect(await ids('2025-03-09')).not.toContain(48_213);
      });

      test('have lines, exact amounts, and types (worked example A)', async () => {
        const [invoice, ...others] = await psa.readInvoices([48_213, 999_999_999]);
        expect(others).toEqual([]);
        expect(invoice).toMatchObject({
          id: 48_213,
          companyId: 175,
          number: '',
          invoicedOn: '2025-03-03',
          total: '1966.25',
          tax: '41.25',
          isVoided: false,
          exportedAt: null,
          taxRegionName: 'Travis County',
          orderNumber: 'PO-7781',
          comments: 'Thank you for your business.',
        });
        const lines = invoice?.lines.map((line) => [
          line.kind,
          line.quantity,
          line.rate,
          line.extendedPrice,
          line.amount,
          line.tax,
          line.servedOn,
        ]);
        expect(lines).toEqual([
          ['labor', '3.5', '150', '525', '525', '0', '2025-02-27'],
          ['labor', '1.25', '150', '187.5', '0', '0', '2025-02-28'],
          ['service', '20', '45', '900', '900', '0', '2025-03-01'],
          ['charge', '2', '250', '500', '500', '41.25', '2025-02-26'],
        ]);
        const hardware = invoice?.lines[3];
        expect(hardware).toMatchObject({ billingCodeId: 51, productId: 803, lineOfBusinessId: 2 });
      });

      test('in a foreign currency have both amounts (worked example F)', async () => {
        const [invoice] = await psa.readInvoices([48_308]);
        const first = invoice?.lines[0];
        expect([first?.amount, first?.internalAmount]).toEqual(['1620', '1200']);
      });

      test('are read in batches: far fewer calls than invoices', async () => {
        const ids = (await psa.findInvoices({ voided: false })).map(({ id }) => id);
        await under.driver.forget();
        expect(await psa.readInvoices(ids)).toHaveLength(ids.length);
        expect((await under.driver.journal()).length).toBeLessThanOrEqual(7);
      });

      test('without IDs cost no call', async () => {
        await under.driver.forget();
        expect([await psa.readInvoices([]), await psa.readCompanies([])]).toEqual([[], []]);
        expect(await under.driver.journal()).toEqual([]);
      });
    });

    describe('purchase orders', () => {
      test('that are submitted are found from an exact time on', async () => {
        const found = await psa.findPurchaseOrders({});
        expect(found.map(({ id, status }) => [id, status])).toEqual([
          [3_310, 'submitted'],
          [3_311, 'submitted'],
        ]);
        const from = found[0]?.createdAt ?? instant(0);
        expect(await psa.findPurchaseOrders({ createdFrom: from })).toHaveLength(2);
        expect(await psa.findPurchaseOrders({ createdFrom: addSeconds(from, 1) })).toEqual([]);
      });

      test('are found by ID in any status with one call', async () => {
        await psa.identify();
        await under.driver.forget();
        const found = await psa.findPurchaseOrders({ ids: [3_312, 3_310, 999_999] });
        expect(found.map(({ id, status }) => [id, status])).toEqual([
          [3_310, 'submitted'],
          [3_312, 'new'],
        ]);
        expect((await under.driver.journal()).length).toBe(1);
      });

      test('have lines and exact costs (worked example 9.5), in two calls for any number', async () => {
        await psa.identify();
        await under.driver.forget();
        const [order, second, third, ...others] = await psa.readPurchaseOrders([3_312, 3_310, 3_311, 999_999]);
        expect((await under.driver.journal()).length).toBe(2);
        expect(others).toEqual([]);
        expect(order).toMatchObject({
          id: 3_310,
          vendorId: 301,
          forCompanyId: 175,
          number: 'PO-3310',
          externalNumber: '',
          submittedOn: '2025-02-28',
          expectedOn: '2025-03-10',
          freight: '36.4',
          internalFreight: '36.4',
          shipToName: 'Acme Dental',
          shipTo: { line1: '410 Congress Avenue', line2: null, city: 'Austin', state: 'TX', postalCode: '78701' },
        });
        expect(
          order?.lines.map((line) => [line.productId, line.quantity, line.unitCost, line.internalUnitCost]),
        ).toEqual([
          [801, '4', '189.5', '189.5'],
          [802, '2', '412', '412'],
        ]);
        expect(second?.lines[1]).toMatchObject({ productId: null, memo: 'Cables for ticket T61003' });
        expect(third?.status).toBe('new');
        expect(await psa.readPurchaseOrders([])).toEqual([]);
      });

      test('store and return our reference', async () => {
        await psa.writePurchaseOrder(3_310, { externalNumber: '1009' });
        expect((await psa.readPurchaseOrders([3_310]))[0]).toMatchObject({ externalNumber: '1009', freight: '36.4' });
        await psa.writePurchaseOrder(3_310, { externalNumber: '' });
        expect((await psa.readPurchaseOrders([3_310]))[0]?.externalNumber).toBe('');
      });
    });

    describe('expense reports', () => {
      test('that are approved are found from an exact time on', async () => {
        const found = await psa.findExpenseReports({});
        expect(found.map(({ id, status }) => [id, status])).toEqual(
          [1_207, 1_208, 1_209, 1_210].map((id) => [id, 'approved']),
        );
        const from = found[0]?.submittedAt ?? instant(0);
        expect(await psa.findExpenseReports({ submittedFrom: from })).toHaveLength(4);
        expect(await psa.findExpenseReports({ submittedFrom: addSeconds(from, 1) })).toEqual([]);
      });

      test('are found by ID in any status with one call', async () => {
        await psa.identify();
        await under.driver.put('ExpenseReports', 1_208, { status: 4 });
        await under.driver.forget();
        const found = await psa.findExpenseReports({ ids: [1_208, 1_207, 999_999] });
        expect(found.map(({ id, status }) => [id, status])).toEqual([
          [1_207, 'approved'],
          [1_208, 'rejected'],
        ]);
        expect((await under.driver.journal()).length).toBe(1);
      });

      test('have items, category labels, and submitter (worked example 10.6)', async () => {
        const [report, , , last] = await psa.readExpenseReports([1_210, 1_207, 1_208, 1_209, 999_999]);
        expect(report).toMatchObject({
          id: 1_207,
          name: 'Client visits February',
          submitter: { firstName: 'Betty', lastName: 'Decker' },
          weekEndingOn: '2025-02-28',
          departmentNumber: 'SVC',
          amountDue: '190.35',
          cashAdvance: '100',
          reference: '',
        });
        expect(
          report?.items.map((item) => [
            item.categoryId,
            item.categoryName,
            item.amount,
            item.companyId,
            item.isReimbursable,
          ]),
        ).toEqual([
          [41, 'Travel', '186.4', 175, true],
          [42, 'Meals', '42.75', null, true],
          [43, 'Mileage', '61.2', null, true],
          [44, 'Toner', '35', null, false],
        ]);
        expect(last?.submitter).toEqual({ firstName: null, lastName: 'Jacobsen' });
      });

      test('list the reimbursed amounts without rejected and card expenses', async () => {
        await psa.identify();
        const paidBack = await psa.readReimbursedExpenses([1_207, 1_208]);
        expect(paidBack.map(({ reportId, amount }) => [reportId, amount])).toEqual([
          [1_207, '186.4'],
          [1_207, '42.75'],
          [1_207, '61.2'],
          [1_208, '58'],
        ]);
      });

      test('are read in batches: far fewer calls than reports', async () => {
        await psa.identify();
        await under.driver.forget();
        expect(await psa.readExpenseReports([1_207, 1_208, 1_209, 1_210])).toHaveLength(4);
        expect((await under.driver.journal()).length).toBeLessThanOrEqual(4);
        await under.driver.forget();
        expect(await psa.readExpenseReports([])).toEqual([]);
        expect(await under.driver.journal()).toEqual([]);
      });

      test('store and return our reference', async () => {
        await psa.writeExpenseReport(1_207, { reference: 'IN PROCESS' });
        expect((await psa.readExpenseReports([1_207]))[0]).toMatchObject({
          reference: 'IN PROCESS',
          status: 'approved',
        });
        await psa.writeExpenseReport(1_207, { reference: '' });
        expect((await psa.readExpenseReports([1_207]))[0]?.reference).toBe('');
      });
    });

    test('returns company names by ascending ID', async () => {
      const names = await psa.readCompanyNames([177, 175, 999_999_999]);
      const whole = await psa.readCompanies([175, 177]);
      expect(names).toEqual(whole.map(({ id, name, currencyId }) => ({ id, name, currencyId })));
    });

    test('returns names of employees, whether active or not', async () => {
      expect(await psa.readEmployeeNames([22, 21, 999_999_999])).toEqual([
        { id: 21, name: 'Betty Decker' },
        { id: 22, name: "John O'Brien" },
      ]);
      expect(await psa.readEmployeeNames([])).toEqual([]);
    });

    test('returns companies with addresses, country codes, and the primary contact', async () => {
      const companies = await psa.readCompanies([175, 177, 179, 180, 999_999_999]);
      expect(companies.map(({ id }) => id)).toEqual([175, 177, 179, 180]);
      expect(companies[0]).toMatchObject({
        name: 'Acme Dental',
        type: 1,
        isActive: true,
        email: 'ap@acmedental.example',
        address: { city: 'Austin', state: 'TX', country: 'US' },
      });
      expect(companies[1]?.address.country).toBe('CA');
      expect(companies[2]?.isTaxExempt).toBe(true);
      expect(companies[3]?.email).toBeNull();
    });

    test('returns reference data with every list that documents use', async () => {
      const data = await psa.readReferenceData();
      expect(data.billingCodes).toContainEqual({
        id: 51,
        name: 'Hardware',
        useType: 4,
        taxCategoryId: 1,
        externalNumber: 'HW-1',
        departmentId: null,
      });
      expect(data.taxableCategoryIds).toContain(1);
      expect(data.paymentTerms.map(({ name: term }) => term)).toEqual(
        expect.arrayContaining(['Net 30', 'Net 15', 'Due on receipt', 'End of month +15']),
      );
      expect(data.roles.map(({ name: role }) => role)).toContain('Engineer');
      expect(data.products).toContainEqual({ id: 801, name: expect.stringContaining('AP-620'), sku: 'AP-620' });
      expect(data.currencies.filter(({ isInternal }) => isInternal).map(({ code }) => code)).toEqual(['USD']);
      expect(data.linesOfBusiness.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2, 3]));
      expect(data.modules).toEqual(await psa.readModules());
      expect((await psa.readLinesOfBusiness()).map(({ fullyQualifiedName }) => fullyQualifiedName)).toEqual([
        'Managed Services',
        'Hardware',
        'Projects',
      ]);
    });

    describe('writing', () => {
      test('changes only the given fields and clears empty ones', async () => {
        const at = instant('2025-03-03T15:00:00.000Z');
        await psa.writeInvoice(48_213, { number: '1042', exportedAt: at });
        await psa.writeInvoice(48_213, { number: '1042', exportedAt: at });
        const read = async () => (await psa.readInvoices([48_213]))[0];
        expect(await read()).toMatchObject({ number: '1042', exportedAt: at, paidOn: null, total: '1966.25' });
        await psa.writeInvoice(48_213, { number: '' });
        expect(await read()).toMatchObject({ number: '', exportedAt: at });
        await psa.writeInvoice(48_213, { exportedAt: null });
        expect(await read()).toMatchObject({ number: '', exportedAt: null });
      });

      test('rejects a number that is too long permanently', async () => {
        await expect(psa.writeInvoice(48_213, { number: 'x'.repeat(200) })).rejects.toMatchObject({
          about: { service: 'psa', outcome: 'not_applied', next: 'refuse' },
        });
      });

      test.each(unclear)('succeeds after %s', async (_name, action) => {
        await psa.identify();
        await under.driver.fault({ match: under.invoiceWrites, times: 1, action });
        await psa.writeInvoice(48_213, { number: '1042' });
        expect(await under.numberOf(48_213)).toBe('1042');
        expect((await under.driver.journal()).filter(under.isWrite).length).toBeLessThanOrEqual(2);
      });
    });

    describe('reading', () => {
      test.each(unclear)('succeeds after %s', async (_name, action) => {
        const expected = await psa.readInvoices([48_213, 48_214]);
        await under.driver.fault({ match: under.invoiceReads, times: 1, action });
        expect(await psa.readInvoices([48_213, 48_214])).toEqual(expected);
      });

      test.each([
        ['N4 a slow response', { delay_ms: 150 }],
        ['N4 a trickling response', { bytes_per_second: 20_000 }],
        ['N5 429 with seconds', { status: 429, headers: { 'Retry-After': '1' }, body: '' }],
        ['N5 429 with 0', { status: 429, headers: { 'Retry-After': '0' }, body: '' }],
        ['N5 429 with a past date', { status: 429, headers: { 'Retry-After': 'Mon, 03 Mar 2025 14:00:00 GMT' } }],
        ['N6 throttling sent as 500', { status: 500, body: { errors: ['Itgenatr005: thread threshold of 3'] } }],
      ])('succeeds after %s', async (_name, action) => {
        const expected = await psa.readInvoices([48_213]);
        await under.driver.fault({ match: under.invoiceReads, times: 1, action });
        expect(await psa.readInvoices([48_213])).toEqual(expected);
      });

      test('N7 reports an unavailable service after a limited number of attempts', async () => {
        await psa.identify();
        await under.driver.forget();
        await under.driver.fault({ match: under.invoiceReads, action: { status: 503, body: '' } });
        await expect(psa.findInvoices({ voided: false })).rejects.toMatchObject({
          about: { service: 'psa', code: 'PSA_UNAVAILABLE', next: 'try_again', outcome: 'unknown' },
        });
        expect((await under.driver.journal()).filter(under.isSearch).length).toBeLessThanOrEqual(3);
      });

      test('N5 reports a wait of an hour instead of waiting', async () => {
        await psa.identify();
        const action = { status: 429, headers: { 'Retry-After': '3600' }, body: '' };
        await under.driver.fault({ match: under.invoiceReads, action });
        await expect(psa.findInvoices({ voided: false })).rejects.toMatchObject({
          about: { code: 'PSA_LIMIT', next: 'try_again', outcome: 'not_applied', waitMs: 3_600_000 },
        });
      });
    });

    test('A6 stops after two calls when the password was changed', async () => {
      await psa.identify();
      await under.changePassword();
      await under.driver.forget();
      const fresh = under.connect();
      for (const ask of [() => fresh.identify(), () => fresh.readReferenceData(), () => psa.identify()])
        await expect(ask()).rejects.toMatchObject({ about: { code: 'PSA_AUTH', next: 'reconnect' } });
      const refused = (await under.driver.journal()).filter(({ status }) => status === 401);
      // Two by each connector, because the connectors do not share state.
      expect(refused.length).toBeLessThanOrEqual(4);
    });

    describe('queries of screens', () => {
      test("return the PSA's field names", async () => {
        const filter = [{ field: 'companyType', op: 'eq', value: 1 }] as const;
        const named = await psa.query('Companies', {
          filter: [...filter, { field: 'companyName', op: 'contains', value: 'acme' }],
          includeFields: ['id', 'companyName'],
          maxRecords: 100,
        });
        expect(named.items).toMatchObject([{ id: 175, companyName: 'Acme Dental' }]);
        expect(await psa.count('Companies', { filter })).toEqual({ queryCount: expect.any(Number) });
        const active = [{ field: 'isActive', op: 'eq', value: 1 }] as const;
        expect((await psa.query('BillingCodes', { filter: active })).items).not.toEqual([]);
        expect((await psa.query('Currencies', { filter: [] })).items).not.toEqual([]);
        expect(await psa.fieldInfo('ExpenseItems')).toHaveProperty('fields');
      });

      test('with unknown names are never sent', async () => {
        await psa.query('Companies', { filter: [], maxRecords: 1 });
        await under.driver.forget();
        const bad = [
          { field: 'companyName', op: 'resembles', value: 'a' },
          { field: 'nope', op: 'eq', value: 'a' },
          { field: 'assetValue', op: 'eq', value: 1 },
        ];
        for (const condition of bad)
          await expect(psa.query('Companies', { filter: [condition as never] })).rejects.toBeInstanceOf(BadPsaQuery);
        expect(await under.driver.journal()).toEqual([]);
      });
    });

    test("never exceeds the service's limits without faults", async () => {
      await Promise.all([psa.readReferenceData(), psa.readInvoices([48_213]), psa.readCompanies([175])]);
      const journal = await under.driver.journal();
      expect(journal.length).toBeGreaterThan(10);
      expect(journal.filter(({ status }) => status !== 200)).toEqual([]);
    });

    test('logged no secrets', () => {
      expect(under.logged().length).toBeGreaterThan(1_000);
      for (const secret of under.secrets) expect(under.logged()).not.toContain(secret);
    });
  });
}
