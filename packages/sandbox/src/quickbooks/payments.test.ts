import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Doc, docAt, type Json, listAt, shown, textAt } from './doc.ts';
import { type Client, invoiceOf, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('DELETE', 'behaviour');
  northwind = await world.connect();
});
afterAll(() => world.close());

const on = (amount: number, id: Json | undefined, type = 'Invoice'): Doc => ({
  Amount: amount,
  LinkedTxn: [{ TxnId: shown(id), TxnType: type }],
});
const payment = (total: number, ...lines: Doc[]): Doc => ({
  CustomerRef: { value: '58' },
  TxnDate: '2025-03-03',
  TotalAmt: total,
  Line: lines,
});
const invoice = async (amount: number) => (await northwind.write('Invoice', invoiceOf(amount)))['Id'];

describe('payments', () => {
  test("lower the balance, link both ways, raise the invoice's SyncToken, and go to Undeposited Funds", async () => {
    const id = await invoice(1966.25);
    const paid = await northwind.write('Payment', payment(1000, on(1000, id)));
    expect(paid).toMatchObject({
      TotalAmt: 1000,
      UnappliedAmt: 0,
      DepositToAccountRef: { value: '26' },
      ProcessPayment: false,
    });
    expect(docAt(paid, 'DepositToAccountRef')).not.toHaveProperty('name');
    expect(await northwind.read('Invoice', '9177')).toMatchObject({
      Balance: 966.25,
      TotalAmt: 1966.25,
      SyncToken: '1',
      LinkedTxn: [{ TxnId: '9178', TxnType: 'Payment' }],
    });
    await northwind.write('Payment', payment(966.25, on(966.25, id)));
    expect(await northwind.read('Invoice', '9177')).toMatchObject({ Balance: 0, HomeBalance: 0, SyncToken: '2' });
    expect(await northwind.read('Customer', '58')).toMatchObject({ Balance: 420 });
  });

  test('lines have the earlier balance and the paid number', async () => {
    await northwind.write('Payment', payment(10, on(10, await invoice(100))));
    const [line] = listAt(await northwind.read('Payment', '9178'), 'Line');
    const values = listAt(docAt(line, 'LineEx'), 'any').map((entry) => docAt(entry, 'value'));
    expect(values).toEqual([
      { Name: 'txnId', Value: '9177' },
      { Name: 'txnOpenBalance', Value: '100.00' },
      { Name: 'txnReferenceNumber', Value: '1042' },
    ]);
  });

  test("one payment covers several invoices, and the rest is the customer's credit", async () => {
    const [first, second] = [await invoice(1966.25), await invoice(800)];
    const check = await northwind.write('Payment', payment(2600, on(1966.25, first), on(533.75, second)));
    expect(check).toMatchObject({ UnappliedAmt: 100 });
    expect(await northwind.read('Invoice', '9178')).toMatchObject({ Balance: 266.25 });
    expect(await northwind.read('Customer', '58')).toMatchObject({ Balance: 420 + 266.25 - 100 });
  });

  test('a zero payment with two equal lines applies a credit memo', async () => {
    const id = await invoice(420);
    const memo = await northwind.write('CreditMemo', invoiceOf(180));
    await northwind.write('Payment', payment(240, on(420, id), on(180, memo['Id'], 'CreditMemo')));
    expect(await northwind.read('Invoice', '9177')).toMatchObject({ Balance: 0 });
    expect(await northwind.read('CreditMemo', '9178')).toMatchObject({
      Balance: 0,
      RemainingCredit: 0,
      LinkedTxn: [{ TxnType: 'Payment' }],
    });
    expect(
      await northwind.write(
        'Payment',
        payment(0, on(50, '9141'), on(50, (await northwind.write('CreditMemo', invoiceOf(50)))['Id'], 'CreditMemo')),
      ),
    ).toMatchObject({ TotalAmt: 0, UnappliedAmt: 0 });
  });

  test.each([
    [payment(10, on(20, '9141')), /^6000: .*more than the amount of the payment/],
    [payment(500, on(421, '9141')), /^6000: .*open balance/],
    [payment(500, on(210.01, '9141'), on(210, '9141')), /^6000: .*open balance/],
    [payment(5, on(5, '8801')), /^6000: .*somebody else/],
    [payment(5, on(5, '1')), /^610: /],
    [payment(5, on(5, '9152', 'Bill')), /^620: /],
    [payment(-5), /^6000: .*0 or greater/],
    [{ CustomerRef: { value: '58' } }, /^2020: .*TotalAmt/],
    [{ ...payment(5), DepositToAccountRef: { value: '1' } }, /^6430: /],
    [{ ...payment(5), PaymentRefNum: 'x'.repeat(22) }, /^2050: .*Max:21/],
    [{ ...payment(5), TxnDate: '2025-01-01' }, /^6210: /],
  ])('rejects %j without changes', async (body, fault) => {
    const before = await northwind.read('Invoice', '9141');
    expect(await northwind.refusal('Payment', body)).toMatch(fault);
    expect(await northwind.read('Invoice', '9141')).toEqual(before);
  });

  test('a switch reduces a line above the balance to the balance', async () => {
    await world.behave({ payment_over_balance: 'cut' });
    expect(await northwind.write('Payment', payment(500, on(500, '9141')))).toMatchObject({
      UnappliedAmt: 80,
      Line: [{ Amount: 420 }],
    });
  });

  test('voiding and deleting restore the balance', async () => {
    expect(
      await northwind.write('Payment', { Id: '9152', SyncToken: '0', sparse: true }, '?operation=update&include=void'),
    ).toMatchObject({
      TotalAmt: 0,
      UnappliedAmt: 0,
      Line: [],
      PrivateNote: 'Voided',
      SyncToken: '1',
    });
    expect(await northwind.read('Invoice', '9138')).toMatchObject({ Balance: 800, LinkedTxn: [] });
    const again = await northwind.write('Payment', payment(420, on(420, '9141')));
    expect(await northwind.read('Invoice', '9141')).toMatchObject({ Balance: 0 });
    await northwind.post('payment?operation=delete', { Id: again['Id'], SyncToken: '0' });
    expect(await northwind.read('Invoice', '9141')).toMatchObject({ Balance: 420, LinkedTxn: [] });
  });

  test('updating a payment moves it to another invoice', async () => {
    const id = await invoice(100);
    const paid = await northwind.write('Payment', payment(100, on(100, id)));
    await northwind.write('Payment', { Id: paid['Id'], SyncToken: '0', ...payment(100, on(100, '9141')) });
    expect(await northwind.read('Invoice', textAt({ id }, 'id') ?? '')).toMatchObject({ Balance: 100, LinkedTxn: [] });
    expect(await northwind.read('Invoice', '9141')).toMatchObject({ Balance: 320 });
  });

  test('an invoice cannot become lower than its payments', async () => {
    expect(
      await northwind.refusal('Invoice', {
        Id: '9138',
        SyncToken: '1',
        sparse: true,
        Line: [{ DetailType: 'SalesItemLineDetail', Amount: 299, SalesItemLineDetail: { ItemRef: { value: '27' } } }],
      }),
    ).toMatch(/^6000: .*applied/);
  });

  test('a deposited payment cannot be changed, voided, or deleted (6540) until it is removed from the deposit', async () => {
    const deposit = await northwind.write('Deposit', {
      DepositToAccountRef: { value: '35' },
      TxnDate: '2025-03-03',
      Line: [on(300, '9152', 'Payment')],
    });
    expect(deposit).toMatchObject({ TotalAmt: 300 });
    expect(await northwind.read('Payment', '9152')).toMatchObject({
      LinkedTxn: [{ TxnType: 'Deposit', TxnId: deposit['Id'] }],
      SyncToken: '1',
    });
    const body = { Id: '9152', SyncToken: '1', ...payment(300), CustomerRef: { value: '59' } };
    expect(await northwind.refusal('Payment', body)).toMatch(/^6540: This transaction has been deposited\./);
    expect(await northwind.refusal('Payment', { Id: '9152', SyncToken: '1' }, '?operation=delete')).toMatch(/^6540: /);
    expect(
      await northwind.refusal(
        'Payment',
        { Id: '9152', SyncToken: '1', sparse: true },
        '?operation=update&include=void',
      ),
    ).toMatch(/^6540: /);
    expect(
      await northwind.refusal('Deposit', { DepositToAccountRef: { value: '35' }, Line: [on(300, '9152', 'Payment')] }),
    ).toMatch(/^6540: /);
    await northwind.post('deposit?operation=delete', { Id: deposit['Id'], SyncToken: '0' });
    expect(await northwind.refusal('Payment', { Id: '9152', SyncToken: '2' }, '?operation=delete')).toBe('');
  });
});

