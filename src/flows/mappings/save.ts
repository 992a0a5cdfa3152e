import { isDeepStrictEqual } from 'node:util';
import { ChangedMeanwhile, type FieldValues } from '#core/changed-meanwhile.ts';
import { inParallel } from '#core/in-parallel.ts';
import { whyNotCreatable } from '#core/mapping/create-as.ts';
import {
  type Mapping,
  type MappingNamespace,
  mappingNamespaces,
  maxMappings,
  nameToCreate,
} from '#core/mapping/mapping.ts';
import { sourcesOf } from '#core/mapping/table.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { targetNouns, type Target } from '#core/mapping/targets.ts';
import type { Actor, NewAuditEvent } from '#core/records/audit.ts';
import type { Connection } from '#core/tenant.ts';
import { Refusal, type FieldError } from '#core/refusal.ts';
import { reportingConflicts, type ConflictTexts } from '../changed-meanwhile.ts';
import type { TenantContext } from '../context.ts';
import { bothActive } from '../settings/readiness.ts';
import { loadMappingSources } from '../connections/reference-data.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { changingActions, isChangeOf, recordOf } from './history.ts';
import { loadTargets } from './lists.ts';

/** Source, target (null deletes the mapping), and the target that the user saw; see {@link WantedMapping.was}. */
export type MappingPair = readonly [source: string, target: string | null, was?: string | null | undefined];

/** One mapping that a screen wants to save; a null target deletes it. */
export interface WantedMapping {
  /** Id of the mapping to change; its source stays unchanged. */
  readonly id?: string | undefined;
  readonly sourceEntity: string;
  readonly sourceValue: string;
  readonly sourceLabel: string | null;
  readonly targetEntity: string;
  readonly targetValue: string | null;
  readonly targetLabel: string | null;
  /** The target that the user saw, null for none; absent if any target may be overwritten. */
  readonly was?: string | null | undefined;
}

export interface SavedMappings {
  readonly mappings: readonly Mapping[];
  /** Result for people: `2 mappings saved, 1 deleted.` */
  readonly message: string;
}

/**
 * Saves and deletes mappings of one namespace, all or none; called from the mapping screens.
 *
 * @param isTrial checks everything and saves nothing.
 * @throws Refusal `not_connected` unless both services are connected; `not_found` when an id is not a mapping of this
 *   tenant; `invalid_mapping` (400) when the entities do not belong to the namespace, (422) with an error per mapping
 *   for a source that is named twice, a target that cannot be used, or a custom field that is used twice;
 *   `changed_meanwhile` (409) when a mapping is not what the user saw; `too_many_mappings` (409).
 */
export async function saveMappings(
  context: TenantContext,
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
  actor: Actor,
  { isTrial = false }: { readonly isTrial?: boolean } = {},
): Promise<SavedMappings> {
  const { store, clock } = context;
  const [before, connections] = await inParallel([store.listMappings([namespace]), store.listConnections()]);
  refuseForeign(namespace, wanted, before);
  refuseUnconnected(connections);
  refuseTooMany(before, wanted);
  const targets = wanted.every(({ targetValue }) => targetValue === null)
    ? new Map<string, Target>()
    : await targetsFor(context, namespace, wanted);
  const accounting = wanted.some(({ targetValue }) => nameToCreate(targetValue ?? '') !== null)
    ? await loadCachedLists(context, 'as_they_are')
    : null;
  if (isTrial) {
    const { saved, deleted } = await reportingConflicts(context, conflictTexts(namespace, actor), async () =>
      decide(namespace, wanted, targets, before, accounting),
    );
    return { mappings: [], message: sentence(saved.length, deleted.length) };
  }
  const { saved, deleted } = await reportingConflicts(context, conflictTexts(namespace, actor), () =>
    store.changeMappings({
      namespace,
      // Re-evaluated under the lock, because mappings may have changed while the lists were read.
      decide: (now) => decide(namespace, wanted, targets, now, accounting),
      eventOf: (mappings, replaced) => eventOfSave({ at: clock.now(), actor, subject: namespace }, mappings, replaced),
    }),
  );
  return { mappings: saved, message: sentence(saved.length, deleted) };
}

