import { z } from 'zod';
import { psaFieldInfoEntities, psaOperators, psaQueryEntities } from '#core/ports/psa.ts';
import { forAdmins, forUsers, route } from './define.ts';
import { foreignObject, psaId, queryWhole, refreshQuery } from './fields.ts';
import { psaSegment } from './services.ts';

const base = `/api/my/${psaSegment}`;
const writer = { method: 'POST', ...forAdmins } as const;
/** A query only reads although it has a body, so a suspended client may make it too. */
const asker = { ...writer, roles: ['clientadmin', 'accountant'], reads: true } as const;
const reader = { method: 'GET', ...forUsers } as const;

const scalar = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);
const fieldName = z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/, 'Not a field name.');
const condition = z.strictObject({
  field: fieldName,
  op: z.enum(psaOperators),
  value: z.union([scalar, z.array(scalar).max(500)]).optional(),
});
const query = z.strictObject({
  filter: z.array(condition).min(1).max(25),
  includeFields: z.array(fieldName).max(100).optional(),
  MaxRecords: z.int().min(1).max(500).optional(),
});

export const queryPsa = route({
  ...asker,
  path: `${base}/:entity/query`,
  summary: 'Queries a PSA entity and returns the PSA’s response. Post the same body to its link to get the next page.',
  params: z.strictObject({ entity: z.enum(psaQueryEntities) }),
  query: z.strictObject({
    after_id: queryWhole(0, Number.MAX_SAFE_INTEGER).optional().describe('Only records with a higher id.'),
  }),
  body: z.strictObject({ query }),
  reply: z.strictObject({
    response: z.looseObject({ items: z.array(foreignObject), pageDetails: foreignObject.nullish() }),
  }),
});

export const countCompanies = route({
  ...asker,
  path: `${base}/Companies/count`,
  summary: 'Counts the companies that match a query.',
  body: z.strictObject({ query }),
  reply: z.strictObject({ response: z.looseObject({ queryCount: z.int() }) }),
});

export const readFieldInfo = route({
  ...asker,
  path: `${base}/:entity/fieldInfo`,
  summary: 'Returns the fields of an entity with their pick lists.',
  params: z.strictObject({ entity: z.enum(psaFieldInfoEntities) }),
  reply: z.strictObject({ response: z.looseObject({ fields: z.array(foreignObject) }) }),
});

export const readLinesOfBusiness = route({
  ...reader,
  path: `${base}/lines-of-business`,
  summary: 'Lists the lines of business of the PSA.',
  query: refreshQuery,
  reply: z.strictObject({
    lines_of_business: z.array(z.strictObject({ id: z.int(), fullyQualifiedName: z.string() })),
  }),
});

export const readModules = route({
  ...reader,
  path: `${base}/modules`,
  summary: 'Returns which modules of the PSA are on.',
  query: refreshQuery,
  reply: z.strictObject({ modules: z.strictObject({ procurement: z.boolean(), multi_currency: z.boolean() }) }),
});

/** Entities whose sync status can be cleared. */
export const clearableEntities = ['ExpenseReports', 'Invoices', 'PurchaseOrders'] as const;

export const clearSyncErrors = route({
  ...writer,
  path: `${base}/:entity/clearSyncErrors`,
  summary: 'Resets the sync status of documents in the PSA to not synced.',
  params: z.strictObject({ entity: z.enum(clearableEntities) }),
  body: z.strictObject({ ids: z.array(psaId).min(1, 'Nothing is selected.').max(500) }),
  reply: z.strictObject({ cleared: z.array(z.int()) }),
});
