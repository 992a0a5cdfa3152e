import type { InvoiceHead } from '../documents/invoice.ts';
import { truncate, textOrNull } from '../values/text.ts';

/** Longest message to the customer in QuickBooks. */
const maxMessageLength = 1_000;

/** Returns the message that the client reads on the document; null if it would be empty (domain reference 6.8). */
export function customerMessage(
  invoice: Pick<InvoiceHead, 'orderNumber' | 'taxRegionName' | 'invoicedOn' | 'comments'>,
): string | null {
  const labelled = (label: string, value: string | null) => (value === null ? null : `${label}: ${value}`);
  const lines = [
    labelled('Order', textOrNull(invoice.orderNumber)),
    labelled('Tax group', textOrNull(invoice.taxRegionName)),
    labelled('Invoice date', invoice.invoicedOn),
    textOrNull(invoice.comments),
  ];
  return textOrNull(truncate(lines.filter((line) => line !== null).join('\n'), maxMessageLength, '…'));
}
