import type { JsonObject } from '#core/values/json.ts';
import type { World } from './world.ts';

/**
 * Records a payment in QuickBooks that pays an invoice, or a part of it.
 *
 * @param how.on date; default: the first day of the sample data.
 * @param how.customer default: Acme Dental.
 */
export const payInvoice = (
  { quickbooks }: Pick<World, 'quickbooks'>,
  id: string,
  amount: number,
  how: { readonly on?: string; readonly customer?: string } = {},
): Promise<JsonObject> =>
  quickbooks.add('Payment', {
    CustomerRef: { value: how.customer ?? '58' },
    TxnDate: how.on ?? '2025-03-03',
    TotalAmt: amount,
    Line: [{ Amount: amount, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
  });