/**
 * Returns changes in the form of {@link saveMappings}, with the PSA's names of the records.
 *
 * @throws ServiceError when the PSA's lists were never read and it does not respond; Refusal `not_connected`.
 */
export async function withNames(
  context: TenantContext,
  namespace: MappingNamespace,
  pairs: readonly MappingPair[],
): Promise<readonly WantedMapping[]> {
  const { source: sourceEntity, target: targetEntity } = mappingNamespaces[namespace];
  const sources = await loadMappingSources(context, { maxAgeSeconds: Number.MAX_SAFE_INTEGER });
  const names = new Map(sourcesOf(namespace, sources).map(({ value, name }) => [value, name]));
  return pairs.map(([sourceValue, targetValue, was]) => ({
    sourceEntity,
    sourceValue,
    sourceLabel: names.get(sourceValue) ?? null,
    targetEntity,
    targetValue,
    targetLabel: null,
    was,
  }));
}

/**
 * Returns the audit event of a save; null if nothing was saved or deleted. Saving the same mapping again confirms it
 * (see {@link withSharedWarnings}) and is no change, so Undo still finds the change before it.
 */
export function eventOfSave(
  about: Pick<NewAuditEvent, 'at' | 'actor' | 'subject'>,
  saved: readonly Mapping[],
  replaced: readonly Mapping[],
): NewAuditEvent | null {
  if (saved.length + replaced.length === 0) return null;
  const isSame = isDeepStrictEqual(targetsOf(replaced), targetsOf(saved));
  const action = isSame ? 'mappings.confirmed' : 'mappings.saved';
  return { ...about, action, before: recordOf(replaced), after: recordOf(saved) };
}

const targetsOf = (mappings: readonly Mapping[]): ReadonlyMap<string, string> =>
  new Map(mappings.map(({ sourceValue, targetValue }) => [sourceValue, targetValue]));

/**
 * Decides which mappings to save and to delete, given the existing ones.
 *
 * @throws Refusal as {@link saveMappings}.
 */
function decide(
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
  targets: ReadonlyMap<string, Target>,
  now: readonly Mapping[],
  accounting: AccountingLists | null,
): { readonly saved: readonly Omit<Mapping, 'id'>[]; readonly deleted: readonly string[] } {
  const known = finderOf(now);
  const errors = [
    ...twice(wanted, known),
    ...unusable(namespace, wanted, targets),
    ...shared(namespace, wanted, now, known),
    ...namesRefused(namespace, wanted, accounting, now),
  ];
  if (errors.length > 0)
    throw new Refusal('unprocessable', 'invalid_mapping', messageOf(errors), errors.slice(0, maxErrors));
  refuseChanged(wanted, known);
  refuseForeign(namespace, wanted, now);
  refuseTooMany(now, wanted);
  return {
    saved: wanted.flatMap((mapping) =>
      mapping.targetValue === null ? [] : [toMapping(namespace, mapping, known(mapping), targets)],
    ),
    deleted: wanted.flatMap((mapping) => (mapping.targetValue === null ? [known(mapping)?.id ?? []] : [])).flat(),
  };
}

function refuseUnconnected(connections: readonly Connection[]): void {
  if (!bothActive(connections))
    throw new Refusal(
      'conflict',
      'not_connected',
      'Connect both services before you change mappings. See Connections.',
    );
}

function refuseTooMany(there: readonly Mapping[], wanted: readonly WantedMapping[]): void {
  const known = finderOf(there);
  const added = wanted.filter((mapping) => mapping.targetValue !== null && known(mapping) === undefined).length;
  if (added > 0 && there.length + added > maxMappings)
    throw new Refusal(
      'conflict',
      'too_many_mappings',
      `There can be at most ${maxMappings} mappings of one kind. Delete some that are not used any more.`,
    );
}

/** A call may contain a thousand mappings, but users read only the first errors. */
const maxErrors = 100;

/** Returns the targets. Reads the lists again if a target is unknown, because it may have been created a moment ago. */
async function targetsFor(
  context: TenantContext,
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
): Promise<ReadonlyMap<string, Target>> {
  const targets = await loadTargets(context, namespace);
  const isKnown = ({ targetValue }: WantedMapping) =>
    targetValue === null || nameToCreate(targetValue) !== null || targets.get(targetValue)?.whyNot === null;
  return wanted.every(isKnown) ? targets : loadTargets(context, namespace, { refresh: true });
}

