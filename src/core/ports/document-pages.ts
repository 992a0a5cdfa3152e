import type { Kind } from '../kinds.ts';
import type { JsonObject } from '../values/json.ts';

/**
 * Pages on which people see a document in each of the services, as addresses for a browser; null where no such page is
 * known.
 */
export interface DocumentPages {
  /** @param document of the books, as they answered it */
  inBooks(kind: Kind, document: JsonObject): string | null;
  /** The list that shows the documents of a kind, newest first. */
  listInBooks(kind: Kind): string | null;
  inPsa(kind: Kind, psaId: number): string | null;
}
