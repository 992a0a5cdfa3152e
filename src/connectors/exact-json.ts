import { decimal, type Decimal } from '#core/values/decimal.ts';
import type { Json } from '#core/values/json.ts';

/** What the runtime offers and the library's types do not know yet. */
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
 * @throws SyntaxError when the text is not JSON.
 */
export function parseExact(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !survives(source, value) ? source : value,
  );
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
