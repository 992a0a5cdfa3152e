import { type SubmittableKind, submittableKinds } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { StateMark } from '../../ui/badge.tsx';
import { useMarked } from '../sync/use-marked.ts';
import styles from './needs-attention.module.css';
import { marksWords } from './words.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';

/**
 * Documents that are marked ERROR in the PSA and of which the log knows nothing, e.g. from another program: no search
 * finds them, so they are offered here.
 */
export function LeftMarks({ known }: { known: readonly AttentionGroupReply[] }) {
  return submittableKinds.map((kind) => <Marked key={kind} kind={kind} known={known} />);
}

function Marked({ kind, known }: { kind: SubmittableKind; known: readonly AttentionGroupReply[] }) {
  const { psa } = useEnvironment();
  const isReadOnly = useReadOnly();
  const marked = useMarked(kind);
  const reported = new Set(
    known.flatMap(({ documents }) => documents.flatMap(({ type, entityid }) => (type === kind ? [entityid] : []))),
  );
  const ids = marked.ids.filter((id) => !reported.has(id));
  if (ids.length === 0) return null;
  return (
    <article className={styles.card} data-state="needs_you">
      <div className={styles.head}>
        <StateMark state="needs_you" />
        <div className={styles.words}>
          <h2 className={styles.title}>{marksWords.title(kind, ids.length, errorSentinel)}</h2>
          <p className={styles.message}>{marksWords.text(psa.label, ids)}</p>
        </div>
      </div>
      <div className={styles.foot}>
        <span className={styles.gap} />
        <Button
          variant="outline"
          color="test"
          disabled={isReadOnly}
          loading={marked.isPending}
          onClick={() => marked.clear(ids)}
        >
          {marksWords.clear}
        </Button>
      </div>
    </article>
  );
}
