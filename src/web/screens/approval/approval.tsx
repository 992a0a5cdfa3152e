import { ActionBar, Parts } from '../../components/action-bar.tsx';
import { Box, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { approveDrafts } from '#contract/calls/drafts.ts';
import type { ApprovalRunReply, DraftReply } from '#contract/drafts.ts';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { AskMenu } from '../../components/ask-menu.tsx';
import { showMessage } from '../../components/flash.ts';
import { cacheJob } from '../../data/follow-job.ts';
import { approvalRunQuery, draftsQuery, refreshAll, subscriptionQuery, useAction } from '../../data/queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { useOpenRun } from '../runs/open-run.ts';
import { DraftPanel } from './draft-panel.tsx';
import { DraftTable } from './draft-table.tsx';
import { RejectDialog } from './reject-dialog.tsx';
import { Ledger, NewRecords, Numbers, Parties, Warnings } from './summary.tsx';
import { countOf } from '../../data/format.ts';
import { describeWithinSentence } from '../needs-attention/summaries.ts';

/** Drafts per page. One approval covers at most one page. */
const pageSize = 200;

/** Shows the drafts that wait for approval: totals, documents, ledger entries, and the approve button. */
export function Component() {
  const [page, setPage] = useState(1);
  const run = useQuery(approvalRunQuery());
  const openRun = useOpenRun();
  const list = useQuery(draftsQuery(page, pageSize));
  const isRequired = useQuery(subscriptionQuery()).data?.settings.require_approval === true;
  const isReadOnly = useReadOnly();
  const isLoaded = run.data !== undefined && list.data !== undefined;
  return (
    <Page
      title="Approval"
      lead={`${preparedText(list.data?.drafts ?? [])}After approval, documents are posted exactly as shown.`}
      actions={
        <>
          {(run.data?.count ?? 0) > 0 && !isReadOnly && (
            <AskMenu label="Ask for approval" about={{ for: 'approval' }} />
          )}
          <Button variant="default" onClick={() => window.print()} disabled={(run.data?.count ?? 0) === 0}>
            Print
          </Button>
          <RefreshButton isDisabled={run.isFetching || list.isFetching} onPress={() => void refreshAll('drafts')} />
        </>
      }
    >
      <RecentJobs stopped={[]} />
      {run.isLoadingError || list.isLoadingError ? (
        <FailedPanel what="The documents" of={[run, list]} />
      ) : !isLoaded ? (
        <Stack gap="md" aria-busy="true">
          <Skeleton width="100%" height={88} />
          <Skeleton width="100%" height={280} />
          <Skeleton width="100%" height={180} />
        </Stack>
      ) : list.data.total === 0 ? (
        <Panel>
          <EmptyState icon="check">
            {isRequired
              ? 'Nothing is waiting for approval. Documents of the next automatic run will appear here.'
              : 'Nothing is waiting for approval. To review automatic runs, turn on “Require approval” in Settings.'}
          </EmptyState>
        </Panel>
      ) : (
        <Run
          // Remounts for another page or run, with all its drafts selected.
          key={`${page} ${run.data.run}`}
          run={run.data}
          drafts={list.data.drafts}
          total={list.data.total}
          isStale={run.isError || list.isError || list.isPlaceholderData}
          page={page}
          onPage={setPage}
          onApproved={openRun}
        />
      )}
    </Page>
  );
}

const maxNamed = 2;

/** Returns who prepared the drafts: “Prepared by automatic runs and ada@msp.example. ”; empty without drafts. */
function preparedText(drafts: readonly Pick<DraftReply, 'prepared_by'>[]): string {
  const all = [...new Set(drafts.map(({ prepared_by: by }) => by ?? 'automatic runs'))];
  if (all.length === 0) return '';
  const named = all.length > maxNamed + 1 ? [...all.slice(0, maxNamed), countOf(all.length - maxNamed, 'other')] : all;
  return `Prepared by ${new Intl.ListFormat('en-US').format(named)}. `;
}

interface RunProps {
  run: ApprovalRunReply;
  drafts: readonly DraftReply[];
  total: number;
  isStale: boolean;
  page: number;
  onPage: (page: number) => void;
  onApproved: (jobIds: readonly string[], options: { readonly notice: string | undefined }) => void;
}

function Run({ run, drafts, total, isStale, page, onPage, onApproved }: RunProps) {
  const isAdministrator = useSession()?.claims.roles.includes('clientadmin') === true;
  const mayDecide = !useReadOnly() && isAdministrator;
  const waiting = drafts.filter(({ state }) => state === 'waiting');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(waiting.map(({ id }) => id)));
  const [opened, setOpened] = useState<DraftReply | null>(null);
  const [isRejecting, setRejecting] = useState(false);
  const picked = waiting.filter(({ id }) => chosen.has(id));
  const changed = drafts.filter((one) => one.changed?.after_approval === true).length;
  return (
    <Parts isStale={isStale}>
      <Numbers run={run} />
      <ReadOnlyNotice />
      {!isAdministrator && <Notice tone="info">Only an administrator can approve documents.</Notice>}
      {changed > 0 && (
        <Notice tone="warning">{`${countOf(changed, 'document')} changed after approval and ${changed === 1 ? 'was' : 'were'} not posted. Review the changes, then approve again.`}</Notice>
      )}
      {run.needs_two > 0 && (
        <Notice tone="info">{`${countOf(run.needs_two, 'document')} ${run.needs_two === 1 ? 'needs' : 'need'} two approvals because of the amount.`}</Notice>
      )}
      <Warnings
        warnings={run.warnings.map((one) => ({ ...one, documents: one.draft_ids.length }))}
        onChoose={mayDecide ? (ids) => setChosen(new Set(ids)) : null}
      />
      <Panel title="Documents" flush>
        <DraftTable
          drafts={drafts}
          chosen={mayDecide ? chosen : null}
          onChosen={setChosen}
          current={opened?.id}
          onOpen={setOpened}
        />
        {total > pageSize && <Pager page={page} pageSize={pageSize} total={total} onPage={onPage} />}
      </Panel>
      <Ledger effects={run.effects} />
      <Parties parties={run.parties} />
      <NewRecords records={run.new_records} />
      {mayDecide && waiting.length > 0 && (
        <ApproveBar picked={picked} onReject={() => setRejecting(true)} onApproved={onApproved} />
      )}
      <DraftPanel draft={opened} drafts={drafts} onOpen={setOpened} onClose={() => setOpened(null)} />
      <RejectDialog isOpen={isRejecting} drafts={picked} onClose={() => setRejecting(false)} />
    </Parts>
  );
}

