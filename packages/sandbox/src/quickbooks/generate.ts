import { shipFrom } from './addresses.ts';
import { createRandom, type Random } from '../kit/random.ts';
import { cents, Exact, toNumber } from './amounts.ts';
import { type Company, currencyRef } from './company.ts';
import { type Doc, type Json, refAt, textAt } from './doc.ts';
import { kindOf } from './entities.ts';
import { vendorAddress } from './rules-purchases.ts';

import type { Entry } from './table.ts';
import { addDays, parseInstant } from './times.ts';

/** How much data to generate. */
export interface Amounts {
  readonly companies: number;
  readonly invoices: number;
  readonly linesPerInvoice: number;
  readonly purchaseOrders: number;
  readonly expenseReports: number;
}

const firstWords = [
  'Amber',
  'Blue',
  'Cypress',
  'Dune',
  'Echo',
  'Fern',
  'Granite',
  'Harbor',
  'Iris',
  'Jade',
  'Kite',
  'Lark',
  'Maple',
  'North',
  'Oak',
  'Pine',
];
const secondWords = [
  'Clinic',
  'Dental',
  'Foods',
  'Freight',
  'Legal',
  'Motors',
  'Studio',
  'Supply',
  'Tools',
  'Travel',
  'Works',
  'Yoga',
];
const tasks = [
  'Remote session',
  'Workstation rollout',
  'Backup check',
  'Printer repair',
  'Mailbox migration',
  'Firewall rule',
];

function addCustomers(company: Company, random: Random, count: number): string[] {
  const kind = kindOf('Customer');
  const ids: string[] = [];
  const currency = currencyRef(company.preferences.homeCurrency);
  const { defaultTaxCode } = company.preferences;
  for (let n = 1; n <= count; n += 1) {
    const name = `${random.pick(firstWords)} ${random.pick(secondWords)} ${n}`;
    const id = company.newId(kind);
    company.add(kind, id, {
      Taxable: true,
      Job: false,
      BillWithParent: false,
      CurrencyRef: currency,
      PreferredDeliveryMethod: 'Print',
      IsProject: false,
      FullyQualifiedName: name,
      DisplayName: name,
      PrintOnCheckName: name,
      Active: true,
      PrimaryEmailAddr: { Address: `ap@customer-${n}.example` },
      ...(defaultTaxCode === undefined ? {} : { DefaultTaxCodeRef: { value: defaultTaxCode } }),
    });
    ids.push(id);
  }
  return ids;
}

/** References shared by thousands of lines; bodies are never changed in place. */
class Shared {
  readonly #known = new Map<string, Doc>();
  ref(value: string): Doc {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const made: Doc = { value };
    this.#known.set(value, made);
    return made;
  }
}

const noJson: Json[] = [];

/** Adds invoices as the service would store them, untaxed, without running the rules. */
function addInvoices(
  company: Company,
  random: Random,
  customers: readonly string[],
  items: readonly Entry[],
  amounts: Amounts,
  day: (ago: number) => string,
): void {
  const kind = kindOf('Invoice');
  const shared = new Shared();
  const currency = currencyRef(company.preferences.homeCurrency);
  const definitions = company.preferences.salesCustomFields.map(({ id, name }): Doc => ({
    DefinitionId: id,
    Name: name,
    Type: 'StringType',
  }));
  const isMulti = company.preferences.isMultiCurrency;
  const from = shipFrom(company, { ShipFromAddr: { Id: '1' } });
  let number = company.numbers.get('sales') ?? 1000;
  for (let n = 0; n < amounts.invoices; n += 1) {
    let total: Exact = new Exact(0);
    const lines: Json[] = [];
    for (let at = 1; at <= amounts.linesPerInvoice; at += 1) {
      const item = random.pick(items);
      const quantity = random.whole(1, 40) / 4;
      const price = random.whole(20, 400) / 2;
      const amount = cents(new Exact(quantity).times(price));
      total = total.plus(amount);
      lines.push({
        Id: String(at),
        LineNum: at,
        Description: random.pick(tasks),
        Amount: toNumber(amount),
        DetailType: 'SalesItemLineDetail',
        SalesItemLineDetail: {
          ItemRef: shared.ref(item.id),
          UnitPrice: price,
          Qty: quantity,
          ItemAccountRef: shared.ref(refAt(item.body, 'IncomeAccountRef') ?? '1'),
          TaxCodeRef: shared.ref('NON'),
        },
        CustomExtensions: noJson,
      });
    }
    const value = toNumber(total);
    lines.push({ Amount: value, DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} });
    const date = day(random.whole(1, 27));
    number += 1;
    const body: Doc = {
      AllowIPNPayment: false,
      AllowOnlinePayment: false,
      AllowOnlineCreditCardPayment: true,
      AllowOnlineACHPayment: true,
      CustomField: definitions,
      DocNumber: String(number),
      TxnDate: date,
      CurrencyRef: currency,
      LinkedTxn: noJson,
      Line: lines,
      TxnTaxDetail: { TotalTax: 0 },
      CustomerRef: shared.ref(random.pick(customers)),
      FreeFormAddress: true,
      ...from,
      SalesTermRef: shared.ref('3'),
      DueDate: addDays(date, 30),
      TotalAmt: value,
      ApplyTaxAfterDiscount: false,
      PrintStatus: 'NeedToPrint',
      EmailStatus: 'NotSet',
      Balance: value,
    };
    if (isMulti) Object.assign(body, { ExchangeRate: 1, HomeTotalAmt: value, HomeBalance: value });
    company.add(kind, company.newId(kind), body, { at: parseInstant(`${date}T12:00:00`) ?? 0 });
  }
  company.numbers.set('sales', number);
}

