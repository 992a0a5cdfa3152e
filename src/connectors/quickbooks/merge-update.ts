/** Merges a planned document into the one in QuickBooks, so that an update keeps what users entered there; pure. */
import { originOf } from '#core/documents/origin.ts';
import type { MergeBase, MergedUpdate } from '#core/planning/update-merge.ts';
import { decimal, equals, minus, sum, zero, type Decimal } from '#core/values/decimal.ts';
import type { Json, JsonObject } from '#core/values/json.ts';
import { truncate } from '#core/values/text.ts';
import {
  createChoices,
  isList,
  isSame,
  objectOf,
  objectsAt,
  textAt,
  type Choices,
  type Field,
  type NameOf,
} from './merge-fields.ts';
import { isPlannedType, mergeLines } from './merge-lines.ts';

/** Members that QuickBooks computes, or that describe the record itself. */
const readOnly: ReadonlySet<string> = new Set([
  'domain',
  'status',
  'sparse',
  'time',
  'Id',
  'SyncToken',
  'MetaData',
  'TotalAmt',
  'HomeTotalAmt',
  'Balance',
  'HomeBalance',
  'RemainingCredit',
  'UnappliedAmt',
  'InvoiceLink',
  'DeliveryInfo',
  'EInvoiceStatus',
  'RecurDataRef',
]);

/** Members that the PSA plans. */
const fields: Readonly<Record<string, Field>> = {
  CustomerRef: { what: 'Customer', list: 'customer', isCompared: true },
  VendorRef: { what: 'Vendor', list: 'vendor', isCompared: true },
  APAccountRef: { what: 'Payable account', list: 'account', isCompared: true, isAssigned: true },
  DocNumber: { what: 'Number', isCompared: true, isAssigned: true },
  DueDate: { what: 'Due date', isCompared: true, isAssigned: true },
  CurrencyRef: { what: 'Currency', isCompared: true, isAssigned: true },
  TxnDate: { what: 'Date', isCompared: true },
  SalesTermRef: { what: 'Terms', list: 'term' },
  ExchangeRate: { what: 'Exchange rate', isCompared: true },
  DepartmentRef: { what: 'Location', list: 'location', isCompared: true },
  ClassRef: { what: 'Class', list: 'class', isCompared: true },
  BillAddr: { what: 'Billing address' },
  ShipAddr: { what: 'Shipping address' },
  CustomerMemo: { what: 'Message to the customer' },
  Memo: { what: 'Message to the vendor' },
  BillEmail: { what: 'Email' },
  AllowOnlineCreditCardPayment: { what: 'Card payment' },
  AllowOnlineACHPayment: { what: 'Bank payment' },
  GlobalTaxCalculation: { what: 'Tax calculation' },
};

/** Longest private note (quickbooks reference 5.1). */
const maxNoteLength = 4_000;

/** A planned body. `values` has the numbers as they are sent, which only `JSON.stringify` can read. */
interface PlannedBody {
  readonly shown: JsonObject;
  readonly values: JsonObject;
}

interface BodyMerge extends MergedUpdate {
  /** The merged document: all members of the present one, with the planned values in their place. */
  readonly body: JsonObject;
  /** Members of the present document are left out, which only a full update clears. */
  readonly clears: boolean;
}

/**
 * Merges a planned document into the one in QuickBooks, field by field and line by line. A field is replaced if the PSA
 * changed it since posting. A field that only QuickBooks changed stays, unless the PSA changed nothing: then the update
 * restores the fields that the month-end proof compares. Lines that were added in QuickBooks always stay.
 */
export function mergeUpdate(planned: PlannedBody, base: MergeBase, nameOf: NameOf): BodyMerge {
  const first = mergeWith(createChoices(base, nameOf, false), planned, base, nameOf);
  if (first.isChangedInPsa) return first.merged;
  return mergeWith(createChoices(base, nameOf, true), planned, base, nameOf).merged;
}

function mergeWith(
  choices: Choices,
  planned: PlannedBody,
  base: MergeBase,
  nameOf: NameOf,
): { readonly merged: BodyMerge; readonly isChangedInPsa: boolean } {
  const { shown } = planned;
  const { found } = base;
  const kept = Object.entries(found).filter(
    ([key, value]) => !readOnly.has(key) && !(isList(value) && value.length === 0),
  );
  const lines = mergeLines(planned, base, choices, nameOf);
  const body: JsonObject = {
    ...Object.fromEntries(kept),
    ...headOf(planned, base, choices),
    ...customFieldsOf(shown, base, choices),
    PrivateNote: noteOf(shown, base),
    TxnTaxDetail: taxOf(planned, base, choices, lines.movesMoney),
    Line: lines.lines,
  };
  const members = Object.entries(body).filter(([, value]) => value !== undefined);
  const more = minus(amountOf(lines.lines), amountOf(objectsAt(shown, 'Line')));
  const merged: BodyMerge = {
    body: Object.fromEntries(members),
    clears: kept.some(([key]) => body[key] === undefined),
    replaces: choices.replaces,
    keeps: choices.keeps,
    conflicts: choices.conflicts,
    settled: choices.settled,
    lines: more,
    total: minus(more, discountOf(lines.lines)),
  };
  return { merged, isChangedInPsa: choices.isChangedInPsa() };
}

