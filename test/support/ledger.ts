import { assert } from '#core/values/assert.ts';
import type { JsonObject } from '#core/values/json.ts';
import { revenueAccountOf, sourceOf, type Business } from './business.ts';
import { centsOf, shownCents, Sums } from './cents.ts';

/** All amounts so far according to one service. Both must agree. */
export interface Ledger {
  /** Number and total of each invoice and credit memo, by source. */
  readonly documents: Record<string, string>;
  readonly billedByCustomer: Record<string, string>;
  readonly revenueByAccount: Record<string, string>;
  readonly tax: Record<string, string>;
  readonly receivedByCustomer: Record<string, string>;
  readonly openByCustomer: Record<string, string>;
  /** Paid date of each paid invoice. */
  readonly paidOn: Record<string, string>;
  readonly orders: Record<string, string>;
  readonly reports: Record<string, string>;
  readonly costByAccount: Record<string, string>;
  readonly customers: readonly string[];
}

/** Mapped accounts of the expense categories. */
const costAccounts: Readonly<Record<string, string>> = {
  '41 billable': 'Billable Travel',
  '42': 'Meals',
  '43': 'Auto',
};
const employees: Readonly<Record<number, string>> = { 21: 'v-Decker, Betty', 22: "v-O'Brien, John", 23: 'v-Jacobsen' };
const currencyOfCompany = (id: unknown): string => (id === 177 ? 'CAD' : 'USD');

/**
 * Calculates the ledger from Autotask and the bank.
 *
 * @param unposted invoices that wait for a user, for example in a closed period.
 */
export async function ledgerOfPsa(business: Business, unposted: ReadonlySet<number> = new Set()): Promise<Ledger> {
  const { autotask } = business.world;
  const [invoices, items, orders, orderItems, reports, expenses] = await Promise.all(
    ['Invoices', 'BillingItems', 'PurchaseOrders', 'PurchaseOrderItems', 'ExpenseReports', 'ExpenseItems'].map(
      (entity) => autotask.list(entity),
    ),
  );
  const [billed, revenue, tax, received, open, cost] = [sums(), sums(), sums(), sums(), sums(), sums()];
  const documents = new Map<string, string>();
  const paidOn = new Map<string, string>();
  const linesOf = Map.groupBy(items ?? [], (item) => item['invoiceID']);
  for (const invoice of invoices ?? []) {
    const id = Number(invoice['id']);
    const total = centsOf(invoice['invoiceTotal']);
    const lines = linesOf.get(id) ?? [];
    const isEmpty = total === 0 && lines.every((line) => centsOf(line['totalAmount']) === 0);
    if (invoice['isVoided'] === true || unposted.has(id) || isEmpty) continue;
    const currency = currencyOfCompany(invoice['companyID']);
    const customer = `${business.customers.get(Number(invoice['companyID']))} ${currency}`;
    documents.set(`invoice ${id}`, `${text(invoice['invoiceNumber'])} ${shownCents(total)}`);
    billed.add(customer, total);
    open.add(customer, total);
    tax.add(currency, centsOf(invoice['totalTaxValue']));
    for (const line of lines)
      revenue.add(`${revenueAccountOf(line['billingCodeID'])} ${currency}`, centsOf(line['totalAmount']));
    const paid = invoice['paidDate'];
    if (typeof paid === 'string') paidOn.set(`invoice ${id}`, paid.slice(0, 10));
  }
  for (const [companyId, cents] of business.received) {
    const customer = `${business.customers.get(companyId)} ${currencyOfCompany(companyId)}`;
    received.add(customer, cents);
    open.add(customer, -cents);
  }
  const orderLines = Map.groupBy(orderItems ?? [], (item) => item['orderID']);
  const reportItems = Map.groupBy(expenses ?? [], (item) => item['expenseReportID']);
  for (const report of reports ?? [])
    for (const item of reportItems.get(report['id']) ?? []) {
      if (item['isReimbursable'] !== true) continue;
      const key = `${Number(item['expenseCategory'])}${item['isBillableToCompany'] === true ? ' billable' : ''}`;
      cost.add(costAccounts[key] ?? 'nowhere', centsOf(item['internalCurrencyReimbursementAmount']));
    }
  for (const report of reports ?? [])
    cost.add('Employee Advances', -centsOf(report['internalCurrencyCashAdvanceAmount']));
  return {
    documents: sorted(documents),
    billedByCustomer: billed.shown(),
    revenueByAccount: revenue.shown(),
    tax: tax.shown(),
    receivedByCustomer: received.shown(),
    openByCustomer: open.shown(),
    paidOn: sorted(paidOn),
    orders: sorted(
      new Map(
        (orders ?? []).map((order) => {
          const lines = (orderLines.get(order['id']) ?? []).map((line) =>
            centsOf(Number((Number(line['quantity']) * Number(line['unitCost'])).toFixed(5))),
          );
          const total = [...lines, centsOf(order['freight'])].reduce((sum, cents) => sum + cents, 0);
          return [`purchase order ${Number(order['id'])}`, `${text(order['externalPONumber'])} ${shownCents(total)}`];
        }),
      ),
    ),
    reports: sorted(
      new Map(
        (reports ?? []).map((report) => [
          `expense report ${Number(report['id'])}`,
          `${text(report['quickBooksReferenceNumber'])} ${employees[Number(report['submitterID'])]} ${shownCents(centsOf(report['amountDue']))}`,
        ]),
      ),
    ),
    costByAccount: cost.shown(),
    customers: [...business.customers.values()].map(withoutColon).sort(),
  };
}

