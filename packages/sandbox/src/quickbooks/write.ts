import type { Company } from './company.ts';
import type { Doc } from './doc.ts';
import type { EntityKind } from './entities.ts';
import type { Preferences } from './preferences.ts';
import type { Entry } from './table.ts';

/** One create or update, checked against the schema and merged with the stored record. */
export interface Write {
  readonly company: Company;
  readonly kind: EntityKind;
  readonly preferences: Preferences;
  /** The record before an update; undefined when it is created. */
  readonly before: Entry | undefined;
  /** The body that the client sent, in normal form. */
  readonly sent: Doc;
  /** The resulting record: `sent` over the remaining members of the old body. */
  readonly merged: Doc;
  /** Values of the `include` query parameter or of `optionsData`, in lower case. */
  readonly include: ReadonlySet<string>;
}

/** The rules of one entity. All checks run before any change: a fault changes nothing. */
export interface Rules {
  /** Members of the old body that a full update keeps when they are missing. */
  readonly keeps?: readonly string[];
  /** Returns the record's new body with all computed members. Throws ServiceFault; must change nothing. */
  prepare(write: Write): Doc;
  /** Changes other records after this one was saved, e.g. an invoice's balance after a payment. */
  applied?(write: Write, entry: Entry, old: Doc | undefined): void;
  /** Throws when the record must not be removed. */
  checkRemoval?(company: Company, entry: Entry): void;
  /** Changes other records after this one was removed. */
  removed?(company: Company, entry: Entry): void;
  /** Returns the body of a voided record; `voided` updates other records. */
  void?(company: Company, entry: Entry): Doc;
  voided?(company: Company, entry: Entry, old: Doc): void;
}
