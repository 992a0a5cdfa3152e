import { z } from 'zod';
import { mappingNamespaces, type MappingNamespace } from '#core/mapping/mapping.ts';
import { route } from './define.ts';
import { instantText, paging, queryBoolean, searchText, uuid } from './fields.ts';

/** Every namespace of mappings, for paths. */
const namespaces = Object.keys(mappingNamespaces) as MappingNamespace[];
const namespace = z.enum(namespaces);
const text = z.string().min(1).max(500);

/** A mapping as the wire spells it. */
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
export type Xref = z.output<typeof xref>;

export const listMappings = route({
  method: 'GET',
  path: '/api/my/xrefs',
  summary: 'Mappings, narrowed by namespace, source and target.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
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
  roles: ['clientadmin'],
  client: 'required',
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
            .describe('Null deletes the mapping. `create:NAME` asks for a new customer or vendor of that name.'),
          target_value_label: z.string().max(500).nullable(),
          was: text
            .nullable()
            .optional()
            .describe('The target that the person saw; another one there now is a conflict (409). Absent: any.'),
        }),
      )
      .min(1, 'Nothing is selected.')
      .max(1_000, 'At most 1,000 mappings can be saved at once.'),
    dry_run: z.boolean().default(false).describe('Checks everything and saves nothing.'),
  }),
  // A thousand mappings with long names.
  bodyBytes: 1_048_576,
  reply: z.strictObject({ xrefs: z.array(xref), message: z.string() }),
});

export const deleteMapping = route({
  method: 'DELETE',
  path: '/api/my/xrefs/:id',
  summary: 'Deletes a mapping.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});

export const suggestMappings = route({
  method: 'GET',
  path: '/api/my/xrefs/suggest/:namespace',
  summary: 'Mappings that names and numbers suggest; nothing is saved.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ namespace }),
  reply: z.strictObject({
    suggested_xrefs: z.array(
      z.strictObject({
        source_value: z.string(),
        target_value: z.string(),
        target_value_label: z.string(),
        score: z.number().int().describe('80 to 100; 100 is an equal number.'),
        reason: z.string().describe('Why, for a person.'),
      }),
    ),
  }),
});

const refresh = queryBoolean.prefault('false').describe('Reads both services anew instead of from the cache.');

/** One line of a mapping screen. */
const mappingRow = z.strictObject({
  source_value: z.string(),
  label: z.string(),
  distinction: z.string().nullable().describe('City and id of a record that has the name of another one.'),
  number: z.string().nullable().describe('External number or stock keeping unit.'),
  group: z.string().nullable().describe('Use type of a billing code, category of a product.'),
  is_active: z.boolean(),
  xref: xref.nullable(),
  target_label: z.string().nullable().describe('What the target is called now.'),
  state: z.enum(['ok', 'renamed', 'unusable', 'gone']).nullable(),
  state_text: z.string().nullable().describe('What is the matter with the mapping, and what to do.'),
});
export type MappingRowReply = z.output<typeof mappingRow>;

export const readMappingTable = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace',
  summary: 'Every record of the PSA that a namespace maps, with its mapping and what is the matter with it.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ namespace }),
  query: z.strictObject({ refresh }),
  reply: z.strictObject({
    rows: z.array(mappingRow),
    groups: z.array(z.strictObject({ value: z.string(), text: z.string() })),
    target_count: z.int().describe('Records of the books that can be chosen.'),
  }),
});

export const searchMappingTargets = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace/targets',
  summary: 'Records of the books that a mapping may lead to, by any part of their names or numbers.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ namespace }),
  query: z.strictObject({
    q: searchText.default(''),
    limit: z.coerce.number().int().min(1).max(20_000).default(50),
  }),
  reply: z.strictObject({
    options: z.array(z.strictObject({ value: z.string(), text: z.string(), detail: z.string().nullable() })),
    total: z.int().describe('Number of records found, with those beyond the limit.'),
  }),
});

export const readMappingUsage = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace/usage',
  summary: 'What went over each record of the PSA in the last 90 days, in its own currency.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
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
  summary: 'How many mappings each namespace has, and how many of them a sync would fail on.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: z.strictObject({
    namespaces: z.array(z.strictObject({ namespace, mapped: z.int(), stale: z.int() })),
  }),
});

const recorded = z.strictObject({
  source: z.string(),
  source_value: z.string().describe('Tells records of one name apart.'),
  target: z.string(),
});

export const listMappingChanges = route({
  method: 'GET',
  path: '/api/my/mappings/:namespace/history',
  summary: 'Who mapped what, when; newest first.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ namespace }),
  query: z.strictObject(paging(10)),
  reply: z.strictObject({
    changes: z.array(
      z.strictObject({
        id: z.string(),
        at: instantText,
        username: z.string(),
        action: z.string(),
        before: z.array(recorded),
        after: z.array(recorded),
      }),
    ),
    total: z.int(),
  }),
});
export type MappingChangeReply = z.output<typeof listMappingChanges.reply>['changes'][number];

export const undoMappingChange = route({
  method: 'POST',
  path: '/api/my/mappings/:namespace/undo',
  summary: 'Takes back the newest change of a namespace, unless its records were mapped anew since (409).',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ namespace }),
  body: z.strictObject({ change: z.string().min(1).max(64) }),
  reply: z.strictObject({ message: z.string() }),
});