/** Returns the planned members that replace those of the present document; undefined clears one. */
function headOf(
  { shown, values }: PlannedBody,
  { found, posted, answered }: MergeBase,
  choices: Choices,
): Readonly<Record<string, Json | undefined>> {
  const replaced: Record<string, Json | undefined> = {};
  for (const [key, field] of Object.entries(fields)) {
    const of = { planned: shown[key], found: found[key], posted: posted?.[key], answered: answered?.[key] };
    if (choices.choose(field, of) === 'planned') replaced[key] = values[key];
  }
  const isMoved = 'TxnDate' in replaced || 'SalesTermRef' in replaced;
  // QuickBooks computed the due date of a bill, so it computes it again.
  const isComputed = shown['DueDate'] === undefined && isSame(found['DueDate'], answered?.['DueDate']);
  return isMoved && isComputed ? { ...replaced, DueDate: undefined } : replaced;
}

/** Merges the custom fields by their definition. */
function customFieldsOf(shown: JsonObject, { found, posted, answered }: MergeBase, choices: Choices): JsonObject {
  const id = (field: JsonObject) => textAt(field, 'DefinitionId') ?? '';
  const listOf = (of: JsonObject | null) => new Map(objectsAt(of, 'CustomField').map((field) => [id(field), field]));
  const [planned, before, answer, now] = [listOf(shown), listOf(posted), listOf(answered), listOf(found)];
  const merged = new Map(now);
  for (const key of new Set([...planned.keys(), ...before.keys()])) {
    const valueIn = (of: ReadonlyMap<string, JsonObject>) => of.get(key)?.['StringValue'];
    const what = textAt(planned.get(key) ?? before.get(key) ?? {}, 'Name') ?? `Custom field ${key}`;
    const of = { planned: valueIn(planned), found: valueIn(now), posted: valueIn(before), answered: valueIn(answer) };
    if (choices.choose({ what, id: `custom field ${key}` }, of) === 'found') continue;
    const field = planned.get(key);
    if (field === undefined) merged.delete(key);
    else merged.set(key, field);
  }
  const filled = [...merged.values()].filter((field) => textAt(field, 'StringValue') !== null);
  return filled.length === 0 ? {} : { CustomField: filled };
}

/** Returns the planned note, which names the source, followed by what users wrote. */
function noteOf(shown: JsonObject, { found, posted, answered }: MergeBase): string {
  const planned = textAt(shown, 'PrivateNote') ?? '';
  const now = textAt(found, 'PrivateNote');
  if (now === null || now === planned) return planned;
  const before = textAt(answered ?? posted ?? {}, 'PrivateNote');
  const isAppended = before !== null && now.startsWith(before);
  const written = isAppended ? now.slice(before.length) : originOf(now) === null ? now : '';
  return truncate([planned, written.trim()].filter((text) => text !== '').join('\n'), maxNoteLength, '…');
}

/**
 * Returns the tax. While no amount changes, it stays as it is in QuickBooks, including an amount entered there.
 * Otherwise QuickBooks computes it again from the code, unless the PSA's amount is sent.
 */
function taxOf(
  { shown, values }: PlannedBody,
  { found, posted, answered }: MergeBase,
  choices: Choices,
  movesMoney: boolean,
): JsonObject | undefined {
  const [ours, now] = [objectOf(shown['TxnTaxDetail']), objectOf(found['TxnTaxDetail'])];
  const [before, answer] = [objectOf(posted?.['TxnTaxDetail']), objectOf(answered?.['TxnTaxDetail'])];
  const valuesOf = (key: string) => ({
    planned: ours[key],
    found: now[key],
    posted: before[key],
    answered: answer[key],
  });
  const code = valuesOf('TxnTaxCodeRef');
  const isCodePlanned = code.planned !== undefined || code.posted !== undefined;
  const codeField = { what: 'Tax code', list: 'tax code', isCompared: true } as const;
  const isOurCode = isCodePlanned && choices.choose(codeField, code) === 'planned';
  const isEntered = answered !== null && !isSame(now['TxnTaxCodeRef'], answer['TxnTaxCodeRef']);
  const codeRef = isOurCode ? ours['TxnTaxCodeRef'] : isCodePlanned || isEntered ? now['TxnTaxCodeRef'] : undefined;
  const total = valuesOf('TotalTax');
  if (total.planned !== undefined) {
    const isOurs = choices.choose({ what: 'Tax' }, total) === 'planned';
    const amount = isOurs ? objectOf(values['TxnTaxDetail'])['TotalTax'] : now['TotalTax'];
    return { ...(codeRef !== undefined && { TxnTaxCodeRef: codeRef }), TotalTax: amount };
  }
  if (!movesMoney && !isOurCode) return found['TxnTaxDetail'] === undefined ? undefined : now;
  const isTyped = answered !== null && !isSame(total.found, total.answered) && isSameSum(found, answered);
  const typed = { ...total, planned: 'calculated by QuickBooks' };
  const isKept = isTyped && choices.choose({ what: 'Tax' }, typed) === 'found';
  if (codeRef === undefined && !isKept) return undefined;
  return { ...(codeRef !== undefined && { TxnTaxCodeRef: codeRef }), ...(isKept && { TotalTax: now['TotalTax'] }) };
}

const amountIn = (line: JsonObject): Decimal => {
  const { Amount: amount } = line;
  return typeof amount === 'number' || typeof amount === 'string' ? decimal(String(amount)) : zero;
};

/** Returns the sum of lines, without discounts and texts. */
const amountOf = (lines: readonly JsonObject[]): Decimal =>
  sum(lines.filter((line) => isPlannedType(line) || line['DetailType'] === 'GroupLineDetail').map(amountIn));

/** Returns whether the lines of both states add up to the same amount, so that only the tax was changed. */
const isSameSum = (one: JsonObject, other: JsonObject): boolean =>
  equals(amountOf(objectsAt(one, 'Line')), amountOf(objectsAt(other, 'Line')));

const discountOf = (lines: readonly JsonObject[]): Decimal =>
  sum(lines.filter((line) => line['DetailType'] === 'DiscountLineDetail').map(amountIn));
