import type { InvoiceSearch } from '../ports/psa.ts';
import type { InvoiceHead } from './invoice.ts';

/**
 * Whether a search matches this invoice. Several searches share one query, and each picks its matches from the results.
 */
export function matchesSearch(head: InvoiceHead, search: InvoiceSearch): boolean {
  const { ids, createdFrom, voided, voidedFrom, paidFrom, notExported, exportedFrom } = search;
  return (
    (ids === undefined || ids.includes(head.id)) &&
    (createdFrom === undefined || head.createdAt >= createdFrom) &&
    (voided === undefined || head.isVoided === voided) &&
    (voidedFrom === undefined || (head.voidedAt !== null && head.voidedAt >= voidedFrom)) &&
    (paidFrom === undefined || (head.paidOn !== null && head.paidOn >= paidFrom)) &&
    (notExported !== true || head.exportedAt === null) &&
    (exportedFrom === undefined || (head.exportedAt !== null && head.exportedAt >= exportedFrom))
  );
}
