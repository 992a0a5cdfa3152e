import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { narrowed, route } from './define.ts';
import { decimalText, foreignObject, instantText, paging, queryBoolean, searchText } from './fields.ts';
import { documentView, ledgerEntry } from './planned.ts';
import { problem } from './problem.ts';

const type = z.enum(kindNames);

/** The document of a row, by what a person looks for. */
export const documentHead = {
  what: z.string().nullable().describe('What the document is called, e.g. Credit memo; null where it was never known.'),
  number: z.string().nullable().describe('Its number in the books, or while it has none there, in the PSA.'),
  party: z.string().nullable().describe('The customer, the vendor or the employee.'),
  date: z.iso.date().nullable(),
  amount: decimalText.nullable().describe('Signed: a credit memo is negative.'),
  currency: z.string().nullable().describe('ISO 4217.'),
};

export const logHead = z.strictObject({
  Key: z.string(),
  LastModified: instantText,
  type,
  entityid: z.int().describe('Id of the document in the PSA.'),
  test: z.boolean(),
  manual: z.boolean(),
  success: z.boolean(),
  awaits_approval: z.boolean().describe('The document was left waiting for approval: nothing was posted.'),
  ...documentHead,
  message: z.string().describe('What happened, for a person; in lists at most 300 characters.'),
});
export type LogHeadReply = z.output<typeof logHead>;

/** The details of one row; the document stands under the name of its form in the books. */
export const logDetail = z.strictObject({
  ...logHead.shape,
  transcript: z.string(),
  problems: z.array(problem),
  invoice: foreignObject.optional(),
  purchase_order: foreignObject.optional(),
  bill: foreignObject.optional(),
  preview: z
    .strictObject({ document: documentView, currency: z.string(), entries: z.array(ledgerEntry) })
    .nullable()
    .describe('The document in names, and what it books; null where nothing was planned.'),
  pages: z
    .strictObject({ psa: z.string().nullable(), accounting: z.string().nullable() })
    .describe('Where people see the document in each service; null where no such page is known.'),
  raw: z.unknown().describe('The stored entry, whole.'),
});
export type LogDetail = z.output<typeof logDetail>;

const sortKeys = ['LastModified', 'type', 'entityid', 'test', 'manual', 'success'] as const;
export type LogSortKey = (typeof sortKeys)[number];
const sort = z
  .enum(sortKeys.flatMap((key): (LogSortKey | `-${LogSortKey}`)[] => [key, `-${key}`]))
  .default('-LastModified')
  .describe('A leading minus sorts descending.');

const day = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .describe('A day in the PSA’s time zone, taken whole, or an instant.');

const listQuery = z.strictObject({
  type: type.optional(),
  mode: z.enum(['test', 'live']).optional(),
  manual: queryBoolean.optional(),
  success: queryBoolean.optional(),
  after: day.optional(),
  before: day.optional(),
  q: searchText.optional().describe('PSA id, document number or words of the message.'),
  sort,
  ...paging(10),
});
const keyQuery = z.strictObject({ key: z.string().min(1).max(200) });
const listReply = z.strictObject({
  logs: z.array(logHead),
  total: z.int().describe('Entries that pass the filters, counted up to 10,000, of a search up to 1,000.'),
  more: z
    .boolean()
    .describe('There are more than the total; they are reached by other filters, such as a shorter time.'),
});
const detailReply = z.strictObject({ log: logDetail });

/** Reads one entry with `key`, and without it a page of the list. */
export const logs = route({
  method: 'GET',
  path: '/api/my/logs',
  summary: 'The log: a page of it, or with `key` one entry in detail.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: ['query.key'],
  query: z.strictObject({ ...listQuery.shape, key: keyQuery.shape.key.optional() }),
  reply: z.union([detailReply, listReply]),
});

export const listLogs = narrowed(logs, { query: listQuery, reply: listReply });
export const readLog = narrowed(logs, { query: keyQuery, reply: detailReply });
