import { z } from 'zod';
import type { Frozen } from './serve.ts';

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** Data with its names in camel case, as flows return it. */
type InCamelCase<T> = T extends readonly (infer One)[]
  ? readonly InCamelCase<One>[]
  : T extends object
    ? { readonly [Key in keyof T as CamelCase<Key>]: InCamelCase<T[Key]> }
    : T;

/**
 * Returns data in the API format: the fields of the schema, each from the same name in camel case. Other fields are left
 * out. Unions and records stay unchanged.
 */
export const toWire = <Schema extends z.ZodType>(
  schema: Schema,
  data: InCamelCase<z.output<Schema>>,
): Frozen<z.output<Schema>> => convert(schema, data) as Frozen<z.output<Schema>>;

function convert(schema: z.core.$ZodType, data: unknown): unknown {
  if (data === null || data === undefined) return data;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return convert(schema.unwrap(), data);
  if (schema instanceof z.ZodArray) return (data as readonly unknown[]).map((one) => convert(schema.element, one));
  if (!(schema instanceof z.ZodObject)) return data;
  const fields = data as Readonly<Record<string, unknown>>;
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  return Object.fromEntries(Object.entries(shape).map(([key, of]) => [key, convert(of, fields[camelCase(key)])]));
}

const names = new Map<string, string>();
/** Large lists ask for the same few names again and again. */
function camelCase(name: string): string {
  const known = names.get(name) ?? name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  names.set(name, known);
  return known;
}
