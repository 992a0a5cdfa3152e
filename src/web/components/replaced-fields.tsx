import type { FieldChangeReply } from '#contract/planned.ts';
import { Note } from './note.tsx';

/** Lists the fields that an update replaces in QuickBooks, with both values. */
export const ReplacedFields = ({ changes }: { changes: readonly FieldChangeReply[] }) =>
  changes.map(({ what, was, is }) => (
    <Note key={what}>
      {what}: <del>{was}</del> → <ins>{is}</ins>
    </Note>
  ));
