/** An invalid call of the control API; the message explains the error in a 400 response. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}

/** A JSON object whose values are not known yet. */
export type JsonObject = Record<string, unknown>;

/** Returns true for a JSON object: neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Validates a JSON object with only the allowed keys. Throws BadInput that names `what` and the unknown key. */
export function objectWith(value: unknown, allowed: readonly string[] | undefined, what: string): JsonObject {
  if (!isObject(value)) throw new BadInput(`${what} must be a JSON object.`);
  const stranger = allowed && Object.keys(value).find((key) => !allowed.includes(key));
  if (stranger !== undefined)
    throw new BadInput(`${what} has no “${stranger}”. It may have: ${(allowed ?? []).join(', ')}.`);
  return value;
}

/** Validates a number within bounds; undefined when the key is absent. Throws BadInput that names `what`. */
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

/** Validates a text; undefined when the key is absent. Throws BadInput that names `what`. */
export function optionalText(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new BadInput(`${what} must be a text.`);
  return value;
}

/** Validates a boolean; undefined when the key is absent. Throws BadInput that names `what`. */
export function optionalBoolean(value: unknown, what: string): boolean | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'boolean') throw new BadInput(`${what} must be true or false.`);
  return value;
}

/** Validates a calendar date (YYYY-MM-DD); undefined when the key is absent. Throws BadInput that names `what`. */
export function optionalDate(value: unknown, what: string): string | undefined {
  const text = optionalText(value, what);
  if (text === undefined) return undefined;
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (instant === undefined || Number.isNaN(instant.getTime()) || instant.toISOString().slice(0, 10) !== text)
    throw new BadInput(`${what} must be a date like 2025-03-03.`);
  return text;
}

/** Parses JSON text. Throws BadInput that names `what` when it is invalid. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadInput(`${what} is not JSON.`);
  }
}
