import { z } from 'zod';

/**
 * Generates the largest value that a schema accepts: all fields, maximum lists, and multibyte texts.
 *
 * @param maxItems of each list.
 */
export function largestValue(schema: z.ZodType, maxItems = 1_000): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return largestValue(schema.unwrap() as z.ZodType, maxItems);
  if (schema instanceof z.ZodPrefault) return largestValue(schema.unwrap() as z.ZodType, maxItems);
  if (schema instanceof z.ZodPipe) return largestValue(schema.in as z.ZodType, maxItems);
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([key, inner]) => [key, largestValue(inner as z.ZodType, maxItems)]),
    );
  if (schema instanceof z.ZodUnion) return largestValue(schema.options.at(-1) as z.ZodType);
  if (schema instanceof z.ZodArray) {
    const { maximum = maxItems } = schema._zod.bag as { readonly maximum?: number };
    return Array.from({ length: Math.min(maximum, maxItems) }, () =>
      largestValue(schema.element as z.ZodType, maxItems),
    );
  }
  if (schema instanceof z.ZodString) return text(schema);
  if (schema instanceof z.ZodNumber) return schema.maxValue === null ? Number.MAX_SAFE_INTEGER : schema.maxValue;
  if (schema instanceof z.ZodLiteral) return [...schema.values][0];
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodRecord) return {};
  return null;
}

const texts = new WeakMap<z.ZodString, string>();

function text(schema: z.ZodString): string {
  const found = texts.get(schema) ?? longestText(schema);
  texts.set(schema, found);
  return found;
}

function longestText(schema: z.ZodString): string {
  const longest = '\u{fb03}'.repeat(schema.maxLength ?? 100);
  const shaped = ['Europe/Berlin', 'a@b.example', '2025-03-01', '2025-02', '1.00', '1', 'Field'];
  const id = '3f0c8f0e-6a52-4a55-9f2a-0b6d9a1c7e11';
  return [longest, id, ...shaped].find((one) => schema.safeParse(one).success) ?? longest;
}
