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

const changeOf = (event: AuditEvent): MappingChange => ({
  event,
  before: readRecord(event.before),
  after: readRecord(event.after),
});

const actions = ['mappings.saved', 'mapping.deleted', 'mappings.undone'] as const;

/** Lists changes of mappings with their authors, newest first; with `confirmed` also saves that changed nothing. */
export async function listMappingChanges(
  { store }: TenantContext,
  namespace: MappingNamespace,
  page: Page,
  include?: 'confirmed',
): Promise<{ readonly changes: readonly MappingChange[]; readonly total: number }> {
  const wanted = include === undefined ? actions : [...actions, 'mappings.confirmed'];
  const { events, total } = await store.listAudit({ ...page, actions: wanted, subject: namespace });
  return {
    total,
    changes: events.map(changeOf),
  };
}

/**
 * Undoes the newest change of a namespace, unless its mappings have changed since.
 *
 * @param eventId the change that the user saw.
 * @throws Refusal `changed_meanwhile` (409) when it is not the newest anymore, or a sync or another user has changed
 *   the same records since.
 */
export async function undoMappingChange(
  context: TenantContext,
  namespace: MappingNamespace,
  eventId: string,
  actor: Actor,
): Promise<{ readonly message: string }> {
  const { store, clock } = context;
  let undone: MappingChange | null = null;
  await store.changeMappings({
    namespace,
    follows: actions,
    // The newest event is read under the same lock, because another user may be saving now.
    decide: (now, newest) => {
      if (newest?.id !== eventId || newest.action === 'mappings.undone') throw changed('A newer change was saved.');
      undone = changeOf(newest);
      return restored(namespace, undone, now);
    },
    eventOf: (mappings) => ({
      at: clock.now(),
      actor,
      action: 'mappings.undone',
      subject: namespace,
      before: undone === null ? [] : undone.event.after,
      after: recordOf(mappings),
    }),
  });
  return { message: 'The last change was undone.' };
}

/** Returns the mappings to save and to delete to undo a change, unless one of them was changed since. */
function restored(
  namespace: MappingNamespace,
  { before, after }: MappingChange,
  now: readonly Mapping[],
): { readonly saved: readonly Omit<Mapping, 'id'>[]; readonly deleted: readonly string[] } {
  const bySource = new Map(now.map((one) => [one.sourceValue, one]));
  const made = new Map(after.map((one) => [one.sourceValue, one]));
  const named = new Map([...before, ...after].map((one) => [one.sourceValue, one]));
  for (const [source, one] of named)
    if ((bySource.get(source)?.targetValue ?? null) !== (made.get(source)?.targetValue ?? null))
      throw changed(`“${one.source}” was mapped again.`);
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
    deleted: now.filter(({ sourceValue }) => named.has(sourceValue) && !returned.has(sourceValue)).map(({ id }) => id),
  };
}

const changed = (why: string): Refusal =>
  new Refusal('conflict', 'changed_meanwhile', `This can no longer be undone: ${why}`);

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
