import { decimal, type Decimal } from '#core/values/decimal.ts';
import type { Json } from '#core/values/json.ts';

/** Parameters of JSON's functions that the runtime supports but the library types do not include yet. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): Json;
}
const json = JSON as unknown as SourceTextJson;

/**
 * Parses JSON without losing a digit: a number that a double cannot represent exactly is returned as its original text,
 * every other number as a JavaScript number.
 *
 * @throws SyntaxError if the text is not JSON, if an object has a duplicate key, because the intended value is unknown
 *   (fault row N9), or if it is nested deeper than {@link deepestNesting}.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // For a duplicate key, the parsed value contains only the second one.
  if (keysWritten(text) !== keysHeld(value)) throw new SyntaxError('An object has the same key twice.');
  if (!mayLoseDigits.test(text)) return value;
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !survives(source, value) ? source : value,
  );
}

/** Maximum levels of objects and lists in one text: answers of both services have fewer than ten. */
const deepestNesting = 100;

/**
 * Matches every text with a number that {@link survives} must check, and some without. Reading each number with its
 * source takes several times as long.
 */
const mayLoseDigits = /(^|[:,[\s])-?([\d.]{15}|[\d.]+[eE])/;

/** Counts the keys in a JSON text, including duplicates. */
function keysWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at = endOfText(text, at) + 1;
    while (isBlank(text.charCodeAt(at))) at += 1;
    if (text[at] === ':') count += 1;
  }
  return count;
}

/** JSON whitespace: space, tab and line endings. */
const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

/** Counts the keys of all objects in a value. */
function keysHeld(value: unknown, level = 1): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (level > deepestNesting) throw new SyntaxError('Nested too deep.');
  const inside: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : inside.length;
  for (const one of inside) count += keysHeld(one, level + 1);
  return count;
}

/** Returns the end position of the string that begins at a quotation mark. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (; ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** Up to 15 significant digits survive conversion to a double and back (IEEE 754); longer numbers are compared. */
function survives(source: string, value: number): boolean {
  if (source.length <= 15 && !/e/i.test(source)) return true;
  return Number.isFinite(value) && decimal(source) === decimal(String(value));
}

/**
 * Converts a number from {@link parseExact}, or one that the service wrote as text.
 *
 * @throws RangeError if it is neither.
 */
export const toDecimal = (value: number | string): Decimal => decimal(String(value));

/** Returns a decimal for display: a JSON number if a double represents it exactly, otherwise its text. */
export function shownNumber(value: Decimal): Json {
  const number = Number(value);
  return decimal(String(number)) === value ? number : value;
}

/**
 * Returns a decimal for sending: a JSON number with exactly these digits; only `JSON.stringify` can read the marker.
 */
export const sentNumber = (value: Decimal): Json => json.rawJSON(value);
