import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { approveDrafts, type ApprovalRunReply, type DraftReply } from '#contract/drafts.ts';
import { useSession } from '../../lib/current-session.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showMessage } from '../../lib/flash.ts';
import { cacheJob } from '../../lib/follow-job.ts';
import { approvalRunQuery, draftsQuery, refreshAll, subscriptionQuery, useAction } from '../../lib/queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { ReadOnlyNotice } from '../../ui/read-only-notice.tsx';
import { EmptyState, FailedState, Skeleton } from '../../ui/states.tsx';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { DraftDialog } from './draft-dialog.tsx';
import { DraftTable } from './draft-table.tsx';
import { RejectDialog } from './reject-dialog.tsx';
import { Ledger, NewRecords, Numbers, Parties, Warnings } from './summary.tsx';
import { approvalWords, approveLabel, obstacleOf } from './words.ts';
import styles from './approval.module.css';

/** So many are shown, and approved, at once. */
const pageSize = 200;

/** The whole run on one page: what would be posted, to whom, where it is booked; then the one button. */
export function Component() {
  const [page, setPage] = useState(1);
  const run = useQuery(approvalRunQuery());
  const [posted, setPosted] = useState<string | null>(null);
  const list = useQuery(draftsQuery(page, pageSize));
  const isRequired = useQuery(subscriptionQuery()).data?.settings.require_approval === true;
  const error = run.error ?? list.error;
  const isLoaded = run.data !== undefined && list.data !== undefined;
  return (
    <Page
      title={approvalWords.title}
      lead={approvalWords.lead}
      actions={
        <span className={styles.actions}>
          <Button variant="default" onClick={() => window.print()} disabled={(run.data?.count ?? 0) === 0}>
            {approvalWords.print}
          </Button>
          <Button
            variant="default"
            leftSection={<Icon name="refresh" size={16} />}
            disabled={run.isFetching || list.isFetching}
            onClick={() => void refreshAll('drafts')}
          >
            {approvalWords.refresh}
          </Button>
        </span>
      }
    >
      <RecentJobs submitted={[]} focusOn={posted} stopped={[]} />
      {!isLoaded && error !== null ? (
        <Panel>
          <FailedState what={approvalWords.what} error={error} onRetry={() => void refreshAll('drafts')} />
        </Panel>
      ) : !isLoaded ? (
        <div className={styles.ghosts} aria-busy="true">
          <Skeleton width="100%" height={88} />
          <Skeleton width="100%" height={280} />
          <Skeleton width="100%" height={180} />
        </div>
      ) : list.data.total === 0 ? (
        <Panel>
          <EmptyState icon="check">{approvalWords.nothing(isRequired)}</EmptyState>
        </Panel>
      ) : (
        <Run
          // Another portion begins with all of it chosen.
          key={`${page} ${run.data.run}`}
          run={run.data}
          drafts={list.data.drafts}
          total={list.data.total}
          isStale={run.isError || list.isError || list.isPlaceholderData}
          page={page}
          onPage={setPage}
          onApproved={setPosted}
        />
      )}
    </Page>
  );
}

function Run({
  run,
  drafts,
  total,
  isStale,
  page,
  onPage,
  onApproved,
}: {
  run: ApprovalRunReply;
  drafts: readonly DraftReply[];
  total: number;
  isStale: boolean;
  page: number;
  onPage: (page: number) => void;
  onApproved: (jobId: string | null) => void;
}) {
  const isAdministrator = useSession()?.claims.roles.includes('clientadmin') === true;
  const mayDecide = !useReadOnly() && isAdministrator;
  const waiting = drafts.filter(({ state }) => state === 'waiting');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(waiting.map(({ id }) => id)));
  const [opened, setOpened] = useState<DraftReply | null>(null);
  const [isRejecting, setRejecting] = useState(false);
  const picked = waiting.filter(({ id }) => chosen.has(id));
  const changed = drafts.filter((one) => one.changed?.after_approval === true).length;
  return (
    <div className={styles.run} data-stale={isStale}>
      <Numbers run={run} />
      <ReadOnlyNotice />
      {!isAdministrator && <Notice tone="info">{approvalWords.onlyAdministrators}</Notice>}
      {changed > 0 && <Notice tone="warning">{approvalWords.changedAfter(changed)}</Notice>}
      {run.needs_two > 0 && <Notice tone="info">{approvalWords.needsTwo(run.needs_two)}</Notice>}
      <Warnings warnings={run.warnings} onChoose={mayDecide ? (ids) => setChosen(new Set(ids)) : null} />
      <Panel title={approvalWords.documents} flush>
        <DraftTable drafts={drafts} chosen={mayDecide ? chosen : null} onChosen={setChosen} onOpen={setOpened} />
        {total > pageSize && <Pager page={page} pageSize={pageSize} total={total} onPage={onPage} />}
      </Panel>
      <Ledger effects={run.effects} />
      <Parties parties={run.parties} />
      <NewRecords records={run.new_records} />
      {mayDecide && waiting.length > 0 && (
        <ApproveBar picked={picked} onReject={() => setRejecting(true)} onApproved={onApproved} />
      )}
      <DraftDialog draft={opened} onClose={() => setOpened(null)} />
      <RejectDialog isOpen={isRejecting} drafts={picked} onClose={() => setRejecting(false)} />
    </div>
  );
}

/** The last button: it says what it does, how much it is, and where it goes. */
function ApproveBar({
  picked,
  onReject,
  onApproved,
}: {
  picked: readonly DraftReply[];
  onReject: () => void;
  /** Receives the id of the job that posts; null while a second approval is missing. */
  onApproved: (jobId: string | null) => void;
}) {
  const { accounting } = useEnvironment();
  const approve = useAction(approveDrafts, {
    changes: ['drafts', 'jobs', 'psa'],
    onSuccess: ({ jobs, first_of_two: first }) => {
      for (const job of jobs) cacheJob(job);
      onApproved(jobs[0]?.id ?? null);
      if (first > 0) showMessage(approvalWords.firstOfTwo(first));
    },
  });
  const obstacle = obstacleOf(picked);
  return (
    <div className={styles.bar}>
      {obstacle !== null && <p className={styles.obstacle}>{obstacle}</p>}
      <Button variant="default" disabled={picked.length === 0} onClick={onReject}>
        {approvalWords.reject}
      </Button>
      <Button
        className={styles.approve ?? ''}
        disabled={picked.length === 0 || obstacle !== null}
        loading={approve.isPending}
        // The rows that were seen are named, each of which stands for its plan and no other.
        onClick={() => approve.mutate({ body: { draft_ids: picked.map(({ id }) => id) } })}
      >
        {approveLabel(picked, accounting.short_label)}
      </Button>
    </div>
  );
}
