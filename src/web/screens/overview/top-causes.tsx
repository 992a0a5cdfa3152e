import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { countOf } from '../../data/format.ts';
import { attentionQuery } from '../../data/queries.ts';
import { Link } from 'react-router';
import { StateIcon } from '../../components/badge.tsx';
import { Panel } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { describeDocuments } from '../needs-attention/summaries.ts';
import styles from './top-causes.module.css';

const CauseDialog = lazy(async () => ({ default: (await import('./cause-dialog.tsx')).CauseDialog }));

const shownCauses = 3;

/** Verbs for the first fix of a cause. */
const verbs: Readonly<Record<string, string>> = {
  map: 'Map',
  create_as: 'Create',
  reconnect: 'Reconnect',
  clear_status: 'Clear status',
  update_books: 'Update',
};

function verbOf({ repairs: [first] }: AttentionGroupReply): string {
  if (first?.['do'] === 'choose_setting')
    return String(first['key']).endsWith('_account') ? 'Choose account' : 'Change setting';
  return verbs[String(first?.['do'])] ?? 'Fix';
}

/**
 * The three causes with the largest amounts that need a user, each with its fix.
 *
 * @param onReview receives the ids of the test jobs to review before posting
 */
export function TopCauses({ onReview }: { onReview: (jobIds: readonly string[]) => void }) {
  const attention = useQuery(attentionQuery());
  const [open, setOpen] = useState<AttentionGroupReply | null>(null);
  // The server lists the causes with the largest amounts first.
  const groups = (attention.data?.groups ?? []).filter(({ state }) => state === 'needs_you');
  return (
    <Panel
      title="Needs attention"
      flush
      actions={
        groups.length > 0 && (
          <Link className={styles.all} to="/needs-attention">
            Show all {countOf(groups.length, 'cause')}
          </Link>
        )
      }
    >
      {groups.length === 0 ? (
        <EmptyState icon="check">Nothing needs attention.</EmptyState>
      ) : (
        <ul className={styles.causes}>
          {groups.slice(0, shownCauses).map((group) => (
            <li key={group.key}>
              <StateIcon state="needs_you" />
              <span className={styles.words}>
                <span className={styles.message} title={group.message}>
                  {group.message.replace(/\.$/, '')}
                </span>
                <span className={styles.sum}>{describeDocuments(group.documents)}</span>
              </span>
              <Button
                variant="default"
                size="xs"
                aria-label={`${verbOf(group)}: ${group.message}`}
                onClick={() => setOpen(group)}
              >
                {verbOf(group)}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Suspense>
        <CauseDialog
          group={open === null ? null : (groups.find(({ key }) => key === open.key) ?? open)}
          onReview={onReview}
          onClose={() => setOpen(null)}
        />
      </Suspense>
    </Panel>
  );
}
