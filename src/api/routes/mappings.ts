import type { Mapping } from '#core/mapping/mapping.ts';
import type { Xref } from '#contract/mappings.ts';
import { actorOf } from '#flows/access/principal.ts';
import { removeMapping, saveMappings } from '#flows/mappings/save.ts';
import { suggestMappings } from '#flows/mappings/suggest.ts';
import { serve, type Serving } from '../serve.ts';

/** The wire calls a mapping an xref. */
const toXref = (mapping: Mapping): Xref => ({
  id: mapping.id,
  namespace: mapping.namespace,
  source_entity: mapping.sourceEntity,
  source_value: mapping.sourceValue,
  source_value_label: mapping.sourceLabel,
  target_entity: mapping.targetEntity,
  target_value: mapping.targetValue,
  target_value_label: mapping.targetLabel,
});

export function mappingRoutes(serving: Serving): void {
  serve(serving, 'listMappings', async ({ context, query }) => {
    const found = await context.store.listMappings(query.namespace === undefined ? undefined : [query.namespace]);
    const wanted = found.filter(
      (mapping) =>
        (query.source_entity === undefined || mapping.sourceEntity === query.source_entity) &&
        (query.source_value === undefined || mapping.sourceValue === query.source_value) &&
        (query.target_value === undefined || mapping.targetValue === query.target_value),
    );
    return { data: { subscription_xrefs: wanted.map(toXref) } };
  });

  serve(serving, 'saveMappings', async ({ context, params, body, principal }) => {
    const wanted = body.xrefs.map((one) => ({
      id: one.id,
      sourceEntity: one.source_entity,
      sourceValue: one.source_value,
      sourceLabel: one.source_value_label,
      targetEntity: one.target_entity,
      targetValue: one.target_value,
      targetLabel: one.target_value_label,
    }));
    const { mappings, message } = await saveMappings(context, params.namespace, wanted, actorOf(principal));
    return { data: { xrefs: mappings.map(toXref), message }, message };
  });

  serve(serving, 'deleteMapping', async ({ context, params, principal }) => {
    await removeMapping(context, params.id, actorOf(principal));
    return { data: null };
  });

  serve(serving, 'suggestMappings', async ({ context, params }) => {
    const found = await suggestMappings(context, params.namespace);
    return {
      data: {
        suggested_xrefs: found.map(({ sourceValue, targetValue, targetLabel, score }) => ({
          source_value: sourceValue,
          target_value: targetValue,
          target_value_label: targetLabel,
          score,
        })),
      },
    };
  });
}
