import { decimal, type Decimal } from '#core/values/decimal.ts';
import type { Json } from '#core/values/json.ts';

/** Parameters of JSON's functions that the runtime offers and the library's types do not know yet. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): Json;
}
const json = JSON as unknown as SourceTextJson;

/**
 * Parses JSON without losing a digit: a number that binary floating point cannot give back stays the text it was
 * written as, every other number is a JavaScript number.
 *
 * @throws SyntaxError when the text is not JSON, when an object has one key twice, as nobody can say which of the two
 * values was meant (fault row N9), or when it is nested deeper than {@link deepestNesting}.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Of a key that stands twice only the second is held.
  if (keysWritten(text) !== keysHeld(value)) throw new SyntaxError('A key stands twice in one object.');
  if (!mayLoseDigits.test(text)) return value;
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !survives(source, value) ? source : value,
  );
}

/** Levels of objects and lists in one text: answers of both services have fewer than ten. */
const deepestNesting = 100;

/**
 * Found in every text that has a number which {@link survives} looks at, and in some that have none: reading each number with
 * its source takes several times as long.
 */
const mayLoseDigits = /(^|[:,[\s])-?([\d.]{15}|[\d.]+[eE])/;

/** Keys that stand in a text that is JSON, each as often as it does. */
function keysWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at = endOfText(text, at) + 1;
    while (isBlank(text.charCodeAt(at))) at += 1;
    if (text[at] === ':') count += 1;
  }
  return count;
}

/** Blanks that JSON has between its parts: space, tab and the ends of lines. */
const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

/** Keys of all objects in a value. */
function keysHeld(value: unknown, level = 1): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (level > deepestNesting) throw new SyntaxError('Nested too deep.');
  const inside: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : inside.length;
  for (const one of inside) count += keysHeld(one, level + 1);
  return count;
}

/** Position at which the text that begins at a quotation mark ends. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (; ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** Up to 15 significant digits go through a double and back unchanged (IEEE 754); beyond that we compare. */
function survives(source: string, value: number): boolean {
  if (source.length <= 15 && !/e/i.test(source)) return true;
  return Number.isFinite(value) && decimal(source) === decimal(String(value));
}

/**
 * Reads a number of {@link parseExact}, or one that the service wrote as text.
 *
 * @throws RangeError when it is neither.
 */
export const toDecimal = (value: number | string): Decimal => decimal(String(value));

/** A decimal for showing: the JSON number when a double holds it exactly, otherwise its text. */
export function shownNumber(value: Decimal): Json {
  const number = Number(value);
  return decimal(String(number)) === value ? number : value;
}

/** A decimal for sending: exactly these digits, as a JSON number; only `JSON.stringify` can read the marker. */
export const sentNumber = (value: Decimal): Json => json.rawJSON(value);