interface ApproveBarProps {
  picked: readonly DraftReply[];
  onReject: () => void;
  /** Receives the ids of the jobs that post, at least one, and a message to show beside them. */
  onApproved: RunProps['onApproved'];
}

/** The buttons that approve or reject the selected drafts. */
function ApproveBar({ picked, onReject, onApproved }: ApproveBarProps) {
  const { accounting } = useEnvironment();
  const approve = useAction(approveDrafts, {
    changes: ['drafts', 'jobs', 'psa'],
    onSuccess: ({ jobs, first_of_two: first }) => {
      for (const job of jobs) cacheJob(job);
      const notice =
        first > 0
          ? `${countOf(first, 'document')} now ${first === 1 ? 'needs' : 'need'} a second approval.`
          : undefined;
      if (jobs.length > 0)
        onApproved(
          jobs.map(({ id }) => id),
          { notice },
        );
      else if (notice !== undefined) showMessage(notice);
    },
  });
  const obstacle = obstacleOf(picked);
  return (
    <ActionBar>
      {obstacle !== null && (
        <Box component="p" flex="1 1 320px" m={0} c="held">
          {obstacle}
        </Box>
      )}
      <Button variant="default" disabled={picked.length === 0} onClick={onReject}>
        Reject
      </Button>
      <Button
        disabled={picked.length === 0 || obstacle !== null}
        loading={approve.isPending}
        // An id identifies one exact plan, so only what the user saw is approved.
        onClick={() => approve.mutate({ body: { draft_ids: picked.map(({ id }) => id) } })}
      >
        {approveLabel(picked, accounting.short_label)}
      </Button>
    </ActionBar>
  );
}

/** Returns the label of the approve button. @param accounting short name of the accounting system */
function approveLabel(drafts: readonly DraftReply[], accounting: string): string {
  const first = drafts.filter(({ approval }) => approval === 'first');
  const final = drafts.filter(({ approval }) => approval === 'final');
  if (drafts.length === 0) return 'Nothing is selected';
  if (final.length === 0) return `Approve ${describeWithinSentence(first)} as first of two`;
  const post = `Post ${describeWithinSentence(final)} to ${accounting}`;
  return first.length === 0 ? post : `${post}; approve ${countOf(first.length, 'other')} as first of two`;
}

/** Returns why the user cannot approve some of the selected drafts; null if they can approve all. */
function obstacleOf(drafts: readonly DraftReply[]): string | null {
  const [worst] = drafts.flatMap(({ approval }) => (approval === 'first' || approval === 'final' ? [] : [approval]));
  if (worst === undefined) return null;
  const documents = countOf(drafts.filter(({ approval }) => approval === worst).length, 'document');
  return {
    changed_setup: 'You changed settings or mappings since the last approval. Another administrator must approve.',
    prepared_it: `You started the sync of ${documents}. Another administrator must approve.`,
    approved_it: `You already approved ${documents}. Another administrator must approve too.`,
  }[worst];
}
