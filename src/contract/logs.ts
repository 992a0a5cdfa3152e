import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { forUsers, narrowed, route } from './define.ts';
import { decimalText, foreignObject, instantText, paging, queryBoolean, searchText } from './fields.ts';
import { documentView, ledgerEntry } from './planned.ts';
import { problem } from './problem.ts';

const type = z.enum(kindNames);

/** The fields that identify the document of a log entry. */
export const documentHead = {
  what: z.string().nullable().describe('Name of the document type, e.g. Credit memo; null if unknown.'),
  number: z.string().nullable().describe('Number in QuickBooks, or in the PSA if it has none in QuickBooks.'),
  party: z.string().nullable().describe('Customer, vendor or employee.'),
  date: z.iso.date().nullable(),
  amount: decimalText.nullable().describe('A credit memo is negative.'),
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
  awaits_approval: z.boolean().describe('Whether the document waits for approval; nothing was posted.'),
  on_hold: z.boolean().describe('Whether the document waits for a date or a limit; nothing was posted or failed.'),
  ...documentHead,
  message: z.string().describe('What happened, for the user; at most 300 characters in lists.'),
});
export type LogHeadReply = z.output<typeof logHead>;

/** One entry in detail. The document is in the field named after its form in QuickBooks. */
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
    .describe('The document with names instead of ids, and its ledger entries; null if nothing was planned.'),
  pages: z
    .strictObject({ psa: z.string().nullable(), accounting: z.string().nullable() })
    .describe('Page that shows the document in each service; null if unknown.'),
  raw: z.unknown().describe('The complete stored entry.'),
});
export type LogDetail = z.output<typeof logDetail>;

const sortKeys = ['LastModified', 'type', 'entityid', 'test', 'manual', 'success'] as const;
export type LogSortKey = (typeof sortKeys)[number];
const sort = z
  .enum(sortKeys.flatMap((key): (LogSortKey | `-${LogSortKey}`)[] => [key, `-${key}`]))
  .default('-LastModified')
  .describe('A leading minus sorts in descending order.');

const day = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .describe('A whole day in the PSA’s time zone, or an instant.');

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
  total: z.int().describe('Number of matching entries, counted up to 10,000; up to 1,000 in a search.'),
  more: z
    .boolean()
    .describe(
      'Whether more entries match than the total. Narrow the filters to reach them, for example to a shorter period.',
    ),
});
const detailReply = z.strictObject({ log: logDetail });

/** Returns one entry if `key` is given, otherwise a page of the list. */
export const logs = route({
  method: 'GET',
  path: '/api/my/logs',
  apiKey: 'read',
  summary: 'Returns a page of the log, or with `key` one entry in detail.',
  ...forUsers,
  tenantIds: ['query.key'],
  query: z.strictObject({ ...listQuery.shape, key: keyQuery.shape.key.optional() }),
  reply: z.union([detailReply, listReply]),
});

export const listLogs = narrowed(logs, { query: listQuery, reply: listReply });
export const readLog = narrowed(logs, { query: keyQuery, reply: detailReply });