/**
 * Calculates the ledger from QuickBooks, without older records. Also checks that each total is the sum of its lines and
 * tax.
 */
export async function ledgerOfAccounting(business: Business): Promise<Ledger> {
  const [billed, revenue, tax, received, open, cost] = [sums(), sums(), sums(), sums(), sums(), sums()];
  const news = async (entity: string) => {
    const before = business.before.get(entity) ?? new Set();
    return (await business.world.quickbooks.list(entity)).filter((row) => !before.has(row['Id']));
  };
  const [invoices, memos, payments, orders, bills, customers, items, accounts] = await Promise.all([
    news('Invoice'),
    news('CreditMemo'),
    news('Payment'),
    news('PurchaseOrder'),
    news('Bill'),
    business.world.quickbooks.list('Customer'),
    business.world.quickbooks.list('Item'),
    business.world.quickbooks.list('Account'),
  ]);
  const nameOf = new Map(accounts.map((row) => [row['Id'], text(row['Name'])]));
  const accountOfItem = new Map(items.map((row) => [row['Id'], nameOf.get(idIn(row, 'IncomeAccountRef')) ?? 'none']));
  const customerNames = new Map(
    customers.map((row) => [
      row['Id'],
      business.namesInAccounting.get(idOf(row)) ?? [...business.customers.values()].find((name) => isNamed(row, name)),
    ]),
  );
  const customerOf = (row: JsonObject) =>
    `${customerNames.get(idIn(row, 'CustomerRef')) ?? 'nobody'} ${idIn(row, 'CurrencyRef')}`;
  const documents = new Map<string, string>();
  const paidOn = new Map<string, string>();
  const dates = new Map<string, string>();
  for (const [type, rows] of [
    ['Payment', payments],
    ['CreditMemo', memos],
  ] as const)
    for (const row of rows) dates.set(`${type} ${idOf(row)}`, text(row['TxnDate']));

  const appliedOn = new Map<string, string[]>();
  for (const row of payments)
    for (const line of linesIn(row))
      for (const link of (line['LinkedTxn'] as unknown as JsonObject[] | undefined) ?? [])
        if (link['TxnType'] === 'CreditMemo')
          appliedOn.set(text(link['TxnId']), [...(appliedOn.get(text(link['TxnId'])) ?? []), text(row['TxnDate'])]);

  for (const [sign, rows] of [
    [1, invoices],
    [-1, memos],
  ] as const)
    for (const row of rows) {
      const total = sign * centsOf(row['TotalAmt']);
      const currency = idIn(row, 'CurrencyRef');
      let inside = sign * centsOf((row['TxnTaxDetail'] as JsonObject | undefined)?.['TotalTax'] ?? 0);
      tax.add(currency, inside);
      for (const line of linesIn(row)) {
        const detail = line['SalesItemLineDetail'] as JsonObject | undefined;
        if (detail === undefined) continue;
        const amount = sign * centsOf(line['Amount']);
        inside += amount;
        revenue.add(`${accountOfItem.get(idIn(detail, 'ItemRef'))} ${currency}`, amount);
      }
      assert(inside === total, `document ${idOf(row)} has lines of ${inside} cents but a total of ${total}`);
      billed.add(customerOf(row), total);
      open.add(customerOf(row), sign * centsOf(row['Balance']));
      const source = sourceOf(row);
      assert(source !== null, `document ${idOf(row)} has no source`);
      if (total === 0) continue;
      assert(!documents.has(source), `${source} exists twice in QuickBooks`);
      documents.set(source, `${text(row['DocNumber'])} ${shownCents(total)}`);
      if (sign === 1 && centsOf(row['Balance']) === 0) {
        const links = (row['LinkedTxn'] as unknown as JsonObject[] | undefined) ?? [];
        const days = links.map((link) => dates.get(`${text(link['TxnType'])} ${text(link['TxnId'])}`) ?? '');
        paidOn.set(source, days.sort().at(-1) ?? 'by nothing');
      }
      // A used credit closes its negative invoice on the date of the payment that applies it.
      const uses = sign === -1 && centsOf(row['RemainingCredit']) === 0 ? (appliedOn.get(idOf(row)) ?? []) : [];
      const usedOn = uses.toSorted().at(-1);
      if (usedOn !== undefined) paidOn.set(source, usedOn);
    }
  for (const row of payments) {
    received.add(customerOf(row), centsOf(row['TotalAmt']));
    open.add(customerOf(row), -centsOf(row['UnappliedAmt'] ?? 0));
  }
  for (const row of bills)
    for (const line of linesIn(row)) {
      const detail = line['AccountBasedExpenseLineDetail'] as JsonObject | undefined;
      if (detail !== undefined) cost.add(nameOf.get(idIn(detail, 'AccountRef')) ?? 'nowhere', centsOf(line['Amount']));
    }
  return {
    documents: sorted(documents),
    billedByCustomer: billed.shown(),
    revenueByAccount: revenue.shown(),
    tax: tax.shown(),
    receivedByCustomer: received.shown(),
    openByCustomer: open.shown(),
    paidOn: sorted(paidOn),
    orders: once(orders, (row) => `${text(row['DocNumber'])} ${shownCents(centsOf(row['TotalAmt']))}`),
    reports: once(
      bills,
      (row) => `${idOf(row)} ${text((row['VendorRef'] as JsonObject)['name'])} ${shownCents(centsOf(row['TotalAmt']))}`,
    ),
    costByAccount: cost.shown(),
    customers: customers
      .filter((row) => business.before.get('Customer')?.has(row['Id']) !== true || customerNames.get(row['Id']))
      .map((row) => withoutColon(customerNames.get(row['Id']) ?? `unknown ${text(row['DisplayName'])}`))
      .sort(),
  };
}

/**
 * Returns rows by source.
 *
 * @throws Error when a source has two rows.
 */
function once(rows: readonly JsonObject[], shown: (row: JsonObject) => string): Record<string, string> {
  const found = new Map<string, string>();
  for (const row of rows) {
    const source = sourceOf(row) ?? `row ${idOf(row)}`;
    assert(!found.has(source), `${source} exists twice in QuickBooks`);
    found.set(source, shown(row));
  }
  return sorted(found);
}

const sums = (): Sums => new Sums();
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const idOf = (row: JsonObject): string => text(row['Id']);
const idIn = (row: JsonObject, member: string): string => text((row[member] as JsonObject | undefined)?.['value']);
const linesIn = (row: JsonObject): readonly JsonObject[] => (row['Line'] as unknown as JsonObject[] | undefined) ?? [];
/** Display names in QuickBooks cannot contain a colon. */
const withoutColon = (name: string): string => name.replaceAll(':', ' ').replaceAll(/\s+/g, ' ');
const isNamed = (row: JsonObject, name: string): boolean =>
  [row['CompanyName'], row['DisplayName']].some(
    (one) => typeof one === 'string' && withoutColon(one) === withoutColon(name),
  );
const sorted = (map: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
