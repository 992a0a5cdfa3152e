import { z } from 'zod';
import type { RouteDefinition } from '#contract/define.ts';

/** One value of a request, e.g. `params.id` or `body.xrefs[].id`. */
export interface RequestValue {
  readonly at: string;
  /** The schema lists all allowed values, so none can name a record. */
  readonly isClosed: boolean;
  readonly isRequired: boolean;
  /** Any text is allowed, so an id is too. */
  readonly isText: boolean;
  /** A value that the schema accepts, if it is specific enough. */
  readonly sample: unknown;
}

/** A JSON schema, as far as the contract uses it. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  /** Items of a list with a fixed order; such a list is one value. */
  readonly prefixItems?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly propertyNames?: Shape;
  readonly default?: unknown;
}

const parts = ['params', 'query', 'body'] as const;

/** Returns every place of a call's request that takes a value, including nested ones and lists. */
export function requestValuesOf(definition: RouteDefinition): readonly RequestValue[] {
  const found =
    known.get(definition) ??
    parts.flatMap((part) => {
      const schema = definition[part];
      if (schema === undefined) return [];
      return walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape, part, true);
    });
  known.set(definition, found);
  return found;
}

const known = new Map<RouteDefinition, readonly RequestValue[]>();

function walk(shape: Shape, at: string, isRequired: boolean): readonly RequestValue[] {
  const place = (isClosed: boolean, sample: unknown): readonly RequestValue[] => [
    { at, isClosed, isRequired, isText: !isClosed && (shape.type === undefined || shape.type === 'string'), sample },
  ];
  if (shape.const !== undefined) return place(true, shape.const);
  if (shape.enum !== undefined) return place(true, shape.enum[0]);
  if (shape.anyOf !== undefined) {
    // Of several variants, only the first one's required places are sent.
    const [first = [], ...others] = shape.anyOf.map((one) => walk(one, at, isRequired));
    return unique([...first, ...others.flat().map((one) => ({ ...one, isRequired: false }))]);
  }
  if (shape.properties !== undefined)
    // Values that the caller saw are all compared in the same way, so one of them represents the others.
    return Object.entries(shape.properties)
      .slice(0, at === 'body.was' ? 1 : undefined)
      .flatMap(([key, inner]) => walk(inner, `${at}.${key}`, isRequired && (shape.required ?? []).includes(key)));
  if (shape.prefixItems !== undefined) return place(false, undefined);
  if (shape.items !== undefined) return walk(shape.items, `${at}[]`, isRequired);
  if (shape.type === 'boolean') return place(true, false);
  if (shape.type === 'null') return place(true, null);
  return place(false, undefined);
}

/** If several variants have a place, it is open when one of them is. */
function unique(values: readonly RequestValue[]): readonly RequestValue[] {
  const found = new Map<string, RequestValue>();
  for (const value of values) {
    const known = found.get(value.at);
    found.set(
      value.at,
      known === undefined || (known.isClosed && !value.isClosed)
        ? {
            ...value,
            isRequired: known?.isRequired ?? value.isRequired,
            isText: value.isText || known?.isText === true,
          }
        : { ...known, isText: known.isText || value.isText },
    );
  }
  return [...found.values()];
}

/** Returns the objects of a request that accept unknown keys, for example `body` or `query.filter[]`. */
export function openObjectsOf(definition: RouteDefinition): readonly string[] {
  return parts.flatMap((part) => {
    const schema = definition[part];
    return schema === undefined ? [] : spots(schema, part);
  });
}

function spots(schema: z.ZodType, at: string): readonly string[] {
  const inside = (inner: unknown, where = at) => spots(inner as z.ZodType, where);
  if (schema instanceof z.ZodObject) {
    const isStrict = schema.def.catchall instanceof z.ZodNever;
    const fields = Object.entries(schema.shape).flatMap(([key, inner]) => inside(inner, `${at}.${key}`));
    return isStrict ? fields : [at, ...fields];
  }
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny || schema instanceof z.ZodRecord) return [at];
  if (schema instanceof z.ZodArray) return inside(schema.element, `${at}[]`);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => inside(one));
  if (schema instanceof z.ZodPipe) return inside(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return inside(schema.unwrap());
  return [];
}
