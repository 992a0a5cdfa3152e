import { AttentionCard } from './attention-card.tsx';
import { Button } from '@mantine/core';
import { kinds, type SubmittableKind, submittableKinds } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useErrorMarks } from '../sync/use-error-marks.ts';
import { countOf } from '../../data/format.ts';
import { useReadOnly } from '../../data/use-read-only.ts';

/** Maximum number of ids listed in a text. */
const maxNamed = 10;

/**
 * Documents with the ERROR mark in the PSA but no log entry, e.g. marked by another program. No sync picks them up, so
 * this card offers to clear the mark.
 */
export function ErrorMarks({ known }: { known: readonly AttentionGroupReply[] }) {
  return submittableKinds.map((kind) => <MarkedKind key={kind} kind={kind} known={known} />);
}

function MarkedKind({ kind, known }: { kind: SubmittableKind; known: readonly AttentionGroupReply[] }) {
  const { psa } = useEnvironment();
  const isReadOnly = useReadOnly();
  const marked = useErrorMarks(kind);
  const reported = new Set(
    known.flatMap(({ documents }) => documents.flatMap(({ type, entityid }) => (type === kind ? [entityid] : []))),
  );
  const ids = marked.ids.filter((id) => !reported.has(id));
  if (ids.length === 0) return null;
  return (
    <AttentionCard
      state="needs_you"
      title={`${countOf(ids.length, kinds[kind].label.toLowerCase())} ${ids.length === 1 ? 'is' : 'are'} marked ${errorSentinel}`}
      text={`An earlier sync left this mark in ${psa.label}. It blocks new syncs of ${ids.slice(0, maxNamed).join(', ')}${ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''}.`}
      buttons={
        <Button
          variant="outline"
          color="test"
          disabled={isReadOnly}
          loading={marked.isPending}
          onClick={() => marked.clear(ids)}
        >
          Clear and try again
        </Button>
      }
    />
  );
}