type Finder = (one: Pick<WantedMapping, 'id' | 'sourceEntity' | 'sourceValue'>) => Mapping | undefined;

function finderOf(before: readonly Mapping[]): Finder {
  const byId = new Map(before.map((mapping) => [mapping.id, mapping]));
  const bySource = new Map(before.map((mapping) => [mapping.sourceValue, mapping]));
  return ({ id, sourceValue }) => (id === undefined ? undefined : byId.get(id)) ?? bySource.get(sourceValue);
}

function refuseForeign(
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
  before: readonly Mapping[],
): void {
  const { source, target } = mappingNamespaces[namespace];
  const ids = new Set(before.map(({ id }) => id));
  for (const mapping of wanted) {
    // If the user saw the mapping, `refuseChanged` reports that it is gone.
    if (mapping.id !== undefined && mapping.was === undefined && !ids.has(mapping.id))
      throw new Refusal('not_found', 'not_found', 'Not found.');
    if (mapping.sourceEntity !== source || mapping.targetEntity !== target)
      throw new Refusal(
        'invalid',
        'invalid_mapping',
        `A ${namespace} mapping leads from ${source} to ${target}, not from ${mapping.sourceEntity} to ${mapping.targetEntity}.`,
      );
  }
}

const nameOf = ({ sourceLabel, sourceValue }: WantedMapping): string => sourceLabel ?? sourceValue;

function twice(wanted: readonly WantedMapping[], known: Finder): FieldError[] {
  const seen = new Set<string>();
  return wanted.flatMap((mapping, at) => {
    const source = known(mapping)?.sourceValue ?? mapping.sourceValue;
    if (seen.has(source)) return [{ key: `xrefs.${at}.source_value`, error: `“${nameOf(mapping)}” is named twice.` }];
    seen.add(source);
    return [];
  });
}

function unusable(
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
  targets: ReadonlyMap<string, Target>,
): FieldError[] {
  return wanted.flatMap((mapping, at) => {
    if (mapping.targetValue === null || nameToCreate(mapping.targetValue) !== null) return [];
    const found = targets.get(mapping.targetValue);
    const error =
      found === undefined
        ? `QuickBooks has no ${targetNouns[namespace]} with the id ${mapping.targetValue}.`
        : found.whyNot;
    return error === null ? [] : [{ key: `xrefs.${at}.target_value`, error }];
  });
}

/** Returns errors for names of new customers and vendors that QuickBooks would reject. */
const namesRefused = (
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
  accounting: AccountingLists | null,
  now: readonly Mapping[],
): FieldError[] =>
  wanted.flatMap((mapping, at) => {
    const name = nameToCreate(mapping.targetValue ?? '');
    const error =
      name === null || accounting === null
        ? null
        : whyNotCreatable(name, { namespace, source: mapping.sourceValue, accounting, now });
    return error === null ? [] : [{ key: `xrefs.${at}.target_value`, error }];
  });

/** Returns errors for QuickBooks custom fields that two PSA fields map to: a custom field holds only one text. */
function shared(
  namespace: MappingNamespace,
  wanted: readonly WantedMapping[],
  now: readonly Mapping[],
  known: Finder,
): FieldError[] {
  if (namespace !== 'SalesCustomField') return [];
  const nameBy = new Map<string, string>();
  const moved = new Set(wanted.map((mapping) => known(mapping)?.id));
  for (const mapping of now)
    if (!moved.has(mapping.id)) nameBy.set(mapping.targetValue, mapping.sourceLabel ?? mapping.sourceValue);
  return wanted.flatMap((mapping, at) => {
    if (mapping.targetValue === null) return [];
    const other = nameBy.get(mapping.targetValue);
    nameBy.set(mapping.targetValue, other ?? nameOf(mapping));
    if (other === undefined) return [];
    const error = `One custom field cannot carry both “${other}” and “${nameOf(mapping)}”.`;
    return [{ key: `xrefs.${at}.target_value`, error }];
  });
}

/**
 * Checks that each mapping is what the user saw, or already what the user wants.
 *
 * @throws ChangedMeanwhile whose stored values are {@link StoredMapping}.
 */
