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
 * @throws SyntaxError when the text is not JSON, or when an object has one key twice: nobody can say which of the two
 * values was meant (fault row N9).
 */
export function parseExact(text: string): unknown {
  const value = json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !survives(source, value) ? source : value,
  );
  refuseDoubledKeys(text);
  return value;
}

/** Looks for a key that stands twice in one object of a text that is JSON. */
function refuseDoubledKeys(text: string): void {
  /** The keys of each object that is open, innermost last; null for a list. */
  const open: (Set<string> | null)[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
        open.push(new Set());
        expectsKey = true;
        break;
      case '[':
        open.push(null);
        expectsKey = false;
        break;
      case '}':
      case ']':
        open.pop();
        expectsKey = false;
        break;
      case ',':
        expectsKey = open.at(-1) !== null;
        break;
      case '"': {
        const end = endOfText(text, at);
        const keys = open.at(-1);
        if (expectsKey && keys !== null && keys !== undefined) {
          const written = text.slice(at, end + 1);
          const key = written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1);
          if (keys.has(key)) throw new SyntaxError('A key stands twice in one object.');
          keys.add(key);
          expectsKey = false;
        }
        at = end;
        break;
      }
      default:
    }
  }
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
