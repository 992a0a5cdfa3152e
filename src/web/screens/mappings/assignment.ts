import type { BodyOf } from '#contract/define.ts';
import type { MappingRowReply, saveMappings } from '#contract/mappings.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { truncate } from '#core/values/text.ts';
import type { Choice } from '../../components/type-ahead.tsx';
import { entitiesOf } from './namespaces.ts';

/** A mapping to save, in the form of the API. */
export type Wanted = BodyOf<typeof saveMappings>['xrefs'][number];

/** A row and its new target; null deletes the mapping. */
export interface Assignment {
  readonly row: MappingRowReply;
  readonly target: Pick<Choice, 'value' | 'text'> | null;
}

/** Limit of the API. */
const maxNameLength = 500;

/** Returns the API record of an assignment. `was` prevents overwriting a mapping that another user changed. */
export const toWanted = (namespace: MappingNamespace, { row, target }: Assignment): Wanted => ({
  ...(row.xref === null ? {} : { id: row.xref.id }),
  ...entitiesOf(namespace),
  source_value: row.source_value,
  source_value_label: truncate(row.label, maxNameLength),
  target_value: target?.value ?? null,
  target_value_label: target === null ? null : truncate(target.text, maxNameLength),
  was: row.xref?.target_value ?? null,
});
