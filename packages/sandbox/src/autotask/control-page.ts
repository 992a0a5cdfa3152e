/** Autotask's records on the sandbox's own web page. */
import type { ControlHooks } from '../kit/definition.ts';
import { html, type Html } from '../kit/html.ts';
import type { SandboxRequest } from '../kit/definition.ts';
import { day, renderInvoice, lookUp, money, words } from './rendered-invoice.ts';
import type { Row, Tables } from './table.ts';
import { autotaskViews } from './views.ts';

const columns: Readonly<Record<string, readonly string[]>> = {
  Invoices: [
    'id',
    'invoiceNumber',
    'companyID',
    'invoiceDateTime',
    'createDateTime',
    'invoiceTotal',
    'totalTaxValue',
    'isVoided',
    'webServiceDate',
    'paidDate',
  ],
  BillingItems: [
    'id',
    'invoiceID',
    'itemName',
    'quantity',
    'rate',
    'extendedPrice',
    'totalAmount',
    'taxDollars',
    'billingCodeID',
  ],
  Companies: ['id', 'companyName', 'companyType', 'city', 'state', 'currencyID', 'isTaxExempt', 'isActive'],
  PurchaseOrders: [
    'id',
    'purchaseOrderNumber',
    'externalPONumber',
    'vendorID',
    'purchaseForCompanyID',
    'status',
    'createDateTime',
    'freight',
  ],
  ExpenseReports: [
    'id',
    'name',
    'submitterID',
    'status',
    'submitDate',
    'internalCurrencyExpenseTotal',
    'amountDue',
    'quickBooksReferenceNumber',
  ],
};

const statusLabel = (tables: Tables, entity: string, row: Row): string => {
  const choices = tables.get(entity)?.type.fieldByName.get('status')?.picklist;
  return choices?.find((choice) => choice.value === words(row.status))?.label ?? '';
};

function renderOrder(tables: Tables, order: Row): Html {
  const items = tables.get('PurchaseOrderItems')?.where('orderID', order.id) ?? [];
  const amountOf = (item: Row): number => Number(item.quantity) * Number(item.unitCost);
  const total = items.reduce((sum, item) => sum + amountOf(item), Number(order.freight));
  return html`<h2>Purchase order ${words(order.purchaseOrderNumber)}</h2>
    <dl>
      <dt>Vendor</dt>
      <dd>${lookUp(tables, 'Companies', order.vendorID, 'companyName')}</dd>
      <dt>For</dt>
      <dd>${lookUp(tables, 'Companies', order.purchaseForCompanyID, 'companyName') || 'stock'}</dd>
      <dt>Status</dt>
      <dd>${statusLabel(tables, 'PurchaseOrders', order)}</dd>
      <dt>External number</dt>
      <dd>${words(order.externalPONumber) || 'none'}</dd>
      <dt>Ship to</dt>
      <dd>
        ${words(order.shipToName)}, ${words(order.shipToAddress1)}, ${words(order.shipToCity)}
        ${words(order.shipToState)} ${words(order.shipToPostalCode)}
      </dd>
    </dl>
    <table>
      <thead>
        <tr>
          <th>Product</th>
          <th>Memo</th>
          <th class="n">Quantity</th>
          <th class="n">Unit cost</th>
          <th class="n">Cost</th>
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item) =>
            html`<tr>
              <td>${lookUp(tables, 'Products', item.productID, 'name')}</td>
              <td>${words(item.memo)}</td>
              <td class="n">${words(item.quantity)}</td>
              <td class="n">${money(item.unitCost)}</td>
              <td class="n">${money(amountOf(item))}</td>
            </tr>`,
        )}
        <tr>
          <td colspan="4" class="n">Freight</td>
          <td class="n">${money(order.freight)}</td>
        </tr>
        <tr class="total">
          <td colspan="4" class="n">Total</td>
          <td class="n">${money(total)}</td>
        </tr>
      </tbody>
    </table>`;
}

function renderReport(tables: Tables, report: Row): Html {
  const items = tables.get('ExpenseItems')?.where('expenseReportID', report.id) ?? [];
  return html`<h2>Expense report ${report.id}: ${words(report.name)}</h2>
    <dl>
      <dt>Submitted by</dt>
      <dd>
        ${lookUp(tables, 'Resources', report.submitterID, 'firstName')}
        ${lookUp(tables, 'Resources', report.submitterID, 'lastName')}
      </dd>
      <dt>Week ending</dt>
      <dd>${day(report.weekEnding)}</dd>
      <dt>Status</dt>
      <dd>${statusLabel(tables, 'ExpenseReports', report)}</dd>
      <dt>QuickBooks reference</dt>
      <dd>${words(report.quickBooksReferenceNumber) || 'none'}</dd>
    </dl>
    <table>
      <thead>
        <tr>
          <th>Date</th>
          <th>Category</th>
          <th>Description</th>
          <th>Billable to</th>
          <th class="n">Amount</th>
          <th class="n">Repaid</th>
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item) =>
            html`<tr>
              <td>${day(item.expenseDate)}</td>
              <td>${lookUp(tables, 'BillingCodes', item.expenseCategory, 'name')}</td>
              <td>${words(item.description)}</td>
              <td>
                ${item.isBillableToCompany === true && lookUp(tables, 'Companies', item.companyID, 'companyName')}
              </td>
              <td class="n">${money(item.internalCurrencyExpenseAmount)}</td>
              <td class="n">${money(item.internalCurrencyReimbursementAmount)}</td>
            </tr>`,
        )}
        <tr>
          <td colspan="5" class="n">Cash advance</td>
          <td class="n">${money(report.internalCurrencyCashAdvanceAmount)}</td>
        </tr>
        <tr class="total">
          <td colspan="5" class="n">Amount due</td>
          <td class="n">${money(report.amountDue)}</td>
        </tr>
      </tbody>
    </table>`;
}

function renderRecord(tables: Tables, entity: string, row: Row): Html | undefined {
  if (entity === 'Invoices') return renderInvoice(tables, row);
  if (entity === 'PurchaseOrders') return renderOrder(tables, row);
  return entity === 'ExpenseReports' ? renderReport(tables, row) : undefined;
}

/** Returns the page hooks over the current tables. */
export function controlPageHooks(tablesFor: (request: SandboxRequest) => Tables): ControlHooks['page'] {
  return {
    columns: (entity) => columns[entity],
    views: autotaskViews(tablesFor),
    document(entity, id, request) {
      const tables = tablesFor(request);
      const row = tables.get(entity)?.get(Number(id));
      const rendered = row === undefined ? undefined : renderRecord(tables, entity, row);
      return rendered === undefined ? undefined : html`<section class="rendered">${rendered}</section>`;
    },
    faults: [
      { label: 'Refuse the next 5 calls (503)', rule: { times: 5, action: { status: 503, body: '' } } },
      {
        label: 'Thread limit, next 3 calls',
        rule: {
          times: 3,
          action: {
            status: 500,
            body: { errors: ['Itgenatr005: The thread threshold of 3 threads for this object endpoint was exceeded.'] },
          },
        },
      },
      {
        label: 'Lose the answer of the next write',
        rule: { match: { method: 'PATCH' }, times: 1, action: { reset: 'after' } },
      },
      {
        label: 'Cut the next write before it counts',
        rule: { match: { method: 'PATCH' }, times: 1, action: { reset: 'before' } },
      },
      { label: 'Slow by 5 s, next 10 calls', rule: { times: 10, action: { delay_ms: 5000 } } },
      { label: 'Cut off the next answer', rule: { times: 1, action: { truncate: 200 } } },
    ],
  };
}
