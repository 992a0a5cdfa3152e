/** The control API was asked something it cannot do; its message says what is wrong, and the answer is a 400. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}

/** A JSON object whose values are not known yet. */
export type JsonObject = Record<string, unknown>;

/** True for a JSON object: neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Takes a JSON object that has no other keys than the allowed ones.
 * Throws BadInput naming `what` and the key that does not belong.
 */
export function objectWith(value: unknown, allowed: readonly string[] | undefined, what: string): JsonObject {
  if (!isObject(value)) throw new BadInput(`${what} must be a JSON object.`);
  const stranger = allowed && Object.keys(value).find((key) => !allowed.includes(key));
  if (stranger !== undefined)
    throw new BadInput(`${what} has no “${stranger}”. It may have: ${(allowed ?? []).join(', ')}.`);
  return value;
}

/** Takes a number within bounds, or undefined when the key is absent. Throws BadInput naming `what`. */
export function optionalNumber(
  value: unknown,
  what: string,
  bounds: { readonly min?: number; readonly max?: number; readonly whole?: boolean } = {},
): number | undefined {
  if (value === undefined) return undefined;
  const { min = -Infinity, max = Infinity, whole = false } = bounds;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new BadInput(`${what} must be a number.`);
  if (whole && !Number.isInteger(value)) throw new BadInput(`${what} must be a whole number.`);
  if (value < min) throw new BadInput(`${what} must be ${min} or more.`);
  if (value > max) throw new BadInput(`${what} must be ${max} or less.`);
  return value;
}

/** Takes a text, or undefined when the key is absent. Throws BadInput naming `what`. */
export function optionalText(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new BadInput(`${what} must be a text.`);
  return value;
}

/** Takes true or false, or undefined when the key is absent. Throws BadInput naming `what`. */
export function optionalBoolean(value: unknown, what: string): boolean | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'boolean') throw new BadInput(`${what} must be true or false.`);
  return value;
}

/** Takes a calendar date (YYYY-MM-DD), or undefined when the key is absent. Throws BadInput naming `what`. */
export function optionalDate(value: unknown, what: string): string | undefined {
  const text = optionalText(value, what);
  if (text === undefined) return undefined;
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (instant === undefined || Number.isNaN(instant.getTime()) || instant.toISOString().slice(0, 10) !== text)
    throw new BadInput(`${what} must be a date like 2025-03-03.`);
  return text;
}

/** Reads JSON text. Throws BadInput naming `what` when it is none. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadInput(`${what} is not JSON.`);
  }
}
