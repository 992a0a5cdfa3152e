import { z } from 'zod';
import { maxMappings, type MappingNamespace, mappingNamespaces } from '#core/mapping/mapping.ts';
import { forAdmins, forUsers, route } from './define.ts';
import { instantText, paging, queryBoolean, searchText, uuid } from './fields.ts';

/** Every mapping namespace, for paths. */
const namespaces = Object.keys(mappingNamespaces) as MappingNamespace[];
const namespace = z.enum(namespaces);
const text = z.string().min(1).max(500);

/** A mapping in the API format. */
export const xref = z.strictObject({
  id: z.string(),
  namespace,
  source_entity: z.string(),
  source_value: z.string(),
  source_value_label: z.string().nullable(),
  target_entity: z.string(),
  target_value: z.string(),
  target_value_label: z.string().nullable(),
});

export const listMappings = route({
  method: 'GET',
  path: '/api/my/xrefs',
  apiKey: 'sync',
  summary: 'Lists mappings, filtered by namespace, source and target.',
  ...forUsers,
  query: z.strictObject({
    namespace: namespace.optional(),
    source_entity: text.optional(),
    source_value: text.optional(),
    target_value: text.optional(),
  }),
  reply: z.strictObject({ subscription_xrefs: z.array(xref) }),
});

export const saveMappings = route({
  method: 'POST',
  path: '/api/my/xrefs/:namespace/multiple',
  summary: 'Saves mappings; a null target deletes one.',
  ...forAdmins,
  tenantIds: ['body.xrefs[].id'],
  params: z.strictObject({ namespace }),
  body: z.strictObject({
    xrefs: z
      .array(
        z.strictObject({
          id: uuid.optional(),
          source_entity: text,
          source_value: text,
          source_value_label: z.string().max(500).nullable(),
          target_entity: text,
          target_value: text
            .nullable()
            .describe('Null deletes the mapping. `create:NAME` creates a customer or vendor with that name.'),
          target_value_label: z.string().max(500).nullable(),
          was: text
            .nullable()
            .optional()
            .describe(
              'The target that the user saw. A different current target is a conflict (409). Absent: no check.',
            ),
        }),
      )
      .min(1, 'Nothing is selected.')
      .max(1_000, 'At most 1,000 mappings can be saved at once. Use `changes` for more.')
      .optional(),
    changes: z
      .array(z.tuple([text, text.nullable(), text.nullable().optional()]))
      .min(1, 'Nothing is selected.')
      .max(maxMappings, `At most ${maxMappings} mappings can be saved at once.`)
      .optional()
      .describe(
        'Instead of `xrefs`, for up to 20,000 mappings in one change: source, target, and the target that the user saw, as in `was`. The response lists no mappings.',
      ),
    dry_run: z.boolean().default(false).describe('Validates without saving.'),
  }),
  // 1,000 mappings with long names, or 20,000 changes.
  bodyBytes: 1_048_576,
  reply: z.strictObject({ xrefs: z.array(xref), message: z.string() }),
});

export const deleteMapping = route({
  method: 'DELETE',
  path: '/api/my/xrefs/:id',
  summary: 'Deletes a mapping, unless its target changed meanwhile (409).',
  ...forAdmins,
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  body: z.strictObject({ was: text.optional().describe('The target that the user saw. Absent: no check.') }).nullish(),
  reply: z.null(),
});

export const suggestion = z.strictObject({
  source_value: z.string(),
  target_value: z.string(),
  target_value_label: z.string(),
  score: z.number().int().describe('80 to 100; 100 means that the numbers are equal.'),
  reason: z.string().describe('Reason, for the user.'),
});

export const suggestMappings = route({
  method: 'GET',
  path: '/api/my/xrefs/suggest/:namespace',
  apiKey: 'sync',
  summary: 'Suggests mappings by name and number; saves nothing.',
  ...forUsers,
  params: z.strictObject({ namespace }),
  reply: z.strictObject({
    suggested_xrefs: z.array(suggestion),
  }),
});

const refresh = queryBoolean.prefault('false').describe('Reads from both services instead of the cache.');

