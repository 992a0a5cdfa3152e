import type { Logger } from '#core/ports/logger.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { AutotaskApi } from './api.ts';
import { queryAll, queryIn, type Condition } from './query.ts';
import { orEmpty } from './reference-data.ts';
import { submittedOrder, toPurchaseOrder, toPurchaseOrderHead } from './translate-purchasing.ts';
import { atPurchaseOrder, atPurchaseOrderItem, readRows } from './wire.ts';
import { writeFields } from './write.ts';

interface Sources {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  /** IANA name of the zone in which the PSA dates its documents. */
  readonly timeZone: string;
}

/** Purchase orders: found, read with their lines, and written to. */
export function purchaseOrders(
  sources: Sources,
): Pick<Psa, 'findPurchaseOrders' | 'readPurchaseOrders' | 'writePurchaseOrder'> {
  const { api, timeZone } = sources;
  return {
    async findPurchaseOrders({ createdFrom }) {
      const operation = 'find purchase orders';
      const filter: Condition[] = [
        { op: 'eq', field: 'status', value: submittedOrder },
        ...(createdFrom === undefined ? [] : [{ op: 'gte', field: 'createDateTime', value: createdFrom }]),
      ];
      // Without the procurement module there are no orders; some tenants answer with an error instead of none.
      const rows = await orEmpty(sources, 'PurchaseOrders', () =>
        queryAll(api, 'PurchaseOrders', { operation, filter }),
      );
      return readRows(operation, atPurchaseOrder, rows).map((row) => toPurchaseOrderHead(row, timeZone));
    },

    async readPurchaseOrders(ids) {
      if (ids.length === 0) return [];
      const [orderOperation, lineOperation] = ['read purchase orders', 'read purchase order lines'];
      const [heads, items] = await Promise.all([
        queryIn(api, 'PurchaseOrders', 'id', ids, { operation: orderOperation, filter: [] }),
        queryIn(api, 'PurchaseOrderItems', 'orderID', ids, { operation: lineOperation, filter: [] }),
      ]);
      const lines = Map.groupBy(readRows(lineOperation, atPurchaseOrderItem, items), ({ orderID }) => orderID);
      return readRows(orderOperation, atPurchaseOrder, heads).map((head) =>
        toPurchaseOrder(head, lines.get(head.id) ?? [], timeZone),
      );
    },

    writePurchaseOrder: (id, { externalNumber }) =>
      writeFields(api, { entity: 'PurchaseOrders', noun: 'purchase order', id }, { externalPONumber: externalNumber }),
  };
}
