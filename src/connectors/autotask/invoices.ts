import type { Invoice, InvoiceHead } from '#core/documents/invoice.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { InvoiceChange, InvoiceSearch } from '#core/ports/psa.ts';
import { addDays, type CalendarDate } from '#core/values/dates.ts';
import type { AutotaskApi } from './api.ts';
import type { Fields } from './fields.ts';
import { queryAll, queryIn, type Condition, type Filter } from './query.ts';
import { orEmpty } from './reference-data.ts';
import { toBillingLabels, toInvoice, toInvoiceHead, toInvoiceLine } from './translate.ts';
import { atBillingItem, atCharge, atInvoice, readRows } from './wire.ts';

interface Sources {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  readonly fields: (entity: string) => Promise<Fields>;
  /** IANA name of the time zone in which the PSA dates its documents. */
  readonly timeZone: string;
}

/** Returns the heads of the invoices that one of the searches wants; the ids of the first search apply to all. */
export async function findInvoices(
  { api, timeZone }: Sources,
  searches: readonly InvoiceSearch[],
): Promise<InvoiceHead[]> {
  const query = { operation: 'find invoices', filter: anyFilter(searches) };
  const ids = searches[0]?.ids;
  const rows =
    ids === undefined ? await queryAll(api, 'Invoices', query) : await queryIn(api, 'Invoices', 'id', ids, query);
  return readRows(query.operation, atInvoice, rows).map((row) => toInvoiceHead(row, timeZone));
}

/** Returns products by charge: charges reference the product sold, and billing items reference only the charge. */
async function productsByCharge(
  sources: Sources,
  entity: string,
  chargeIds: readonly (number | null)[],
): Promise<Map<number, number>> {
  const ids = chargeIds.filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const operation = `read ${entity}`;
  const columns = { operation, filter: [], fields: ['id', 'productID'] };
  const rows = await orEmpty(sources, entity, () => queryIn(sources.api, entity, 'id', ids, columns));
  return new Map(
    readRows(operation, atCharge, rows).flatMap(({ id, productID }) => (productID === null ? [] : [[id, productID]])),
  );
}

/** Returns invoices with their lines. */
export async function readInvoices(sources: Sources, ids: readonly number[]): Promise<Invoice[]> {
  if (ids.length === 0) return [];
  const { api, fields, timeZone } = sources;
  const operation = 'read invoices';
  const [heads, items, billingFields] = await inParallel([
    queryIn(api, 'Invoices', 'id', ids, { operation, filter: [] }),
    queryIn(api, 'BillingItems', 'invoiceID', ids, { operation: 'read invoice lines', filter: [] }),
    fields('BillingItems'),
  ]);
  const wire = readRows('read invoice lines', atBillingItem, items);
  const labels = toBillingLabels(billingFields.list);
  const [ticket, project, contract] = await inParallel([
    productsByCharge(
      sources,
      'TicketCharges',
      wire.map((item) => item.ticketChargeID),
    ),
    productsByCharge(
      sources,
      'ProjectCharges',
      wire.map((item) => item.projectChargeID),
    ),
    productsByCharge(
      sources,
      'ContractCharges',
      wire.map((item) => item.contractChargeID),
    ),
  ]);
  const lines = Map.groupBy(wire, (item) => item.invoiceID);
  return readRows(operation, atInvoice, heads).map((head) => {
    const own = lines.get(head.id) ?? [];
    const translated = own.map((item) => toInvoiceLine(item, labels, { ticket, project, contract }, timeZone));
    return toInvoice(head, translated, timeZone);
  });
}

/** Lines that are only read for their contract need no products. */
const noProducts = { ticket: new Map(), project: new Map(), contract: new Map() };

/** Returns the invoices of contracts, with the lines of these contracts only. */
export async function readContractInvoices(
  { api, fields, timeZone }: Sources,
  contractIds: readonly number[],
): Promise<Invoice[]> {
  if (contractIds.length === 0) return [];
  const operation = 'read invoices of contracts';
  const filter = [{ op: 'gt', field: 'invoiceID', value: 0 }];
  const [items, billingFields] = await inParallel([
    queryIn(api, 'BillingItems', 'contractID', contractIds, { operation, filter }),
    fields('BillingItems'),
  ]);
  const labels = toBillingLabels(billingFields.list);
  const lines = Map.groupBy(readRows(operation, atBillingItem, items), (item) => item.invoiceID);
  const heads =
    lines.size === 0
      ? []
      : await queryIn(api, 'Invoices', 'id', [...lines.keys()], {
          operation,
          filter: searchFilter({ voided: false }),
        });
  return readRows(operation, atInvoice, heads).map((head) => {
    const own = lines.get(head.id) ?? [];
    const translated = own.map((item) => toInvoiceLine(item, labels, noProducts, timeZone));
    return toInvoice(head, translated, timeZone);
  });
}

/** Returns a filter that matches every row that one of the searches wants. */
function anyFilter(searches: readonly InvoiceSearch[]): readonly Filter[] {
  const filters = searches.map(searchFilter);
  const [only] = filters;
  if (filters.length === 1 && only !== undefined) return only;
  return [{ op: 'or', items: filters.map((items) => ({ op: 'and', items })) }];
}

function searchFilter(search: InvoiceSearch): Filter[] {
  return [
    ...(search.voided === undefined ? [] : [{ op: search.voided ? 'eq' : 'noteq', field: 'isVoided', value: true }]),
    ...(search.createdFrom === undefined ? [] : [{ op: 'gte', field: 'createDateTime', value: search.createdFrom }]),
    ...(search.voidedFrom === undefined ? [] : [{ op: 'gte', field: 'voidedDate', value: search.voidedFrom }]),
    ...(search.paidFrom === undefined
      ? []
      : [{ op: 'gte', field: 'paidDate', value: `${search.paidFrom}T00:00:00.000Z` }]),
    ...(search.dated === undefined ? [] : datedWithin(search.dated)),
    ...(search.unpaidThrough === undefined
      ? []
      : [unpaidAt(search.unpaidThrough), ...datedWithin({ through: search.unpaidThrough })]),
    ...(search.notExported === true ? [{ op: 'notExist', field: 'webServiceDate' }] : []),
    ...(search.exportedFrom === undefined ? [] : [{ op: 'gte', field: 'webServiceDate', value: search.exportedFrom }]),
  ];
}

const unpaidAt = (day: CalendarDate): Filter => ({
  op: 'or',
  items: [
    { op: 'notExist', field: 'paidDate' },
    { op: 'gte', field: 'paidDate', value: `${addDays(day, 1)}T00:00:00.000Z` },
  ],
});

/**
 * A timestamp may fall on the previous or next day in another time zone, so the range includes one more day on each
 * side.
 */
const datedWithin = ({ from, through }: { from?: CalendarDate; through: CalendarDate }): Condition[] => [
  ...(from === undefined ? [] : [{ op: 'gte', field: 'invoiceDateTime', value: `${addDays(from, -1)}T00:00:00.000Z` }]),
  { op: 'lte', field: 'invoiceDateTime', value: `${addDays(through, 1)}T23:59:59.999Z` },
];

/** Returns the fields of a change. Texts are cleared by `''`, dates by null (autotask reference section 6). */
export const toWrittenFields = (change: InvoiceChange) => ({
  ...(change.number !== undefined && { invoiceNumber: change.number }),
  ...(change.exportedAt !== undefined && { webServiceDate: change.exportedAt }),
  ...(change.paidOn !== undefined && { paidDate: change.paidOn === null ? null : `${change.paidOn}T00:00:00.000Z` }),
});
