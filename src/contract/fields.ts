import { z } from 'zod';
import { labelOf } from './sentences.ts';

/** Parameters of a text schema: the message for a value that is no text. Other checks keep their messages. */
export const ifNoText = (message: string) => ({
  error: ({ code }: { readonly code: string }) => (code === 'invalid_type' ? message : undefined),
});

/** `true` or `false` in a query string. */
export const queryBoolean = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Requests lists that bypass the cache. */
export const refreshQuery = z.strictObject({
  refresh: queryBoolean.prefault('false').describe('Reads from the service instead of the cache.'),
});

/** A whole number in a query string, within limits. */
export const queryWhole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: ({ path = [] }) => `${labelOf(path)} must be a whole number.` })
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** Ids of Tallybridge records. */
export const uuid = z.uuid();

/** Id of a PSA record. */
export const psaId = z.int().positive();

/** Search text from the user. */
export const searchText = z.string().trim().max(200);

/** An exact amount as decimal text. */
export const decimalText = z.string().regex(/^-?\d+(\.\d+)?$/);

/** Key of a field that both sides changed, as a review lists it. */
export const fieldKey = z.string().regex(/^[0-9a-f]{32}$/, 'Use a key that the review lists.');

/** One of the two services. */
export const side = z.enum(['psa', 'accounting']);

/** A JSON object of a connected service, passed on unchanged. */
export const foreignObject = z.record(z.string(), z.unknown());

/** Any value of a form field, as a form read it. */
export const seenValue = z.union([
  z.boolean(),
  z.number(),
  z.string().max(500),
  z.array(z.string().max(254)).max(50),
  z.null(),
]);

/** Description of the values that a form read. */
export const wasText =
  'Values that the caller read, by field. If the stored value of one of them differs, nothing is saved and the response is a conflict (409, `changed_meanwhile`) that names the fields. Fields that are not named are not checked.';

/** The values of some fields as a form read them. */
export const wasOf = <Key extends string>(keys: readonly Key[]) =>
  z
    .strictObject(Object.fromEntries(keys.map((key) => [key, seenValue])) as Record<Key, typeof seenValue>)
    .partial()
    .describe(wasText);

/** An instant in UTC, ISO 8601. */
export const instantText = z.string();

/** Page number (from 1) and page size (at most 200 rows). */
export const paging = (pageSize: number) => ({
  page: queryWhole(1, 1_000_000).default(1).describe('Counted from 1.'),
  page_size: queryWhole(1, 200).default(pageSize),
});

/** The user who is responsible for something that users set up for the client. */
export const ownerReply = z.strictObject({
  username: z.string().describe('The creator, or the user to whom it was handed over.'),
  is_active: z.boolean().describe('False for a former user, and for a system administrator who acted as the client.'),
});
