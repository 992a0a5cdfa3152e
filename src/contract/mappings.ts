import { z } from 'zod';
import { mappingNamespaces, type MappingNamespace } from '#core/mapping/mapping.ts';
import { route } from './define.ts';
import { uuid } from './fields.ts';

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
  roles: ['clientadmin'],
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
          target_value: text.nullable(),
          target_value_label: z.string().max(500).nullable(),
        }),
      )
      .min(1, 'Nothing is selected.')
      .max(1_000),
  }),
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
  summary: 'Mappings that the names suggest.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ namespace: z.enum(['ItemBilling', 'ItemPurchasing']) }),
  reply: z.strictObject({
    suggested_xrefs: z.array(
      z.strictObject({
        source_value: z.string(),
        target_value: z.string(),
        target_value_label: z.string(),
        score: z.number().int().describe('80 to 100; 100 is an equal number.'),
      }),
    ),
  }),
});
