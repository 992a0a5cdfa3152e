import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { kinds, type SubmittableKind, submittableKinds } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { clearSyncErrors } from '#contract/psa.ts';
import { submitAll } from '#contract/sync.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { countOf } from '../../lib/format.ts';
import { psaQuery, useAction } from '../../lib/queries.ts';
import { StateMark } from '../../ui/badge.tsx';
import { psaEntities } from '../sync/documents.ts';
import styles from './needs-attention.module.css';

/** The PSA field of each kind that carries the mark of an earlier try. */
const markFields = {
  invoice: 'invoiceNumber',
  purchase_order: 'externalPONumber',
  expense_report: 'quickBooksReferenceNumber',
} as const satisfies Record<SubmittableKind, string>;

/**
 * Documents that are marked ERROR in the PSA and of which the log knows nothing, e.g. from another program: no search
 * finds them, so they are offered here.
 */
export function LeftMarks({ known }: { known: readonly AttentionGroupReply[] }) {
  return submittableKinds.map((kind) => <Marked key={kind} kind={kind} known={known} />);
}

function Marked({ kind, known }: { kind: SubmittableKind; known: readonly AttentionGroupReply[] }) {
  const { psa } = useEnvironment();
  const { entity } = psaEntities[kind];
  const field = markFields[kind];
  const found = useQuery(
    psaQuery(entity, { key: ['marked'], conditions: () => [{ field, op: 'endsWith', value: errorSentinel }] }, [
      'id',
      field,
    ]),
  );
  const submit = useAction(submitAll, { onSuccess: ({ job }) => noteJob(job) });
  const clear = useAction(clearSyncErrors, {
    changes: ['psa', 'attention'],
    onSuccess: () => submit.mutate({ params: { kind: kinds[kind].segment }, body: { mode: 'test', force: false } }),
  });
  const reported = new Set(
    known.flatMap(({ documents }) => documents.flatMap(({ type, entityid }) => (type === kind ? [entityid] : []))),
  );
  const ids = (found.data ?? []).flatMap(({ id }) => (typeof id === 'number' && !reported.has(id) ? [id] : []));
  if (ids.length === 0) return null;
  const noun = kinds[kind].label.toLowerCase();
  return (
    <article className={styles.card} data-state="needs_you">
      <div className={styles.head}>
        <StateMark state="needs_you" />
        <div className={styles.words}>
          <h2 className={styles.title}>
            {countOf(ids.length, noun)} {ids.length === 1 ? 'is' : 'are'} marked {errorSentinel}
          </h2>
          <p className={styles.message}>
            An earlier try has left the mark in {psa.label}, so no sync takes {ids.length === 1 ? 'it' : 'them'} up:{' '}
            {ids.slice(0, 10).join(', ')}
            {ids.length > 10 && ` and ${ids.length - 10} more`}.
          </p>
        </div>
      </div>
      <div className={styles.foot}>
        <span className={styles.gap} />
        <Button
          variant="outline"
          color="test"
          loading={clear.isPending || submit.isPending}
          onClick={() => clear.mutate({ params: { entity }, body: { ids: ids.slice(0, 500) } })}
        >
          Clear and try again
        </Button>
      </div>
    </article>
  );
}
