import type { MappingChangeReply } from '#contract/mappings.ts';

/** The change of one record's mapping. */
export interface RecordChange {
  /** Id of the PSA record. Names can repeat, ids cannot. */
  readonly id: string;
  readonly source: string;
  /** The new target; null if the mapping was deleted. */
  readonly target: string | null;
  /** The previous target; null if there was none or it is the same. */
  readonly before: string | null;
}

/** Returns the change of each record: created and moved mappings first, then deleted ones. */
export function recordChangesOf({
  before,
  after,
}: Pick<MappingChangeReply, 'before' | 'after'>): readonly RecordChange[] {
  const was = new Map(before.map((one) => [one.source_value, one.target]));
  const is = new Set(after.map((one) => one.source_value));
  return [
    ...after.map(({ source_value: id, source, target }): RecordChange => {
      const old = was.get(id) ?? null;
      return { id, source, target, before: old === target ? null : old };
    }),
    ...before
      .filter(({ source_value: id }) => !is.has(id))
      .map(({ source_value: id, source, target }): RecordChange => ({ id, source, target: null, before: target })),
  ];
}
