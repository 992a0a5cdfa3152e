import type { MappingChangeReply } from '#contract/mappings.ts';

/** A mapping that a change has made, moved or deleted. */
export interface Deed {
  /** Id of the record of the PSA, which no two deeds of a change share; two records may have one name. */
  readonly id: string;
  readonly source: string;
  /** The target that it has since; null: its mapping was deleted. */
  readonly target: string | null;
  /** The target that it had; null where it had none, or the same one. */
  readonly before: string | null;
}

/** The deeds of a change, one per record: first those that lead somewhere since, then the deleted ones. */
export function deedsOf({ before, after }: Pick<MappingChangeReply, 'before' | 'after'>): readonly Deed[] {
  const was = new Map(before.map((one) => [one.source_value, one.target]));
  const is = new Set(after.map((one) => one.source_value));
  return [
    ...after.map(({ source_value: id, source, target }): Deed => {
      const old = was.get(id) ?? null;
      return { id, source, target, before: old === target ? null : old };
    }),
    ...before
      .filter(({ source_value: id }) => !is.has(id))
      .map(({ source_value: id, source, target }): Deed => ({ id, source, target: null, before: target })),
  ];
}
