/** Merges the lines of a planned document into those in QuickBooks; pure. */
import type { MergeBase } from '#core/planning/update-merge.ts';
import type { Json, JsonObject } from '#core/values/json.ts';
import {
  amountText,
  isSame,
  objectOf,
  objectsAt,
  plain,
  textAt,
  type Choices,
  type Field,
  type NameOf,
} from './merge-fields.ts';

/** Line types that we plan. */
const plannedTypes = ['SalesItemLineDetail', 'ItemBasedExpenseLineDetail', 'AccountBasedExpenseLineDetail'] as const;
export const isPlannedType = (line: JsonObject): boolean => plannedTypes.some((type) => type === line['DetailType']);

/** Members of a line's detail that the PSA plans. */
const detailFields: Readonly<Record<string, Field>> = {
  ItemRef: { what: 'item', list: 'item', isCompared: true },
  AccountRef: { what: 'account', list: 'account', isCompared: true },
  ServiceDate: { what: 'service date' },
  ClassRef: { what: 'class', list: 'class', isCompared: true },
  TaxCodeRef: { what: 'tax code', list: 'tax code', isCompared: true },
  CustomerRef: { what: 'customer', list: 'customer' },
  BillableStatus: { what: 'billable' },
};

/** Members that change what the customer owes or where it is booked. */
const moneyFields: ReadonlySet<string> = new Set(['ItemRef', 'AccountRef', 'TaxCodeRef']);

interface MergedLines {
  readonly lines: readonly JsonObject[];
  /** Amounts or tax codes of lines change, so the tax is computed again. */
  readonly movesMoney: boolean;
}

/** A planned line with its counterparts. */
interface Matched {
  readonly planned: JsonObject;
  /** The same line with the numbers to send. */
  readonly sent: JsonObject;
  readonly posted: JsonObject | undefined;
  readonly answered: JsonObject | undefined;
  readonly found: JsonObject | undefined;
}

/**
 * Merges lines. A line keeps its id, its place and what users added to it. Lines that users added stay; lines that the
 * PSA added follow the line before them; lines that the PSA removed are removed.
 */
export function mergeLines(
  { shown, values }: { readonly shown: JsonObject; readonly values: JsonObject },
  base: MergeBase,
  choices: Choices,
  nameOf: NameOf,
): MergedLines {
  const { matched, removed } = matchLines(shown, values, base);
  const foundLines = objectsAt(base.found, 'Line').filter((line) => line['DetailType'] !== 'SubTotalLineDetail');
  const result = new Map<JsonObject, JsonObject | null>(foundLines.map((line) => [line, withoutComputed(line)]));
  const added: { readonly line: JsonObject; readonly after: JsonObject | null }[] = [];
  let movesMoney = false;
  let previous: JsonObject | null = null;
  for (const [index, one] of matched.entries()) {
    const what = `Line ${index + 1}`;
    const text = (line: JsonObject | undefined) => (line === undefined ? undefined : lineText(line, nameOf));
    if (one.found === undefined) {
      const values = { planned: text(one.planned), found: undefined, posted: text(one.posted) };
      const answered = one.posted === undefined ? undefined : text(one.posted);
      if (choices.choose({ what, isCompared: true }, { ...values, answered }) === 'found') continue;
      added.push({ line: one.sent, after: previous });
      movesMoney = true;
      continue;
    }
    const merged = mergeLine(what, one, one.found, choices);
    result.set(one.found, merged.line);
    movesMoney ||= merged.movesMoney;
    previous = one.found;
  }
  for (const { posted, answered, found } of removed) {
    const text = (line: JsonObject | undefined) => (line === undefined ? undefined : lineText(line, nameOf));
    const of = { planned: undefined, found: text(found), posted: text(posted), answered: text(answered ?? found) };
    const field = { what: `Line of ${textAt(posted, 'Description') ?? 'Autotask'}`, id: `line ${textAt(found, 'Id')}` };
    if (choices.choose(field, of) === 'found') continue;
    result.set(found, null);
    movesMoney = true;
  }
  return { lines: numbered(inOrder(foundLines, result, added)), movesMoney };
}

