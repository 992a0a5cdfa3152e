import { z } from 'zod';
import type { RouteDefinition } from '#contract/define.ts';
import { sentenceOf, unknownField } from '#contract/sentences.ts';
import { Refusal } from '#core/refusal.ts';

/** Maximum body of all calls, in bytes (contract, section 3). Only mappings and webhooks need this much. */
export const bodyLimit = 1_048_576;
/** Maximum body of a call without a session, in bytes. */
export const publicBodyLimit = 16_384;
/** Body limit of most calls and of calls without a body, in bytes. */
const smallestLimit = 2_048;
/** Body limit of calls whose schema takes long lists, in bytes; a route must declare a higher limit. */
const largestLimit = 65_536;
/** A body takes one slot of the fair queue per this many bytes. */
export const bytesPerSlot = 65_536;

/**
 * Returns the body limit of a call in bytes: the maximum size that its schema allows, between the two limits, or the
 * size that the route declares.
 */
export function bodyLimitOf({ body, bodyBytes, roles, speaks }: RouteDefinition): number {
  if (bodyBytes !== undefined) return bodyBytes;
  const largest = roles === 'public' ? publicBodyLimit : largestLimit;
  if (body === undefined) return smallestLimit;
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  const bytesPerUnit = speaks === 'browser' ? 3 * utf8BytesPerUnit : utf8BytesPerUnit;
  return Math.min(largest, Math.max(smallestLimit, largestText(schema as Described, bytesPerUnit)));
}

/** The fields of a JSON schema that limit the length of a text. */
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

/** Assumed length of a text or a list without a limit, and number of a connector's fields in a form. */
const usual = { text: 100, items: 20, record: 1_024, describedFields: 4 } as const;
/** Maximum UTF-8 bytes of a UTF-16 unit; a form encodes each byte as three characters. */
const utf8BytesPerUnit = 3;

/**
 * Returns the size of the longest text that a schema allows, as JSON or as a form, in bytes.
 *
 * @param bytesPerUnit maximum bytes of a UTF-16 unit.
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

/** Maximum depth of a body; the deepest valid body has six levels. */
const maxLevels = 16;
/** Maximum number of values in a body; a change of 20,000 mappings has 80,000 values. */
const maxValues = 100_000;
/** Maximum number of additional keys in a form with the fields of a connector; connectors have far fewer. */
const maxDescribedKeys = 16;

/**
 * Rejects a JSON text with too many levels or values before it is parsed, in one pass over its characters.
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
        if (depth > maxLevels) throw notUnderstood(`it has more than ${maxLevels} levels.`);
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      case comma:
        values += 1;
        if (values > maxValues) throw notUnderstood(`it has more than ${maxValues} values.`);
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

/** Returns the index of the closing quotation mark of the string that starts at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/**
 * Checks one part of a request before its schema does, and stops at the first error: an unknown key, too many
 * additional keys, U+0000 (which PostgreSQL cannot store in a text), too many levels, or too many values.
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
    if (depth > maxLevels) throw notUnderstood(`it has more than ${maxLevels} levels.`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') refuseNul(value);
      if (typeof value !== 'object' || value === null) continue;
      for (const [key, inner] of Object.entries(value)) {
        values += 1;
        if (values > maxValues) throw notUnderstood(`it has more than ${maxValues} values.`);
        refuseNul(key);
        next.push(inner);
      }
    }
    level = next;
  }
}

/** Longer lists are checked element by element, because a schema collects the errors of all elements. */
const longList = 20;

/**
 * Rejects the first invalid element of a long list, so that thousands of errors cost no more than one. The schema
 * checks short lists and reports all their errors.
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
    // The schema's own message is unchanged; a generated message names the place in the whole body.
    const isOurs = issue.message === sentenceOf(issue as z.core.$ZodRawIssue);
    const error = isOurs ? sentenceOf(whole) : issue.message;
    throw new Refusal('invalid', 'validation_failed', error, [{ key: (whole.path ?? []).join('.'), error }]);
  });
}

/** Keys that a schema accepts at its top level. */
interface KnownKeys {
  readonly names: ReadonlySet<string>;
  /** Maximum number of additional keys. */
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

/**
 * Returns the keys that a schema accepts at its top level; null if it accepts any key, such as names chosen by the
 * client.
 */
export function keysOf(schema: z.ZodType | undefined): KnownKeys | null {
  if (schema === undefined) return { names: new Set(), others: 0 };
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return keysOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodObject) {
    const { catchall } = schema.def;
    // A schema without a catchall ignores unknown keys of a query. A form with a catchall has the fields of a
    // connector.
    if (catchall === undefined) return null;
    return {
      names: new Set(Object.keys(schema.shape)),
      others: catchall instanceof z.ZodNever ? 0 : maxDescribedKeys,
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
