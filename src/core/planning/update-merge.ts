import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';

/** Whose value a field gets that both sides changed. */
export type Side = 'psa' | 'accounting';

/**
 * A user's choice for fields that both sides changed: one side for all, or a side for the key of each field. A key
 * contains both values, so a choice does not apply after another change.
 */
export type Preference = Side | Readonly<Record<string, Side>>;

/** Maximum number of fields that one request decides separately. */
export const maxFieldChoices = 1_000;

/**
 * A document in QuickBooks and its history, in the form of the connector. The merge is computed from it again when it is
 * sent.
 */
export interface MergeBase {
  /** The document as just read. */
  readonly found: JsonObject;
  /** The body that it was posted with; null if unknown. */
  readonly posted: JsonObject | null;
  /** QuickBooks' response at posting; null if unknown. */
  readonly answered: JsonObject | null;
  /** The user's choice for fields that both sides changed; null: not chosen. */
  readonly prefers: Preference | null;
  /**
   * The choices as planned, by field. When the update is sent, it has the ids of records that did not exist when it was
   * planned, so keys can differ. Undefined if no field was chosen separately.
   */
  readonly settled?: Readonly<Record<string, Side>>;
}

/** One field of a posted document. */
export interface FieldChange {
  /** Label of the field, e.g. `Due date` or `Line 2, amount`. */
  readonly what: string;
  /** Value in QuickBooks. */
  readonly was: string;
  /** Value in the PSA. */
  readonly is: string;
}

/** A field that both sides changed. */
export interface FieldConflict extends FieldChange {
  /** Identifies the document, the field and both values. */
  readonly key: string;
}

/** Result of merging a planned document into the one in QuickBooks. */
export interface MergedUpdate {
  /** Fields that get the planned value. */
  readonly replaces: readonly FieldChange[];
  /** Fields that were changed in QuickBooks, differ from the plan, and stay as they are. */
  readonly keeps: readonly FieldChange[];
  /** Fields that both sides changed, without a choice. */
  readonly conflicts: readonly FieldConflict[];
  /** Choices for single fields that the merge applied, by field. */
  readonly settled: Readonly<Record<string, Side>>;
  /** Amount of the merged document, before tax, above the planned one: lines and discounts entered in QuickBooks. */
  readonly lines: Decimal;
  /** The same less discounts, which are not part of the subtotal. */
  readonly total: Decimal;
}

/** Lists of QuickBooks whose records a document refers to. */
export type RecordList = 'customer' | 'vendor' | 'item' | 'account' | 'class' | 'location' | 'term' | 'tax code';