function refuseChanged(wanted: readonly WantedMapping[], known: Finder): void {
  const changed = wanted.flatMap((mapping, at): (readonly [string, StoredMapping])[] => {
    const now = known(mapping);
    const target = now?.targetValue ?? null;
    if (mapping.was === undefined || mapping.was === target || mapping.targetValue === target) return [];
    return [
      [
        `xrefs.${at}`,
        {
          name: nameOf(mapping),
          source: mapping.sourceValue,
          target: now === undefined ? null : (now.targetLabel ?? target),
        },
      ],
    ];
  });
  if (changed.length > 0)
    throw new ChangedMeanwhile(Object.keys(Object.fromEntries(changed)), Object.fromEntries(changed));
}

/** A mapping that another user changed: the name of its record, and the stored target; null for none. */
interface StoredMapping {
  readonly name: string;
  readonly source: string;
  readonly target: string | null;
}

const storedMapping = (key: string, stored: FieldValues) => stored[key] as StoredMapping;

/** How conflicts of the mappings of a namespace are reported. */
const conflictTexts = (namespace: MappingNamespace, actor: Actor): ConflictTexts => ({
  actor,
  actions: changingActions,
  subject: namespace,
  plural: 'mappings',
  isAbout: (event, key, stored) => isChangeOf(event, storedMapping(key, stored).source),
  textOf: (key, stored) => {
    const { name, target } = storedMapping(key, stored);
    return { label: name, value: target ?? 'not mapped' };
  },
});

/** Uses QuickBooks' name of the target, not the one that the screen sent. */
const toMapping = (
  namespace: MappingNamespace,
  mapping: WantedMapping,
  old: Mapping | undefined,
  targets: ReadonlyMap<string, Target>,
): Omit<Mapping, 'id'> => ({
  namespace,
  sourceEntity: mapping.sourceEntity,
  sourceValue: old?.sourceValue ?? mapping.sourceValue,
  sourceLabel: mapping.sourceLabel ?? old?.sourceLabel ?? null,
  targetEntity: mapping.targetEntity,
  targetValue: mapping.targetValue ?? '',
  targetLabel:
    targets.get(mapping.targetValue ?? '')?.label ?? nameToCreate(mapping.targetValue ?? '') ?? mapping.targetLabel,
});

const messageOf = (errors: readonly FieldError[]): string =>
  errors.length === 1
    ? `${errors[0]?.error ?? ''} Nothing was saved.`
    : `${errors.length} mappings do not fit. Nothing was saved.`;

/**
 * Deletes one mapping.
 *
 * @param was the target that the user saw; see {@link WantedMapping.was}.
 * @throws Refusal `not_found` when it is not a mapping of this tenant; `not_connected`; `changed_meanwhile` (409).
 */
export async function removeMapping(context: TenantContext, id: string, actor: Actor, was?: string): Promise<void> {
  const { store, clock } = context;
  const [all, connections] = await inParallel([store.listMappings(), store.listConnections()]);
  const notFound = new Refusal('not_found', 'not_found', 'Not found.');
  const namespace = all.find((mapping) => mapping.id === id)?.namespace;
  if (namespace === undefined) throw notFound;
  refuseUnconnected(connections);
  await reportingConflicts(context, conflictTexts(namespace, actor), () =>
    store.changeMappings({
      namespace,
      decide: (now) => {
        const mapping = now.find((one) => one.id === id);
        if (mapping === undefined) throw notFound;
        refuseChanged([{ ...mapping, targetValue: null, was }], () => mapping);
        return { saved: [], deleted: [id] };
      },
      eventOf: (_, before) => ({
        at: clock.now(),
        actor,
        action: 'mapping.deleted',
        subject: namespace,
        before: recordOf(before),
        after: [],
      }),
    }),
  );
}

const mappingCount = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'mapping' : 'mappings'}`;

/** Returns the result as a sentence. */
function sentence(saved: number, deleted: number): string {
  if (saved === 0) return `${mappingCount(deleted)} deleted.`;
  return `${mappingCount(saved)} saved${deleted === 0 ? '' : `, ${deleted.toLocaleString('en-US')} deleted`}.`;
}
