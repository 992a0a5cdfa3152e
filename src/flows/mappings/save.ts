import { mappingNamespaces, type Mapping, type MappingNamespace } from '#core/mapping/mapping.ts';
import type { Actor } from '#core/ports/audit.ts';
import { Refusal } from '#core/refusal.ts';
import type { Json } from '#core/values/json.ts';
import { counted } from '#core/values/text.ts';
import type { TenantContext } from '../context.ts';

/** One mapping as a screen asks for it; a null target deletes it. */
export interface WantedMapping {
  /** Of the mapping that is changed; its source stays what it is. */
  readonly id?: string | undefined;
  readonly sourceEntity: string;
  readonly sourceValue: string;
  readonly sourceLabel: string | null;
  readonly targetEntity: string;
  readonly targetValue: string | null;
  readonly targetLabel: string | null;
}

export interface SavedMappings {
  readonly mappings: readonly Mapping[];
  /** What happened, for a person: `2 mappings saved, 1 deleted.` */
  readonly message: string;
}

/**
 * Saves and deletes mappings of one namespace; asked for on the mapping screens.
 *
 * @throws Refusal `not_found` when an id is not a mapping of this tenant; `invalid_mapping` when the entities are not
 *   those of the namespace. Nothing is saved then.
 */
export async function saveMappings(
  { store, clock }: TenantContext,
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
  actor: Actor,
): Promise<SavedMappings> {
  const before = await store.listMappings([namespace]);
  const byId = new Map(before.map((mapping) => [mapping.id, mapping]));
  const bySource = new Map(before.map((mapping) => [sourceOf(mapping), mapping]));
  const { source, target } = mappingNamespaces[namespace];
  for (const one of wanted) {
    if (one.id !== undefined && !byId.has(one.id)) throw new Refusal('not_found', 'not_found', 'Not found.');
    if (one.sourceEntity !== source || one.targetEntity !== target)
      throw new Refusal(
        'invalid',
        'invalid_mapping',
        `A ${namespace} mapping leads from ${source} to ${target}, not from ${one.sourceEntity} to ${one.targetEntity}.`,
      );
  }
  const known = (one: WantedMapping) => (one.id === undefined ? bySource.get(sourceOf(one)) : byId.get(one.id));
  const gone = wanted.flatMap((one) => (one.targetValue === null ? [known(one)?.id ?? []] : [])).flat();
  const kept = wanted.flatMap((one) => {
    if (one.targetValue === null) return [];
    const old = known(one);
    return [
      {
        namespace,
        sourceEntity: source,
        sourceValue: old?.sourceValue ?? one.sourceValue,
        sourceLabel: one.sourceLabel,
        targetEntity: target,
        targetValue: one.targetValue,
        targetLabel: one.targetLabel,
      },
    ];
  });
  const deleted = await store.deleteMappings(gone);
  const mappings = kept.length === 0 ? [] : await store.saveMappings(kept);
  await store.addAudit({
    at: clock.now(),
    actor,
    action: 'mappings.saved',
    subject: namespace,
    before: told(before.filter((mapping) => wanted.some((one) => known(one)?.id === mapping.id))),
    after: told(mappings),
  });
  return { mappings, message: sentence(mappings.length, deleted) };
}

/**
 * Deletes one mapping.
 *
 * @throws Refusal `not_found` when it is not a mapping of this tenant.
 */
export async function removeMapping({ store, clock }: TenantContext, id: string, actor: Actor): Promise<void> {
  const before = (await store.listMappings()).find((mapping) => mapping.id === id);
  if (before === undefined || (await store.deleteMappings([id])) === 0)
    throw new Refusal('not_found', 'not_found', 'Not found.');
  await store.addAudit({
    at: clock.now(),
    actor,
    action: 'mapping.deleted',
    subject: before.namespace,
    before: told([before]),
    after: null,
  });
}

const sourceOf = ({ sourceEntity, sourceValue }: Pick<Mapping, 'sourceEntity' | 'sourceValue'>): string =>
  JSON.stringify([sourceEntity, sourceValue]);

const told = (mappings: readonly Mapping[]): Json =>
  mappings.map(({ sourceValue, sourceLabel, targetValue, targetLabel }) => ({
    source: sourceLabel ?? sourceValue,
    target: targetLabel ?? targetValue,
  }));

function sentence(saved: number, deleted: number): string {
  if (saved === 0) return `${counted(deleted, 'mapping')} deleted.`;
  return `${counted(saved, 'mapping')} saved${deleted === 0 ? '' : `, ${deleted} deleted`}.`;
}
