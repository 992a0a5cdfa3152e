import { expect, test } from 'vitest';
import { z } from 'zod';
import { login, masquerade, signOn } from './auth.ts';
import { queryWhole } from './fields.ts';
import { sentenceOf } from './sentences.ts';

const schema = z.strictObject({
  username: z.string().min(1).max(5),
  mode: z.enum(['test', 'live']),
  invoice_ids: z.array(z.int().positive()).min(1).max(2),
  time_zone: z.string().optional(),
  client_id: z.uuid(),
  inner: z.strictObject({ sourceValue: z.string() }).optional(),
  inv_max_age_days: z.number().optional(),
  page_size: queryWhole(1, 200).default(25),
  own: z.string().regex(/^x$/, 'Write x.').optional(),
});
const right = { username: 'ann', mode: 'test', invoice_ids: [1], client_id: '00000000-0000-4000-8000-000000000000' };

test.each([
  ['/auth/login', login.body, { username: 'ü'.repeat(255), password: 'x' }, 'Email may have at most 254 characters.'],
  ['/auth/login', login.body, { username: 7, password: 'x' }, 'Credentials not provided.'],
  ['/auth/login', login.body, { username: ' ', password: 'x' }, 'Credentials not provided.'],
  ['/auth/masquerade', masquerade.body, { client_id: null }, 'Client not selected.'],
  ['/auth/masquerade', masquerade.body, { client_id: 'x'.repeat(101) }, 'Client id may have at most 100 characters.'],
  ['/auth/sso', signOn.body, { token: '' }, 'Token not provided.'],
  ['/auth/sso', signOn.body, { token: 'x'.repeat(201) }, 'Token may have at most 200 characters.'],
])('%s reports a missing text, and another message for a long one', (_path, body, wrong, message) => {
  const { error } = body.safeParse(wrong, { error: sentenceOf });
  expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test.each([
  [{ username: undefined }, 'Email is missing.'],
  [{ username: '' }, 'Email is missing.'],
  [{ username: 'too long' }, 'Email may have at most 5 characters.'],
  [{ username: 7 }, 'Email must be a text.'],
  [{ mode: 'now' }, 'Mode must be one of: test, live.'],
  [{ mode: undefined }, 'Mode is missing.'],
  [{ invoice_ids: [] }, 'The list of invoices is empty.'],
  [{ invoice_ids: [1, 2, 3] }, 'The list of invoices may have at most 2 entries.'],
  [{ invoice_ids: [1, 'two'] }, 'Entry 2 of the list of invoices must be a number.'],
  [{ invoice_ids: [1, -2] }, 'Entry 2 of the list of invoices must be more than 0.'],
  [{ time_zone: 1 }, 'Time zone must be a text.'],
  [{ client_id: 'no' }, 'Client id is not an id.'],
  [{ inner: {} }, 'Source value is missing.'],
  [{ inner: { sourceValue: 'a', other: 1 } }, 'There is no field “other”.'],
  [{ inv_max_age_days: 'x' }, 'Invoice max age must be a number.'],
  [{ page_size: 'all' }, 'Page size must be a whole number.'],
  [{ page_size: '1.5' }, 'Page size must be a whole number.'],
  [{ page_size: '0' }, 'Page size must be at least 1.'],
  [{ page_size: '201' }, 'Page size must be at most 200.'],
  [{ own: 'y' }, 'Write x.'],
])('rejects %j with a readable message', (wrong, message) => {
  const { error } = schema.safeParse({ ...right, ...wrong }, { error: sentenceOf });
  expect(error?.issues.map(({ message }) => message)).toEqual([message]);
});
