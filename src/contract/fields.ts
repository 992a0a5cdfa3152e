import { z } from 'zod';

/** `true` or `false` in a query string, nothing else. */
export const queryBoolean = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Asks for lists as they are now. */
export const refreshQuery = z.strictObject({
  refresh: queryBoolean.prefault('false').describe('Reads anew instead of from the cache.'),
});

/** A whole number in a query string, between bounds. */
export const queryWhole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'Enter a whole number.')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `Must be between ${min} and ${max}.`);

/** Ids of our own records. */
export const uuid = z.uuid();

/** Id of a PSA record. */
export const psaId = z.int().positive();

/** Text that people type to search by. */
export const searchText = z.string().trim().max(200);

/** An amount, exact, as decimal text. */
export const decimalText = z.string().regex(/^-?\d+(\.\d+)?$/);

/** A JSON object of an outside service, passed on as it came. */
export const foreignObject = z.record(z.string(), z.unknown());

/** An instant in UTC, ISO 8601. */
export const instantText = z.string();

/** Page of a list: counted from 1, at most 200 rows. */
export const paging = (pageSize: number) => ({
  page: queryWhole(1, 1_000_000).default(1).describe('Counted from 1.'),
  page_size: queryWhole(1, 200).default(pageSize),
});
