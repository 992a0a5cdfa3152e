import type { BodyOf } from '#contract/define.ts';
import type { MappingRowReply, saveMappings } from '#contract/mappings.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { cut } from '#core/values/text.ts';
import type { Choice } from '../../ui/type-ahead.tsx';
import { entitiesOf } from './namespaces.ts';

/** One mapping as it is asked for. */
export type Wanted = BodyOf<typeof saveMappings>['xrefs'][number];

/** A row, and where it is to lead; null: nowhere. */
export interface Assignment {
  readonly row: MappingRowReply;
  readonly target: Pick<Choice, 'value' | 'text'> | null;
}

/** Longest name of a record in a mapping (contract). */
const longestName = 500;

/** The request to save one assignment: it never overwrites a mapping that somebody else has changed since. */
export const toWanted = (namespace: MappingNamespace, { row, target }: Assignment): Wanted => ({
  ...(row.xref === null ? {} : { id: row.xref.id }),
  ...entitiesOf(namespace),
  source_value: row.source_value,
  source_value_label: cut(row.label, longestName),
  target_value: target?.value ?? null,
  target_value_label: target === null ? null : cut(target.text, longestName),
  was: row.xref?.target_value ?? null,
});
