import type { FieldConflict, Side } from '../planning/update-merge.ts';
import type { MappingNamespace, PartyNamespace } from '../mapping/mapping.ts';
import type { SettingKey } from '../settings/definitions.ts';
import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/**
 * Treatment of a problem (domain reference 13): a user must fix `person`, which marks the document in the PSA;
 * `held` waits without a mark; `transient` is tried again; `stops_run` ends the run for every document; `warning` does
 * not hide success.
 */
export type Treatment = 'person' | 'held' | 'transient' | 'stops_run' | 'warning';

/** A problem of a document, with its texts for the log, the API and the screens. */
export interface Problem {
  /** A code of the catalogue, e.g. `ITEM_NOT_MAPPED`. */
  readonly code: string;
  readonly treatment: Treatment;
  /** The event, one sentence that names the record. */
  readonly message: string;
  /** The remedy, one sentence; null when nothing has to be done. */
  readonly remedy: string | null;
  /** The screen where users fix it, e.g. `/item-mappings`; null if they fix it in one of the services. */
  readonly screen: string | null;
  /** Repairs that a screen can offer as buttons, best first; absent in problems of earlier versions. */
  readonly repairs?: readonly Repair[];
  /** The affected document; absent if unknown, and in problems of earlier versions. */
  readonly document?: ProblemDocument;
  /** Fields that both sides changed, to choose a value for each. Undefined if there are none. */
  readonly fields?: readonly FieldConflict[];
}

/** One of the two services, as connections name them. */
export type ServiceSide = 'psa' | 'accounting';

/** A QuickBooks record that a PSA record can be mapped to. */
export interface RepairCandidate {
  readonly value: string;
  readonly label: string;
}

/**
 * A repair of a problem. Problems of one code with equal repairs have one cause and are fixed together.
 *
 * - `map`: choose what a PSA record is mapped to
 * - `create_as`: create a new customer or vendor called `name` for a PSA record; saved as a mapping to `create:NAME`
 * - `choose_setting`: choose a value of a setting; `value` is the proposed one
 * - `reconnect`: connect a service again
 * - `clear_status`: clear the status or number in the PSA, so that the document is synced again
 * - `sync_again`: send the document again after the fix
 * - `post_again`: create a new QuickBooks document in place of the deleted or void one
 * - `update_accounting`: update the QuickBooks document from the PSA; `prefers` decides about fields that both sides changed
 * - `apply_money`, `create_payment`: apply the customer’s open money to the invoice, or create a new payment
 * - `refresh_lists`: read the lists of both services again
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
  | {
      readonly do: 'update_accounting';
      /** Whose value fields get that both sides changed. Undefined means that the user is asked. */ readonly prefers?: Side;
    }
  | { readonly do: 'apply_money' }
  | { readonly do: 'create_payment' }
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
