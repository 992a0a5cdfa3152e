import { z } from 'zod';
import type { RouteDefinition } from '#contract/define.ts';
import { sentenceOf, unknownField } from '#contract/sentences.ts';
import { Refusal } from '#core/refusal.ts';

/** Largest body of any call, in bytes (contract, section 3); only mappings and webhooks come near it. */
export const bodyLimit = 1_048_576;
/** Largest body of a call that needs no session, in bytes. */
export const publicBodyLimit = 16_384;
/** Body limit of most calls, and of calls without a body, in bytes. */
const smallestLimit = 2_048;
/** Body limit of a call whose schema takes long lists, in bytes; more has to be declared by the route. */
const largestLimit = 65_536;
/** A body takes one slot of the fair queue for each of these bytes. */
export const bytesPerSlot = 65_536;

/** Largest body that a call accepts, in bytes: what its schema takes at most, within limits, or what the route declares. */
export function bodyLimitOf({ body, bodyBytes, roles, speaks }: RouteDefinition): number {
  if (bodyBytes !== undefined) return bodyBytes;
  const largest = roles === 'public' ? publicBodyLimit : largestLimit;
  if (body === undefined) return smallestLimit;
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  const bytesPerUnit = speaks === 'browser' ? 3 * utf8BytesPerUnit : utf8BytesPerUnit;
  return Math.min(largest, Math.max(smallestLimit, largestText(schema as Described, bytesPerUnit)));
}

/** The part of a JSON schema that bounds the length of a text. */
interface Described {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: Described | boolean;
  readonly anyOf?: readonly Described[];
}

/** A text or a list without a bound of its own counts as this long; a form has this many fields of a connector. */
const usual = { text: 100, items: 20, record: 1_024, describedFields: 4 } as const;
/** Most bytes of a UTF-16 unit in UTF-8; a form writes each of them as three characters. */
const utf8BytesPerUnit = 3;

/**
 * Bytes of the longest text that a schema describes, as JSON or as a form.
 *
 * @param bytesPerUnit most bytes of a UTF-16 unit.
 */
function largestText(described: Described, bytesPerUnit: number): number {
  const { type, maxLength, maxItems, items, properties, additionalProperties, anyOf } = described;
  const largest = (inner: Described) => largestText(inner, bytesPerUnit);
  if (described.enum !== undefined) return Math.max(...described.enum.map((one) => JSON.stringify(one).length));
  if (described.const !== undefined) return JSON.stringify(described.const).length;
  if (anyOf !== undefined) return Math.max(...anyOf.map(largest));
  if (properties !== undefined) {
    const others =
      typeof additionalProperties === 'object'
        ? usual.describedFields * (usual.text + largest(additionalProperties))
        : 0;
    return Object.entries(properties).reduce((sum, [key, value]) => sum + key.length + 4 + largest(value), 2 + others);
  }
  if (type === 'array') return 2 + (maxItems ?? usual.items) * (1 + largest(items ?? {}));
  if (type === 'string') return 2 + (maxLength ?? usual.text) * bytesPerUnit;
  if (type === 'object') return usual.record;
  return 20;
}

/** Levels of objects and lists in a body; the deepest that any call takes has six. */
const deepest = 16;
/** Values in a body: a thousand mappings have nine thousand. */
const mostValues = 20_000;
/** Keys besides the named ones in a form whose fields a connector describes; the longest has a handful. */
const mostDescribedKeys = 16;

/**
 * Refuses a JSON text with too many levels or values before it is parsed, in one pass over its characters.
 *
 * @throws Refusal `validation_failed` (400).
 */
export function refuseHostileJson(text: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        if (depth > deepest) throw notUnderstood(`it has more than ${deepest} levels.`);
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      case comma:
        values += 1;
        if (values > mostValues) throw notUnderstood(`it has more than ${mostValues} values.`);
        break;
      default:
    }
  }
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Index of the quotation mark that ends the string which begins at an index; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

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

/** Lists of more elements are checked one by one, because a schema collects every fault of all elements. */
const longList = 20;

/**
 * Refuses the first faulty element of a long list, so that thousands of faults cost no more than one. Short lists are
 * left to the schema, which reports all their faults.
 *
 * @throws Refusal `validation_failed` (400).
 */
export function refuseFirstFault(
  schema: z.ZodType | undefined,
  value: unknown,
  path: readonly PropertyKey[] = [],
): void {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return refuseFirstFault(schema.unwrap() as z.ZodType, value, path);
  if (schema instanceof z.ZodObject && isObject(value))
    for (const [key, inner] of Object.entries(schema.shape))
      refuseFirstFault(inner as z.ZodType, value[key], [...path, key]);
  if (!(schema instanceof z.ZodArray) || !Array.isArray(value) || value.length <= longList) return;
  const element = schema.element as z.ZodType;
  value.forEach((one: unknown, index) => {
    const [issue] = element.safeParse(one, { reportInput: true }).error?.issues ?? [];
    if (issue === undefined) return;
    const whole = { ...issue, path: [...path, index, ...issue.path] } as z.core.$ZodRawIssue;
    // A sentence of the schema itself remains; ours names the place in the whole body.
    const isOurs = issue.message === sentenceOf(issue as z.core.$ZodRawIssue);
    const error = isOurs ? sentenceOf(whole) : issue.message;
    throw new Refusal('invalid', 'validation_failed', error, [{ key: (whole.path ?? []).join('.'), error }]);
  });
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
