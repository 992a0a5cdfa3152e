/** The pages of “Autotask” that a person opens: invoices, purchase orders, expense reports, companies. */
import type { PageView } from '../kit/definition.ts';
import { html, type Html } from '../kit/html.ts';
import { pageMoney, pageTable, type TableCell } from '../kit/tables.ts';
import type { SandboxRequest } from '../kit/definition.ts';
import { day, lookUp, words } from './rendered-invoice.ts';
import type { Row, Tables } from './table.ts';

const shownRows = 25;

/** The permanent address of a record's page. */
const pageOf = (entity: string, id: number): string => `/__sandbox?entity=${entity}&id=${id}`;

const amount = (value: unknown): TableCell => ({ text: typeof value === 'number' ? pageMoney(value) : '' });
const company = (tables: Tables, id: unknown): TableCell =>
  typeof id === 'number'
    ? { text: lookUp(tables, 'Companies', id, 'companyName'), href: pageOf('Companies', id) }
    : { text: '' };

function latest(
  tables: Tables,
  entity: string,
  dateOf: (row: Row) => string,
): { readonly rows: Row[]; readonly count: number } {
  const all = [...(tables.get(entity)?.all() ?? [])];
  all.sort((a, b) => (dateOf(a) === dateOf(b) ? b.id - a.id : dateOf(a) < dateOf(b) ? 1 : -1));
  return { rows: all.slice(0, shownRows), count: all.length };
}

const more = (entity: string, count: number) =>
  count > shownRows ? { text: `All ${count}`, href: `/__sandbox?entity=${entity}` } : undefined;

function stateOf(invoice: Row): TableCell {
  if (invoice.isVoided === true) return { text: 'Voided', tone: 'bad' };
  if (day(invoice.paidDate) !== '') return { text: `Paid ${day(invoice.paidDate)}`, tone: 'good' };
  return day(invoice.webServiceDate) === '' ? { text: 'Not exported', tone: 'soft' } : { text: 'Exported' };
}

function invoices(tables: Tables): Html {
  const { rows, count } = latest(tables, 'Invoices', (row) => words(row.invoiceDateTime));
  return pageTable({
    title: `Invoices (${count})`,
    columns: [
      { title: 'Date' },
      { title: 'Invoice' },
      { title: 'Number' },
      { title: 'Company' },
      { title: 'Due' },
      { title: 'Tax', isAmount: true },
      { title: 'Total', isAmount: true },
      { title: 'Status' },
    ],
    rows: rows.map((row) => [
      { text: day(row.invoiceDateTime) },
      { text: String(row.id), href: pageOf('Invoices', row.id) },
      { text: words(row.invoiceNumber) },
      company(tables, row.companyID),
      { text: day(row.dueDate) },
      amount(row.totalTaxValue),
      amount(row.invoiceTotal),
      stateOf(row),
    ]),
    none: 'No invoices yet.',
    more: more('Invoices', count),
  });
}

const status = (tables: Tables, entity: string, row: Row): TableCell => {
  const choices = tables.get(entity)?.type.fieldByName.get('status')?.picklist;
  return { text: choices?.find((choice) => choice.value === words(row.status))?.label ?? '' };
};

function orders(tables: Tables): Html {
  const { rows, count } = latest(tables, 'PurchaseOrders', (row) => words(row.createDateTime));
  return pageTable({
    title: `Purchase orders (${count})`,
    columns: [
      { title: 'Date' },
      { title: 'Order' },
      { title: 'Vendor' },
      { title: 'For' },
      { title: 'Total', isAmount: true },
      { title: 'Status' },
      { title: 'In QuickBooks' },
    ],
    rows: rows.map((row) => {
      const items = tables.get('PurchaseOrderItems')?.where('orderID', row.id) ?? [];
      const total = items.reduce(
        (all, item) => all + Number(item.quantity) * Number(item.unitCost),
        Number(row.freight),
      );
      return [
        { text: day(row.createDateTime) },
        { text: words(row.purchaseOrderNumber) || String(row.id), href: pageOf('PurchaseOrders', row.id) },
        company(tables, row.vendorID),
        company(tables, row.purchaseForCompanyID),
        amount(total),
        status(tables, 'PurchaseOrders', row),
        { text: words(row.externalPONumber) },
      ];
    }),
    none: 'No purchase orders yet.',
    more: more('PurchaseOrders', count),
  });
}

function expenses(tables: Tables): Html {
  const { rows, count } = latest(tables, 'ExpenseReports', (row) => words(row.weekEnding));
  return pageTable({
    title: `Expense reports (${count})`,
    columns: [
      { title: 'Week ending' },
      { title: 'Report' },
      { title: 'Submitted by' },
      { title: 'Amount due', isAmount: true },
      { title: 'Status' },
      { title: 'QuickBooks reference' },
    ],
    rows: rows.map((row) => [
      { text: day(row.weekEnding) },
      { text: words(row.name) || String(row.id), href: pageOf('ExpenseReports', row.id) },
      {
        text: ['firstName', 'lastName']
          .map((field) => lookUp(tables, 'Resources', row.submitterID, field))
          .join(' ')
          .trim(),
      },
      amount(row.amountDue),
      status(tables, 'ExpenseReports', row),
      { text: words(row.quickBooksReferenceNumber) },
    ]),
    none: 'No expense reports yet.',
    more: more('ExpenseReports', count),
  });
}

function companies(tables: Tables): Html {
  const all = [...(tables.get('Companies')?.all() ?? [])].filter(({ id }) => id !== 0);
  return pageTable({
    title: `Companies (${all.length})`,
    columns: [{ title: 'Name' }, { title: 'Kind' }, { title: 'City' }, { title: 'Currency' }, { title: 'Tax' }],
    rows: all.slice(0, shownRows).map((row) => {
      const choices = tables.get('Companies')?.type.fieldByName.get('companytype')?.picklist;
      return [
        { text: words(row.companyName), href: pageOf('Companies', row.id) },
        { text: choices?.find((choice) => choice.value === words(row.companyType))?.label ?? '' },
        {
          text: [row.city, row.state]
            .map((part) => words(part))
            .filter(Boolean)
            .join(', '),
        },
        { text: lookUp(tables, 'Currencies', row.currencyID, 'name') },
        row.isTaxExempt === true
          ? { text: 'Exempt', tone: 'soft' }
          : { text: lookUp(tables, 'TaxRegions', row.taxRegionID, 'name') },
      ];
    }),
    none: 'No companies.',
    more: more('Companies', all.length),
  });
}

/** Returns the start page of the sandbox and its other views. */
export function autotaskViews(tablesFor: (request: SandboxRequest) => Tables): PageView[] {
  return [
    {
      key: 'documents',
      title: 'Documents',
      render(request) {
        const tables = tablesFor(request);
        return html`${invoices(tables)}${orders(tables)}${expenses(tables)}${companies(tables)}`;
      },
    },
  ];
}