function addPurchases(
  company: Company,
  random: Random,
  entity: 'PurchaseOrder' | 'Bill',
  count: number,
  day: (ago: number) => string,
): void {
  const kind = kindOf(entity);
  const vendors = company
    .table('Vendor')
    .byId()
    .map(({ id }) => id);
  if (vendors.length === 0) return;
  const currency = currencyRef(company.preferences.homeCurrency);
  const isMulti = company.preferences.isMultiCurrency;
  const fields = company.preferences.purchaseCustomFields.map(({ id, name }): Doc => ({
    DefinitionId: id,
    Name: name,
    Type: 'StringType',
  }));
  let number = company.numbers.get('purchase order') ?? 1000;
  for (let n = 0; n < count; n += 1) {
    const amount = random.whole(500, 90_000) / 100;
    const date = day(random.whole(1, 27));
    const vendor = random.pick(vendors);
    const body: Doc = {
      TxnDate: date,
      CurrencyRef: currency,
      LinkedTxn: noJson,
      Line: [
        {
          Id: '1',
          LineNum: 1,
          Description: random.pick(tasks),
          Amount: amount,
          ...(entity === 'Bill' ? { LinkedTxn: noJson } : {}),
          DetailType: 'AccountBasedExpenseLineDetail',
          AccountBasedExpenseLineDetail: {
            BillableStatus: 'NotBillable',
            AccountRef: { value: '12' },
            TaxCodeRef: { value: 'NON' },
          },
          CustomExtensions: noJson,
        },
      ],
      VendorRef: { value: vendor },
      ...vendorAddress(company, entity, company.find('Vendor', vendor)),
      APAccountRef: { value: '20' },
      TotalAmt: amount,
    };
    if (isMulti) body['ExchangeRate'] = 1;
    if (isMulti && entity === 'Bill') body['HomeBalance'] = amount;
    if (entity === 'Bill') Object.assign(body, { DueDate: date, Balance: amount, DocNumber: `B-${n + 1}` });
    else
      Object.assign(body, {
        EmailStatus: 'NotSet',
        POStatus: 'Open',
        CustomField: fields,
        DocNumber: String((number += 1)),
      });
    company.add(kind, company.newId(kind), body, { at: parseInstant(`${date}T12:00:00`) ?? 0 });
  }
  if (entity === 'PurchaseOrder') company.numbers.set('purchase order', number);
}

/**
 * Adds generated data to a company; the same seed gives the same data.
 *
 * @param today calendar date of the sandbox; documents are dated in the four weeks before
 */
export function generate(company: Company, seed: number, today: string, amounts: Amounts): void {
  const random = createRandom(seed);
  const day = (ago: number) => addDays(today, -ago);
  const made = addCustomers(company, random, amounts.companies);
  const isActive = (entry: Entry) => entry.body['Active'] !== false;
  const home = company.preferences.homeCurrency;
  const known = [...company.table('Customer').byId()].filter(
    (entry) => isActive(entry) && refAt(entry.body, 'CurrencyRef') === home,
  );
  const customers = made.length > 0 ? made : known.map(({ id }) => id);
  const items = company
    .table('Item')
    .byId()
    .filter(
      (entry) =>
        isActive(entry) &&
        textAt(entry.body, 'Type') !== 'Group' &&
        refAt(entry.body, 'IncomeAccountRef') !== undefined,
    );
  if (customers.length > 0 && items.length > 0) addInvoices(company, random, customers, items, amounts, day);
  addPurchases(company, random, 'PurchaseOrder', amounts.purchaseOrders, day);
  addPurchases(company, random, 'Bill', amounts.expenseReports, day);
}
