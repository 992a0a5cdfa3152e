/**
 * How a problem is treated (domain reference 13): `person` must be mended by somebody and marks the document in the
 * PSA; `held` waits without a mark; `transient` is tried again; `stops_run` ends the run for every document;
 * `warning` does not hide success.
 */
export type Treatment = 'person' | 'held' | 'transient' | 'stops_run' | 'warning';

/** Something that stands against a document, in words that reach the log, the API and the screen alike. */
export interface Problem {
  /** A code of the catalogue, e.g. `ITEM_NOT_MAPPED`. */
  readonly code: string;
  readonly treatment: Treatment;
  /** What happened, one sentence that names the record. */
  readonly message: string;
  /** What to do about it, one sentence; null when nothing has to be done. */
  readonly remedy: string | null;
  /** The screen where it is mended, e.g. `/item-xrefs`; null when it is mended in one of the services. */
  readonly screen: string | null;
}
