import type { PrepaidUnit } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { isNegative, minus, plus, round2, sum, times, zero, type Decimal } from '#core/values/decimal.ts';
import type { AutotaskApi } from './api.ts';
import { queryAll, type Condition } from './query.ts';
import { orEmpty, orNull } from './reference-data.ts';
import { toDate } from './translate.ts';
import { atUnbilledItem, atContractBlock, atContractRetainer, atContractTicketPurchase, readRows } from './wire.ts';

interface Sources {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  /** IANA name of the time zone in which the PSA dates its documents. */
  readonly timeZone: string;
}

/** Returns the number and the amount of the items that are on no invoice. */
export async function readUnbilled(sources: Sources, through: CalendarDate) {
  const operation = 'read unbilled items';
  // While an item is on no invoice, its invoiceID is 0, not null (autotask reference section 5).
  const filter: Condition[] = [
    { op: 'eq', field: 'invoiceID', value: 0 },
    { op: 'lte', field: 'itemDate', value: `${through}T23:59:59.999Z` },
  ];
  const rows = await orEmpty(sources, 'BillingItems', () =>
    queryAll(sources.api, 'BillingItems', { operation, filter, fields: ['id', 'internalCurrencyTotalAmount'] }),
  );
  const items = readRows(operation, atUnbilledItem, rows);
  return { count: items.length, amount: sum(items.map((item) => round2(item.internalCurrencyTotalAmount))) };
}

/** Returns what is left of prepaid hours, money and tickets, by contract; null if one of the lists is not readable. */
export async function readPrepaid(sources: Sources, through: CalendarDate, units: ReadonlySet<PrepaidUnit>) {
  const read = (unit: PrepaidUnit, entity: string) =>
    units.has(unit)
      ? orNull(sources, entity, () => queryAll(sources.api, entity, { operation: `read ${entity}`, filter: [] }))
      : [];
  const [blocks, retainers, tickets] = await inParallel([
    read('hours', 'ContractBlocks'),
    read('money', 'ContractRetainers'),
    read('tickets', 'ContractTicketPurchases'),
  ]);
  if (blocks === null || retainers === null || tickets === null) return null;
  const isBought = ({ datePurchased }: { readonly datePurchased: string | null }) => {
    const on = toDate(datePurchased, sources.timeZone);
    return on !== null && on <= through;
  };
  const left = new Map<number, Decimal>();
  const add = (contractId: number, amount: Decimal) =>
    // Use beyond the purchase does not give the client a negative balance.
    left.set(contractId, plus(left.get(contractId) ?? zero, isNegative(amount) ? zero : round2(amount)));
  for (const block of readRows('read ContractBlocks', atContractBlock, blocks).filter(isBought))
    add(block.contractID, times(minus(block.hours, block.hoursApproved ?? zero), block.hourlyRate));
  for (const one of readRows('read ContractRetainers', atContractRetainer, retainers).filter(isBought))
    add(one.contractID, minus(one.amount, one.amountApproved ?? zero));
  for (const one of readRows('read ContractTicketPurchases', atContractTicketPurchase, tickets).filter(isBought))
    add(one.contractID, times(minus(one.ticketsPurchased, one.ticketsUsed ?? zero), one.perTicketRate));
  return [...left].map(([contractId, amount]) => ({ contractId, amount }));
}
