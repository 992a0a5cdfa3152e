import type { Kind } from '../kinds.ts';
import type { JsonObject } from '../values/json.ts';

/** Browser addresses of a document's pages in both services; null where no page is known. */
export interface DocumentPages {
  /** @param document as QuickBooks returned it */
  inAccounting(kind: Kind, document: JsonObject): string | null;
  /** Returns the page that lists the documents of a kind, newest first. */
  listInAccounting(kind: Kind): string | null;
  inPsa(kind: Kind, psaId: number): string | null;
}
