import { z } from 'zod';
import { unknownField } from '#contract/sentences.ts';
import { Refusal } from '#core/refusal.ts';

/** Largest body of a call that needs no session, in bytes; the work for it must be small, for anybody may cause it. */
export const publicBodyLimit = 16_384;
/** Largest body of any call, in bytes (contract, section 3). */
export const bodyLimit = 1_048_576;
/** Levels of objects and lists in a body; the deepest that any call takes has six. */
const deepest = 16;
/** Values in a body: a thousand mappings have nine thousand. */
const mostValues = 20_000;
/** Keys besides the named ones in a form whose fields a connector describes; the longest has a handful. */
const mostDescribedKeys = 16;

/**
 * Looks over one part of a request before its schema does, and stops at the first thing that no call takes: a key that
 * the schema does not know, more described keys than any connector describes, U+0000 (which the database cannot keep in
 * a text, and nobody types), too many levels, too many values.
 *
 * @param known from {@link keysOf}.
 * @throws Refusal `validation_failed` (400).
 */
export function inspect(part: unknown, known: KnownKeys | null): void {
  if (part instanceof Uint8Array) return;
  if (known !== null && isObject(part)) refuseUnknownKey(part, known);
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

/** Keys that a schema takes at its top. */
interface KnownKeys {
  readonly names: ReadonlySet<string>;
  /** How many others it takes besides. */
  readonly others: number;
}

function refuseUnknownKey(part: Readonly<Record<string, unknown>>, { names, others }: KnownKeys): void {
  let unknown = 0;
  for (const key in part) {
    if (names.has(key)) continue;
    unknown += 1;
    if (unknown > others)
      throw new Refusal('invalid', 'validation_failed', unknownField(key), [{ key, error: unknownField(key) }]);
  }
}

/** The keys that a schema takes at its top; null when it takes any, as a list of a client's own words does. */
export function keysOf(schema: z.ZodType | undefined): KnownKeys | null {
  if (schema === undefined) return { names: new Set(), others: 0 };
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return keysOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodObject) {
    const { catchall } = schema.def;
    // Keys of a query without a rule are left out by its schema; a form with a rule for them is described by a connector.
    if (catchall === undefined) return null;
    return {
      names: new Set(Object.keys(schema.shape)),
      others: catchall instanceof z.ZodNever ? 0 : mostDescribedKeys,
    };
  }
  if (!(schema instanceof z.ZodUnion)) return null;
  const options = schema.options.map((option) => keysOf(option as z.ZodType)).filter((keys) => keys !== null);
  if (options.length < schema.options.length) return null;
  return {
    names: new Set(options.flatMap(({ names }) => [...names])),
    others: Math.max(...options.map(({ others }) => others)),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function refuseNul(text: string): void {
  if (text.includes('\0'))
    throw new Refusal('invalid', 'validation_failed', 'The request holds a character that is not allowed.');
}

const notUnderstood = (why: string): Refusal =>
  new Refusal('invalid', 'validation_failed', `The request was not understood: ${why}`, [{ key: '', error: why }]);
