import { inParallel } from '#core/in-parallel.ts';
import { type Mapping, type MappingNamespace, mappingNamespaces } from '#core/mapping/mapping.ts';
import type { Actor, AuditEvent } from '#core/records/audit.ts';
import type { Page } from '#core/records/page.ts';
import { Refusal } from '#core/refusal.ts';
import type { Json } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';

/** One mapping as stored in the audit trail. */
interface Recorded {
  readonly source: string;
  readonly target: string;
  readonly sourceValue: string;
  readonly targetValue: string;
}

/** Returns mappings for the audit trail: names for people, ids for undoing. */
export const recordOf = (mappings: readonly Mapping[]): Json =>
  mappings.map(({ sourceValue, sourceLabel, targetValue, targetLabel }) => ({
    source: sourceLabel ?? sourceValue,
    target: targetLabel ?? targetValue,
    sourceValue,
    targetValue,
  }));

/** A change of mappings by a user. */
export interface MappingChange {
  readonly event: AuditEvent;
  readonly before: readonly Recorded[];
  readonly after: readonly Recorded[];
}

/** A change in the history. */
export interface ListedChange extends MappingChange {
  /** Number of records that undoing reverts. */
  readonly undoable: number;
}

const changeOf = (event: AuditEvent): MappingChange => ({
  event,
  before: readRecord(event.before),
  after: readRecord(event.after),
});

/** Actions of the audit trail that change mappings. */
export const changingActions = ['mappings.saved', 'mapping.deleted', 'mappings.undone'] as const;
/** Also saves that changed nothing: the user has decided about the record. */
const decisions = [...changingActions, 'mappings.confirmed'] as const;
/** Number of newest events that can be undone. */
const maxUndoable = 200;

/** Lists changes of mappings with their authors, newest first. */
export async function listMappingChanges(
  { store }: TenantContext,
  namespace: MappingNamespace,
  page: Page,
): Promise<{ readonly changes: readonly ListedChange[]; readonly total: number }> {
  const newest = { page: 1, pageSize: maxUndoable };
  const [{ events, total }, { events: since }, now] = await inParallel([
    store.listAudit({ ...page, actions: changingActions, subject: namespace }),
    store.listAudit({ ...newest, actions: decisions, subject: namespace }),
    store.listMappings([namespace]),
  ]);
  const undoable = new Map(since.map(({ id }) => [id, revertible(id, since, now).length]));
  return { total, changes: events.map((event) => ({ ...changeOf(event), undoable: undoable.get(event.id) ?? 0 })) };
}

/** Returns the mappings that users saved or confirmed with the newest decisions about a namespace. */
export async function listDecided(
  { store }: TenantContext,
  namespace: MappingNamespace,
): Promise<readonly Pick<Recorded, 'sourceValue' | 'targetValue'>[]> {
  const { events } = await store.listAudit({ page: 1, pageSize: maxUndoable, actions: decisions, subject: namespace });
  return events.flatMap((event) => readRecord(event.after));
}

/**
 * Undoes a change. Records that a user or a sync changed since stay as they are.
 *
 * @param eventId the change that the user saw.
 * @throws Refusal `changed_meanwhile` (409) when all of its records were changed since.
 */
export async function undoMappingChange(
  context: TenantContext,
  namespace: MappingNamespace,
  eventId: string,
  actor: Actor,
): Promise<{ readonly message: string }> {
  const { store, clock } = context;
  let undone: { readonly after: readonly Recorded[]; readonly keptCount: number } = { after: [], keptCount: 0 };
  await store.changeMappings({
    namespace,
    follows: decisions,
    // The events are read under the same lock, because another user may be saving now.
    decide: (now, since) => {
      const event = since.find(({ id }) => id === eventId);
      const sources = new Set(revertible(eventId, since, now));
      if (event === undefined || sources.size === 0) throw allChanged();
      const change = changeOf(event);
      const own = ({ sourceValue }: Recorded) => sources.has(sourceValue);
      undone = { after: change.after.filter(own), keptCount: sourcesIn(change).size - sources.size };
      return restored(namespace, { before: change.before.filter(own), sources }, now);
    },
    eventOf: (mappings) => ({
      at: clock.now(),
      actor,
      action: 'mappings.undone',
      subject: namespace,
      before: undone.after.map((one) => ({ ...one })),
      after: recordOf(mappings),
    }),
  });
  const { keptCount } = undone;
  if (keptCount === 0) return { message: 'The change was undone.' };
  const kept = keptCount === 1 ? '1 mapping that was' : `${keptCount.toLocaleString('en-US')} mappings that were`;
  return {
    message: `The change was undone. ${kept} changed since ${keptCount === 1 ? 'stays as it is' : 'stay as they are'}.`,
  };
}

const sourcesIn = ({ before, after }: Omit<MappingChange, 'event'>): ReadonlySet<string> =>
  new Set([...before, ...after].map(({ sourceValue }) => sourceValue));

/** Returns whether an event changed the mapping of a source. */
export const isChangeOf = (event: AuditEvent, source: string): boolean => sourcesIn(changeOf(event)).has(source);

/**
 * Returns the sources of a change that are still as it left them.
 *
 * @param since the newest events of the namespace, newest first.
 */
function revertible(eventId: string, since: readonly AuditEvent[], now: readonly Mapping[]): readonly string[] {
  const at = since.findIndex(({ id }) => id === eventId);
  const event = since[at];
  if (event === undefined || event.action === 'mappings.undone' || event.action === 'mappings.confirmed') return [];
  const change = changeOf(event);
  const changedSince = new Set(since.slice(0, at).flatMap((one) => [...sourcesIn(changeOf(one))]));
  const bySource = new Map(now.map((mapping) => [mapping.sourceValue, mapping.targetValue]));
  const made = new Map(change.after.map((one) => [one.sourceValue, one.targetValue]));
  return [...sourcesIn(change)].filter(
    (source) => !changedSince.has(source) && (bySource.get(source) ?? null) === (made.get(source) ?? null),
  );
}

/** Returns the mappings to save and to delete to undo a change of these sources. */
function restored(
  namespace: MappingNamespace,
  { before, sources }: { readonly before: readonly Recorded[]; readonly sources: ReadonlySet<string> },
  now: readonly Mapping[],
): { readonly saved: readonly Omit<Mapping, 'id'>[]; readonly deleted: readonly string[] } {
  const { source: sourceEntity, target: targetEntity } = mappingNamespaces[namespace];
  const returned = new Set(before.map(({ sourceValue }) => sourceValue));
  return {
    saved: before.map((one) => ({
      namespace,
      sourceEntity,
      sourceValue: one.sourceValue,
      sourceLabel: one.source,
      targetEntity,
      targetValue: one.targetValue,
      targetLabel: one.target,
    })),
    deleted: now
      .filter(({ sourceValue }) => sources.has(sourceValue) && !returned.has(sourceValue))
      .map(({ id }) => id),
  };
}

const allChanged = (): Refusal =>
  new Refusal(
    'conflict',
    'changed_meanwhile',
    'This can no longer be undone: its mappings were changed since, or it was undone already.',
  );

function readRecord(value: Json): readonly Recorded[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one): Recorded[] => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
    const text = (key: string): string => (key in one && typeof one[key] === 'string' ? one[key] : '');
    if (text('sourceValue') === '') return [];
    return [
      {
        source: text('source'),
        target: text('target'),
        sourceValue: text('sourceValue'),
        targetValue: text('targetValue'),
      },
    ];
  });
}
