import type { Posted } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import { never } from '#core/values/assert.ts';
import type { JsonObject } from '#core/values/json.ts';

/** Maximum documents listed in the Overview's information; the count next to them includes all. */
const maxListed = 100;

/** Returns the named fields of a synced document in `last_*_info` (contract 2). */
export function infoOf(kind: Kind, psaId: number, { id, number }: Pick<Posted, 'id' | 'number'>): JsonObject {
  switch (kind) {
    case 'invoice':
    case 'void':
    case 'difference':
      return { at_invoice_id: psaId, qbo_invoice_number: number ?? id };
    case 'purchase_order':
      return { at_po_id: psaId, qbo_po_number: number, qbo_po_id: id };
    case 'expense_report':
      return { at_expense_report_id: psaId, qbo_bill_id: id };
    case 'payment':
      return { at_invoice_id: psaId, qbo_payment_id: id };
    default:
      return never(kind);
  }
}

/** Returns the fields of the last document. If one run handled several, adds a count and a list. */
export function lastInfo(handled: readonly JsonObject[]): JsonObject {
  const last = handled.at(-1) ?? {};
  return handled.length > 1 ? { ...last, count: handled.length, documents: handled.slice(-maxListed) } : last;
}
