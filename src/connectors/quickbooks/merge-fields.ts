/** Decides field by field what an update replaces; pure. */
import { createHash } from 'node:crypto';
import type { FieldChange, FieldConflict, MergeBase, RecordList, Side } from '#core/planning/update-merge.ts';
import { dayText, isCalendarDate } from '#core/values/dates.ts';
import { decimal, format } from '#core/values/decimal.ts';
import type { Json, JsonObject } from '#core/values/json.ts';

/** Returns the name of a record of QuickBooks; null if it is unknown. */
export type NameOf = (list: RecordList, id: string) => string | null;

/** A field of a document that the PSA plans. */
export interface Field {
  /** Label for users. */
  readonly what: string;
  /** Distinguishes fields with equal labels. Undefined if the label is unique in the document. */
  readonly id?: string;
  /** The list that its value refers to. */
  readonly list?: RecordList;
  /** The month-end proof compares it, so an update can restore it. */
  readonly isCompared?: boolean;
  /** QuickBooks assigns it if the body does not contain it. */
  readonly isAssigned?: boolean;
}

/** The values of one field. Undefined if the field is empty. */
export interface Values {
  readonly planned: Json | undefined;
  readonly found: Json | undefined;
  readonly posted: Json | undefined;
  readonly answered: Json | undefined;
}

/** The decisions about one update. */
export interface Choices {
  readonly replaces: FieldChange[];
  readonly keeps: FieldChange[];
  readonly conflicts: FieldConflict[];
  /** Choices for single fields that were applied, by field. */
  readonly settled: Readonly<Record<string, Side>>;
  /** Returns whether the PSA has changed a field since posting. */
  isChangedInPsa(): boolean;
  /** Decides whose value a field gets, and lists the decision. */
  choose(field: Field, values: Values): 'planned' | 'found';
}

/** @param restores the PSA changed nothing: compared fields that QuickBooks changed are restored */
export function createChoices(
  { found: document, posted: body, answered: answer, prefers: preference, settled: chosen }: MergeBase,
  nameOf: NameOf,
  restores: boolean,
): Choices {
  const replaces: FieldChange[] = [];
  const keeps: FieldChange[] = [];
  const conflicts: FieldConflict[] = [];
  const settled: Record<string, Side> = {};
  let isChangedInPsa = false;
  const choose = (field: Field, { planned, found, posted, answered }: Values): 'planned' | 'found' => {
    // A field that is not planned, and was not, belongs to QuickBooks; so does one that QuickBooks assigns.
    const isTheirs = planned === undefined && (posted === undefined || field.isAssigned === true);
    if (isTheirs || isSame(planned, found)) return 'found';
    const known = isPlaceholder(posted) ? answered : posted;
    const before = known ?? (field.isAssigned === true ? (answered ?? planned) : undefined);
    const isChangedHere = body === null ? planned !== undefined : !isSame(planned, before);
    const isChangedThere = (answer !== null || body !== null) && !isSame(found, answer === null ? before : answered);
    const show = (value: Json | undefined) => textOf(field, value, nameOf);
    const change = { what: field.what, was: show(found), is: show(planned) };
    if (isChangedHere) isChangedInPsa = true;
    const id = field.id ?? field.what;
    let takes: Side | null = null;
    if (isChangedHere && isChangedThere) {
      const key = keyOf(document, id, found, planned);
      const isForAll = preference === null || typeof preference === 'string';
      takes = isForAll ? preference : (chosen?.[id] ?? preference[key] ?? null);
      if (takes === null) {
        conflicts.push({ ...change, key });
        return 'found';
      }
      if (!isForAll) settled[id] = takes;
    }
    const isRestored = restores && isChangedThere && field.isCompared === true && planned !== undefined;
    if (isRestored || (isChangedHere && takes !== 'accounting')) {
      replaces.push(change);
      return 'planned';
    }
    // Otherwise QuickBooks stored the posted value in another form.
    if (isChangedThere && planned !== undefined) keeps.push(change);
    return 'found';
  };
  return { replaces, keeps, conflicts, settled, isChangedInPsa: () => isChangedInPsa, choose };
}

/** Returns the key of a field that both sides changed. It contains both values, so another change makes another key. */
const keyOf = (document: JsonObject, id: string, found: Json | undefined, planned: Json | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify([plain(document['Id']), id, plain(found), plain(planned)]))
    .digest('hex')
    .slice(0, keyLength);

/** Length of a key, in hexadecimal digits: 128 bits do not collide. */
const keyLength = 32;

/** Id of a record that did not exist when a body was stored. */
export const toBeCreated = '(to be created)';

const isPlaceholder = (value: Json | undefined): boolean => objectOf(value)['value'] === toBeCreated;

/** Members that QuickBooks adds to addresses. */
const added: ReadonlySet<string> = new Set(['Id', 'Lat', 'Long', 'Tag', 'Note']);

/** Returns whether two values mean the same: a reference by its id, a number by its value, text without outer spaces. */
export const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(plain(one)) === JSON.stringify(plain(other));

/** Returns a value in the form that is compared; null if it is empty. */
export function plain(value: Json | undefined): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return decimal(String(value));
  if (typeof value === 'string') return value.replaceAll('\r\n', '\n').trim() || null;
  if (typeof value === 'boolean') return value;
  if (isList(value)) return value.length === 0 ? null : value.map(plain);
  if (value['value'] !== undefined) return plain(value['value']);
  const members = Object.entries(value)
    .filter(([key]) => !added.has(key))
    .map(([key, member]) => [key, plain(member)] as const)
    .filter(([, member]) => member !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return members.length === 0 ? null : Object.fromEntries(members);
}

/** Longest text of a value in a list of changes. */
const maxTextLength = 120;

function textOf({ list }: Field, value: Json | undefined, nameOf: NameOf): string {
  const known = plain(value);
  if (known === null) return 'none';
  if (list !== undefined && typeof known === 'string')
    return nameOf(list, known) ?? textAt(objectOf(value), 'name') ?? known;
  if (typeof value === 'number') return format(decimal(String(value)));
  if (typeof known === 'boolean') return known ? 'on' : 'off';
  if (typeof known === 'string') return isCalendarDate(known) ? dayText(known) : shortened(known);
  if (isList(known)) return String(known.length);
  const { Amount: amount, Qty: quantity, UnitPrice: price, ...rest } = objectOf(value);
  if (amount === undefined) return shortened(Object.values(rest).filter(isText).join(', '));
  const total = amountText(amount);
  return quantity === undefined || price === undefined ? total : `${shown(quantity)} × ${shown(price)} = ${total}`;
}

const shortened = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1)}…` : text;
const isText = (value: Json | undefined): value is string => typeof value === 'string';
export const amountText = (value: Json | undefined): string =>
  typeof value === 'number' || typeof value === 'string' ? format(decimal(String(value))) : '0.00';

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isList(value);
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const objectsAt = (of: JsonObject | null, key: string): readonly JsonObject[] => {
  const list = of?.[key];
  return isList(list) ? list.filter((one) => isObject(one)) : [];
};
export const textAt = (of: JsonObject | undefined, key: string): string | null => {
  const value = of?.[key];
  return typeof value === 'string' && value !== '' ? value : null;
};

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