describe('bill payments', () => {
  const bill = async (amount: number) =>
    (
      await northwind.write('Bill', {
        VendorRef: { value: '90' },
        Line: [
          {
            DetailType: 'AccountBasedExpenseLineDetail',
            Amount: amount,
            AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
          },
        ],
      })
    )['Id'];
  const check = (total: number, ...lines: Doc[]): Doc => ({
    VendorRef: { value: '90' },
    PayType: 'Check',
    CheckPayment: { BankAccountRef: { value: '35' } },
    TotalAmt: total,
    Line: lines,
  });

  test('pay bills by check or card; the bill shows BillPaymentCheck for both', async () => {
    const id = await bill(80);
    await northwind.write('BillPayment', check(50, on(50, id, 'Bill')));
    await northwind.write('BillPayment', {
      ...check(30, on(30, id, 'Bill')),
      PayType: 'CreditCard',
      CreditCardPayment: { CCAccountRef: { value: '41' } },
    });
    expect(await northwind.read('Bill', '9177')).toMatchObject({
      Balance: 0,
      LinkedTxn: [{ TxnType: 'BillPaymentCheck' }, { TxnType: 'BillPaymentCheck' }],
    });
    expect(await northwind.read('Vendor', '90')).toMatchObject({ Balance: 0 });
  });

  test('a paid bill cannot be deleted until its payment is voided', async () => {
    const id = await bill(80);
    await northwind.write('BillPayment', check(80, on(80, id, 'Bill')));
    expect(await northwind.refusal('Bill', { Id: id, SyncToken: '1' }, '?operation=delete')).toMatch(/^6000: .*linked/);
    expect(
      await northwind.write(
        'BillPayment',
        { Id: '9178', SyncToken: '0', sparse: true },
        '?operation=update&include=void',
      ),
    ).toMatchObject({ TotalAmt: 0, Line: [] });
    expect(await northwind.read('Bill', '9177')).toMatchObject({ Balance: 80 });
    expect(await northwind.refusal('Bill', { Id: id, SyncToken: '2' }, '?operation=delete')).toBe('');
  });

  test('need an account to pay from', async () => {
    expect(
      await northwind.refusal('BillPayment', { ...check(1, on(1, await bill(5), 'Bill')), CheckPayment: {} }),
    ).toMatch(/^2020: .*BankAccountRef/);
    expect(
      await northwind.refusal('BillPayment', { ...check(1, on(1, await bill(5), 'Bill')), PayType: 'Cash' }),
    ).toMatch(/^2170: /);
  });
});
