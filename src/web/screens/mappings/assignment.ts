import type { BodyOf } from '#contract/define.ts';
import type { MappingRowReply, saveMappings } from '#contract/mappings.ts';
import type { Choice } from '../../components/type-ahead.tsx';

/** A mapping to save, in the form of the API. */
export type Change = NonNullable<BodyOf<typeof saveMappings>['changes']>[number];

/** A row and its new target; null deletes the mapping. */
export interface Assignment {
  readonly row: MappingRowReply;
  readonly target: Pick<Choice, 'value' | 'text'> | null;
}

/** Returns the change of an assignment. Its last value prevents overwriting a mapping that another user changed. */
export const toChange = ({ row, target }: Assignment): Change => [
  row.source_value,
  target?.value ?? null,
  row.xref?.target_value ?? null,
];

/** Returns the change that reverts a saved assignment, unless another user changed the mapping since. */
export const toUndo = ({ row, target }: Assignment): Change => [
  row.source_value,
  row.xref?.target_value ?? null,
  target?.value ?? null,
];
