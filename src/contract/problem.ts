import { z } from 'zod';
import { mappingNamespaces } from '#core/mapping/mapping.ts';
import { side } from './fields.ts';
import { fieldConflict } from './planned.ts';

const namespaces = Object.keys(mappingNamespaces) as readonly (keyof typeof mappingNamespaces)[];

/** A repair that a screen offers as a button; see `Repair` in the core for the effect of each. */
const repair = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('map'),
    namespace: z.enum(namespaces),
    sourceEntity: z.string(),
    sourceValue: z.string(),
    sourceLabel: z.string(),
    candidates: z
      .array(z.object({ value: z.string(), label: z.string() }))
      .readonly()
      .optional(),
    replaces: z.string().optional(),
  }),
  z.object({
    do: z.literal('create_as'),
    namespace: z.enum(['Customer', 'Vendor', 'Employee']),
    sourceEntity: z.string(),
    sourceValue: z.string(),
    sourceLabel: z.string(),
    name: z.string(),
  }),
  z.object({
    do: z.literal('choose_setting'),
    key: z.string(),
    value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  }),
  z.object({ do: z.literal('reconnect'), service: side }),
  z.object({ do: z.literal('clear_status') }),
  z.object({ do: z.literal('sync_again') }),
  z.object({ do: z.literal('post_again') }),
  z.object({ do: z.literal('update_accounting'), prefers: side.optional() }),
  z.object({ do: z.literal('apply_money') }),
  z.object({ do: z.literal('create_payment') }),
  z.object({ do: z.literal('refresh_lists') }),
  z.object({ do: z.literal('open_in_service'), service: side, what: z.string(), url: z.string().optional() }),
]);

/** A document as both systems show it. Amounts are decimal text. */
const document = z.object({
  what: z.string(),
  psaId: z.int(),
  number: z.string().nullable(),
  party: z.string().nullable(),
  on: z.string().nullable(),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
});

/** A problem of a document, as it was reported. Entries of earlier versions have fewer fields. */
export const problem = z.looseObject({
  code: z.string().optional(),
  treatment: z.string().optional(),
  message: z.string().optional(),
  remedy: z.string().nullish(),
  screen: z.string().nullish(),
  repairs: z.array(repair).readonly().optional(),
  document: document.optional(),
  fields: z.array(fieldConflict).readonly().optional(),
});