/** One row of a mapping screen. */
export const mappingRow = z.strictObject({
  source_value: z.string(),
  label: z.string(),
  distinction: z.string().nullable().describe('City and id, if another record has the same name.'),
  number: z.string().nullable().describe('External number or stock keeping unit.'),
  group: z.string().nullable().describe('Use type of a billing code, category of a product.'),
  is_active: z.boolean(),
  xref: xref.nullable(),
  target_label: z.string().nullable().describe('Current name of the target.'),
  state: z.enum(['ok', 'renamed', 'unusable', 'gone']).nullable(),
  state_text: z.string().nullable().describe('What is wrong with the mapping, and the fix.'),
});
export type MappingRowReply = z.output<typeof mappingRow>;

export const readMappingTable = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace',
  apiKey: 'sync',
  summary: 'Lists every PSA record of a namespace with its mapping and the state of the mapping.',
  ...forAdmins,
  params: z.strictObject({ namespace }),
  query: z.strictObject({ refresh }),
  reply: z.strictObject({
    rows: z.array(mappingRow),
    groups: z.array(z.strictObject({ value: z.string(), text: z.string() })),
    target_count: z.int().describe('Number of QuickBooks records that can be chosen.'),
  }),
});

export const searchMappingTargets = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace/targets',
  apiKey: 'sync',
  summary: 'Searches the QuickBooks records that can be mapped, by any part of their names or numbers.',
  ...forAdmins,
  params: z.strictObject({ namespace }),
  query: z.strictObject({
    q: searchText.default(''),
    limit: z.coerce.number().int().min(1).max(20_000).default(50),
  }),
  reply: z.strictObject({
    options: z.array(z.strictObject({ value: z.string(), text: z.string(), detail: z.string().nullable() })),
    total: z.int().describe('Number of records found, including those beyond the limit.'),
  }),
});

export const readMappingUsage = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace/usage',
  apiKey: 'sync',
  summary: 'Returns amounts and document counts of each PSA record for the last 90 days, in its own currency.',
  ...forAdmins,
  params: z.strictObject({ namespace }),
  query: z.strictObject({ refresh }),
  reply: z.strictObject({
    days: z.int(),
    currency: z.string().nullable(),
    usage: z.record(z.string(), z.strictObject({ amount: z.string(), waiting: z.string(), documents: z.int() })),
  }),
});

export const summarizeMappings = route({
  method: 'GET',
  path: '/api/my/mappings',
  apiKey: 'sync',
  summary: 'Counts the mappings of each namespace, and those that would fail a sync.',
  ...forAdmins,
  reply: z.strictObject({
    namespaces: z.array(z.strictObject({ namespace, mapped: z.int(), stale: z.int() })),
  }),
});

const recorded = z.strictObject({
  source: z.string(),
  source_value: z.string().describe('Distinguishes records with the same name.'),
  target: z.string(),
});

export const mappingChange = z.strictObject({
  id: z.string(),
  at: instantText,
  username: z.string(),
  action: z.string(),
  before: z.array(recorded),
  after: z.array(recorded),
  records: z.int().describe('Number of changed records. `before` and `after` list the first 1,000.'),
  undoable: z.int().describe('Number of records that undoing reverts; the others were changed since.'),
});
export type MappingChangeReply = z.output<typeof mappingChange>;

export const listMappingChanges = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace/history',
  apiKey: 'sync',
  summary: 'Lists the changes of mappings, newest first.',
  ...forAdmins,
  params: z.strictObject({ namespace }),
  query: z.strictObject(paging(10)),
  reply: z.strictObject({
    changes: z.array(mappingChange),
    total: z.int(),
  }),
});

export const undoMappingChange = route({
  method: 'POST',
  path: '/api/my/mappings/:namespace/undo',
  summary: 'Reverts a change. Records that were changed since stay; if all were, nothing is reverted (409).',
  ...forAdmins,
  params: z.strictObject({ namespace }),
  body: z.strictObject({ change: z.string().min(1).max(64) }),
  reply: z.strictObject({ message: z.string() }),
});
