import { z } from 'zod';
import { Refusal } from '#core/refusal.ts';

/** Largest body of a call that needs no session, in bytes; the work for it must be small, for anybody may cause it. */
export const publicBodyLimit = 16_384;
/** Largest body of any call, in bytes (contract, section 3). */
export const bodyLimit = 1_048_576;
/** Levels of objects and lists in a body; the deepest that any call takes has six. */
const deepest = 16;
/** Values in a body: a thousand mappings have nine thousand. */
const mostValues = 20_000;

/**
 * Looks over one part of a request before its schema does, and stops at the first thing that no call takes: a key that
 * the schema does not know, U+0000 (which the database cannot keep in a text, and nobody types), too many levels, too
 * many values.
 *
 * @param known from {@link keysOf}.
 * @throws Refusal `validation_failed` (400).
 */
export function inspect(part: unknown, known: ReadonlySet<string> | null): void {
  if (part instanceof Uint8Array) return;
  if (known !== null && isObject(part))
    for (const key in part) if (!known.has(key)) throw notUnderstood(`Unrecognized key: "${key.slice(0, 100)}"`);
  let values = 0;
  let level: unknown[] = [part];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) throw notUnderstood(`it has more than ${deepest} levels.`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') refuseNul(value);
      if (typeof value !== 'object' || value === null) continue;
      for (const [key, inner] of Object.entries(value)) {
        values += 1;
        if (values > mostValues) throw notUnderstood(`it has more than ${mostValues} values.`);
        refuseNul(key);
        next.push(inner);
      }
    }
    level = next;
  }
}

/** The keys that a schema takes at its top; null when it takes any. */
export function keysOf(schema: z.ZodType | undefined): ReadonlySet<string> | null {
  if (schema === undefined) return new Set();
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return keysOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodObject)
    return schema.def.catchall instanceof z.ZodNever ? new Set(Object.keys(schema.shape)) : null;
  if (!(schema instanceof z.ZodUnion)) return null;
  const options = schema.options.map((option) => keysOf(option as z.ZodType));
  return options.includes(null) ? null : new Set(options.flatMap((keys) => [...(keys ?? [])]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function refuseNul(text: string): void {
  if (text.includes('\0'))
    throw new Refusal('invalid', 'validation_failed', 'The request holds a character that is not allowed.');
}

const notUnderstood = (why: string): Refusal =>
  new Refusal('invalid', 'validation_failed', `The request was not understood: ${why}`, [{ key: '', error: why }]);