function mergeLine(
  what: string,
  { planned, sent, posted, answered }: Matched,
  found: JsonObject,
  choices: Choices,
): { readonly line: JsonObject; readonly movesMoney: boolean } {
  const type = textAt(planned, 'DetailType') ?? '';
  const [ours, toSend, theirs] = [detailOf(planned), detailOf(sent), detailOf(found)];
  const [before, answer] = [detailOf(posted), detailOf(answered)];
  const line: Record<string, Json | undefined> = { ...withoutComputed(found) };
  const detail: Record<string, Json | undefined> = { ...objectOf(line[type]) };
  let movesMoney = false;
  const amounts = { planned: amountsOf(planned), found: amountsOf(found), posted: amountsOf(posted) };
  const of = { ...amounts, answered: amountsOf(answered) };
  if (choices.choose({ what: `${what}, amount`, isCompared: true }, of) === 'planned') {
    line['Amount'] = sent['Amount'];
    Object.assign(detail, { Qty: toSend['Qty'], UnitPrice: toSend['UnitPrice'] });
    movesMoney = true;
  }
  const texts = { planned: planned['Description'], found: found['Description'], posted: posted?.['Description'] };
  const description = choices.choose(
    { what: `${what}, description` },
    { ...texts, answered: answered?.['Description'] },
  );
  if (description === 'planned') line['Description'] = sent['Description'];
  for (const [key, field] of Object.entries(detailFields)) {
    const values = { planned: ours[key], found: theirs[key], posted: before[key], answered: answer[key] };
    if (choices.choose({ ...field, what: `${what}, ${field.what}` }, values) === 'found') continue;
    detail[key] = toSend[key];
    movesMoney ||= moneyFields.has(key);
  }
  line[type] = present(detail);
  return { line: present(line), movesMoney };
}

const amountsOf = (line: JsonObject | undefined): JsonObject | undefined => {
  if (line === undefined) return undefined;
  const { Qty: quantity, UnitPrice: price } = detailOf(line);
  return present({ Amount: line['Amount'], Qty: quantity, UnitPrice: price });
};

/** Pairs the planned lines with the posted ones, and those with the present ones by their ids. */
function matchLines(
  shown: JsonObject,
  values: JsonObject,
  { found, posted, answered }: MergeBase,
): { readonly matched: readonly Matched[]; readonly removed: readonly Removed[] } {
  const [ours, toSend, now] = [objectsAt(shown, 'Line'), objectsAt(values, 'Line'), plannedLines(found)];
  const before = plannedLines(posted);
  const answers = answered === null ? null : pairLines(before, plannedLines(answered));
  const byContent = answers === null ? pairLines(before, now) : null;
  const present = (line: JsonObject | undefined): JsonObject | undefined => {
    if (line === undefined) return undefined;
    const answer = answers?.get(line);
    const id = answer === undefined ? null : textAt(answer, 'Id');
    return answers === null
      ? byContent?.get(line)
      : id === null
        ? undefined
        : now.find((one) => textAt(one, 'Id') === id);
  };
  const pairs = pairLines(ours, before);
  // Without the posted body, the planned lines are compared with the present ones.
  const direct = posted === null ? pairLines(ours, now) : null;
  const known = new Set(before.map(present));
  const entered = pairSame(
    ours.filter((line) => !pairs.has(line)),
    now.filter((line) => !known.has(line)),
  );
  const matched = ours.map((planned, index): Matched => {
    const was = pairs.get(planned);
    return {
      planned,
      sent: toSend[index] ?? planned,
      posted: was,
      answered: was === undefined ? undefined : answers?.get(was),
      found: direct === null ? (present(was) ?? entered.get(planned)) : direct.get(planned),
    };
  });
  const stillPlanned = new Set(pairs.values());
  const removed = before.flatMap((line): Removed[] => {
    const current = present(line);
    if (stillPlanned.has(line) || current === undefined) return [];
    return [{ posted: line, answered: answers?.get(line), found: current }];
  });
  return { matched, removed };
}

/** A posted line that the PSA no longer has. */
interface Removed {
  readonly posted: JsonObject;
  readonly answered: JsonObject | undefined;
  readonly found: JsonObject;
}

const plannedLines = (of: JsonObject | null): readonly JsonObject[] => objectsAt(of, 'Line').filter(isPlannedType);

/** Members by which lines are paired, from exact to similar. */
const keysOfLines: readonly ((line: JsonObject) => readonly (Json | undefined)[])[] = [
  (line) => [subjectOf(line), line['Description'], amountsOf(line), detailOf(line)['ServiceDate'], classOf(line)],
  (line) => [subjectOf(line), line['Description'], amountsOf(line)],
  (line) => [subjectOf(line), line['Description']],
  (line) => [line['Description']],
  (line) => [subjectOf(line), amountsOf(line)],
  (line) => [subjectOf(line)],
];

