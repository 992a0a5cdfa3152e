import type { MappingNamespace, PartyNamespace } from '../mapping/mapping.ts';
import type { SettingKey } from '../settings/definitions.ts';
import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/**
 * Treatment of a problem (domain reference 13): `person` must be mended by somebody and marks the document in the PSA;
 * `held` waits without a mark; `transient` is tried again; `stops_run` ends the run for every document; `warning` does
 * not hide success.
 */
export type Treatment = 'person' | 'held' | 'transient' | 'stops_run' | 'warning';

/** Something that stands against a document, in words that reach the log, the API and the screen alike. */
export interface Problem {
  /** A code of the catalogue, e.g. `ITEM_NOT_MAPPED`. */
  readonly code: string;
  readonly treatment: Treatment;
  /** The event, one sentence that names the record. */
  readonly message: string;
  /** The remedy, one sentence; null when nothing has to be done. */
  readonly remedy: string | null;
  /** The screen where it is mended, e.g. `/item-mappings`; null when it is mended in one of the services. */
  readonly screen: string | null;
  /** Repairs that a screen can offer as buttons, best first; absent in problems of earlier versions. */
  readonly repairs?: readonly Repair[];
  /** The document that it stands against; absent where none is known, and in problems of earlier versions. */
  readonly document?: ProblemDocument;
}

/** One of the two services, as connections name them. */
export type ServiceSide = 'psa' | 'accounting';

/** A record of the books that a PSA record can be mapped to. */
export interface RepairCandidate {
  readonly value: string;
  readonly label: string;
}

/**
 * A repair of a problem. Problems of one code with equal repairs have one cause and are mended together.
 *
 * - `map`: choose what a PSA record is mapped to
 * - `create_as`: create a new customer or vendor called `name` for a PSA record; saved as a mapping to `create:NAME`
 * - `choose_setting`: choose a value of a setting; `value` is the proposed one
 * - `reconnect`: connect a service again
 * - `clear_status`: empty the word or number that stands in the PSA, so that the document is taken up again
 * - `sync_again`: send the document again after the cause was mended
 * - `post_again`: make a new document in the books in place of the one that is gone or void
 * - `update_books`: bring the document of the books to what the PSA says
 * - `refresh_lists`: read the lists of both services anew
 * - `open_in_service`: something only a person can do there; `url` leads to it where one is known
 */
export type Repair =
  | {
      readonly do: 'map';
      readonly namespace: MappingNamespace;
      readonly sourceEntity: string;
      readonly sourceValue: string;
      readonly sourceLabel: string;
      readonly candidates?: readonly RepairCandidate[];
      /** Id of the record that cannot be used any more. */
      readonly replaces?: string;
    }
  | {
      readonly do: 'create_as';
      readonly namespace: PartyNamespace;
      readonly sourceEntity: string;
      readonly sourceValue: string;
      readonly sourceLabel: string;
      readonly name: string;
    }
  | { readonly do: 'choose_setting'; readonly key: SettingKey; readonly value?: string | number | boolean }
  | { readonly do: 'reconnect'; readonly service: ServiceSide }
  | { readonly do: 'clear_status' }
  | { readonly do: 'sync_again' }
  | { readonly do: 'post_again' }
  | { readonly do: 'update_books' }
  | { readonly do: 'refresh_lists' }
  | { readonly do: 'open_in_service'; readonly service: ServiceSide; readonly what: string; readonly url?: string };

/** A document as both programs show it, never by an internal id alone. */
export interface ProblemDocument {
  /** Name of the document's type, e.g. `Invoice` or `Credit memo`. */
  readonly what: string;
  readonly psaId: number;
  /** Number as the program that gives it shows it; null while it has none. */
  readonly number: string | null;
  /** The customer, the vendor or the employee. */
  readonly party: string | null;
  readonly on: CalendarDate | null;
  readonly amount: Decimal | null;
  /** ISO 4217. */
  readonly currency: string | null;
}