/** Members of a line that both sides added. */
const sameLine: typeof keysOfLines = [
  (line) => [subjectOf(line), line['Description'], amountsOf(line)],
  (line) => [subjectOf(line), amountsOf(line)],
];

/** Pairs the lines of two states of one document, each line once. */
function pairLines(from: readonly JsonObject[], to: readonly JsonObject[]): ReadonlyMap<JsonObject, JsonObject> {
  const pairs = new Map<JsonObject, JsonObject>();
  const isPaired = new Set<JsonObject>();
  const pair = (one: JsonObject, other: JsonObject) => {
    pairs.set(one, other);
    isPaired.add(other);
  };
  for (const members of keysOfLines) {
    const keyOf = (line: JsonObject) => JSON.stringify([line['DetailType'], members(line).map(plain)]);
    const open = Map.groupBy(
      to.filter((line) => !isPaired.has(line)),
      keyOf,
    );
    for (const line of from) {
      if (pairs.has(line)) continue;
      const other = open.get(keyOf(line))?.shift();
      if (other !== undefined) pair(line, other);
    }
  }
  const left = from.filter((line) => !pairs.has(line));
  const others = to.filter((line) => !isPaired.has(line));
  const isAligned =
    left.length === others.length && left.every((line, index) => line['DetailType'] === others[index]?.['DetailType']);
  if (isAligned)
    for (const [index, line] of left.entries()) {
      const other = others[index];
      if (other !== undefined) pair(line, other);
    }
  return pairs;
}

/** Pairs lines that both sides added: the same item or account with the same amount, preferably the same text. */
function pairSame(ours: readonly JsonObject[], theirs: readonly JsonObject[]): ReadonlyMap<JsonObject, JsonObject> {
  const left = new Set(theirs);
  const pairs = new Map<JsonObject, JsonObject>();
  const isSameIn = (one: JsonObject, other: JsonObject, members: (typeof keysOfLines)[number]) =>
    one['DetailType'] === other['DetailType'] && isSame([...members(one)].map(plain), [...members(other)].map(plain));
  for (const members of sameLine)
    for (const line of ours) {
      const other = pairs.has(line) ? undefined : [...left].find((one) => isSameIn(line, one, members));
      if (other === undefined) continue;
      pairs.set(line, other);
      left.delete(other);
    }
  return pairs;
}

const typeOf = (line: JsonObject | undefined): string => textAt(line, 'DetailType') ?? '';
const detailOf = (line: JsonObject | undefined): JsonObject => objectOf(line?.[typeOf(line)]);
const subjectOf = (line: JsonObject): Json | undefined => detailOf(line)['ItemRef'] ?? detailOf(line)['AccountRef'];
const classOf = (line: JsonObject): Json | undefined => detailOf(line)['ClassRef'];

/** Returns a line as users read it: `Labor · On-site work · 2 × 90.00 = 180.00`. */
function lineText(line: JsonObject, nameOf: NameOf): string {
  const [item, account] = [detailOf(line)['ItemRef'], detailOf(line)['AccountRef']];
  const list = item === undefined ? 'account' : 'item';
  const id = plain(item ?? account);
  const name = typeof id === 'string' ? (nameOf(list, id) ?? id) : null;
  return [name, textAt(line, 'Description'), amountText(line['Amount'])].filter((part) => part !== null).join(' · ');
}

/** Removes members without a value. */
const present = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));

/** Returns a line of QuickBooks without what QuickBooks computes. */
function withoutComputed(line: JsonObject): JsonObject {
  const type = typeOf(line);
  const { ItemAccountRef: _, ...detail } = objectOf(line[type]);
  const members = Object.entries(line).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return { ...Object.fromEntries(members), ...(line[type] !== undefined && { [type]: detail }) };
}

/** Returns the lines in QuickBooks' order; an added line follows the planned line before it. */
function inOrder(
  found: readonly JsonObject[],
  merged: ReadonlyMap<JsonObject, JsonObject | null>,
  added: readonly { readonly line: JsonObject; readonly after: JsonObject | null }[],
): readonly JsonObject[] {
  const following = Map.groupBy(added, ({ after }) => after);
  const after = (line: JsonObject | null) => (following.get(line) ?? []).map((one) => one.line);
  return [...after(null), ...found.flatMap((line) => [...[merged.get(line) ?? []].flat(), ...after(line)])];
}

const numbered = (lines: readonly JsonObject[]): readonly JsonObject[] =>
  lines.map((line, index) => (line['DetailType'] === 'DiscountLineDetail' ? line : { ...line, LineNum: index + 1 }));
