import type { MoneyReply } from '#contract/money.ts';
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { readSubscription } from '#contract/calls/subscription.ts';
import type { Subscription } from '#contract/subscription.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { statusText, type SubscriptionStatus } from '#core/tenant.ts';
import { useEnvironment } from '../../data/environment.ts';
import { modulesQuery } from '../../data/setup-queries.ts';
import { useSession } from '../../data/current-session.ts';
import { clearErrors } from '../../components/flash.ts';
import {
  approvalRunQuery,
  attentionQuery,
  draftsQuery,
  jobsQuery,
  moneyQuery,
  refreshAll,
  subscriptionQuery,
  useAction,
} from '../../data/queries.ts';
import { Link } from 'react-router';
import { countDone, isSetupShown, setupProgress, setupSteps } from '../../data/setup-steps.ts';
import { readinessOf } from '../../data/subscription.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { loadLater, OnDemand } from '../../components/load-later.tsx';
import { FailedPanel, Page } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { statusLabels, statusTones } from '../../components/subscription-status.ts';
import { Activity } from './activity.tsx';
import { Chart } from './chart.tsx';
import { Figures, FiguresPlaceholder } from './figures.tsx';
import { Hours } from './hours.tsx';
import { StateLine } from './state-line.tsx';
import { TopCauses } from './top-causes.tsx';
import styles from './overview.module.css';
import { AutomaticSyncNotice } from './automatic-sync-notice.tsx';
import { ConnectionNotices } from './connection-notices.tsx';
import { FoldedNotices } from './folded-notices.tsx';
import { PauseNotices } from '../connections/pause-notices.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { ConfirmEmailNotice } from '../security/confirm-email-notice.tsx';
import { useReviews } from '../sync/use-reviews.tsx';
import { useBusy } from '../../shell/busy.ts';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { WaitingDrafts } from './waiting-drafts.tsx';
import { Setup } from './setup.tsx';

// The Suspense boundary below waits for these parts, so that none of them appears late and moves the others.
const SkippedNotice = lazy(async () => ({ default: (await import('./skipped-notice.tsx')).SkippedNotice }));
const MasqueradeChooser = lazy(async () => ({
  default: (await import('./masquerade-chooser.tsx')).MasqueradeChooser,
}));
const ClientList = lazy(async () => ({ default: (await import('../clients/client-list.tsx')).ClientList }));
const SyncNowDialog = loadLater(async () => (await import('./sync-now-dialog.tsx')).SyncNowDialog);

/** The first screen after the login. The review of a live sync replaces it. */
export function Component() {
  const { page, review, openRun } = useReviews();
  const isClientAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  return (isClientAdmin && page) || <Overview onTested={openRun} onReview={review} />;
}

interface OverviewProps {
  onTested: (jobIds: readonly string[]) => void;
  onReview: (jobIds: readonly string[]) => void;
}

/**
 * Shows whether everything works and what the user has to do.
 *
 * @param onTested receives the id of the test that the user started
 * @param onReview receives the ids of the test jobs to review before posting
 */
function Overview({ onTested, onReview }: OverviewProps) {
  const claims = useSession()?.claims;
  const subscription = useQuery(subscriptionQuery());
  const [syncNowKind, setSyncNowKind] = useState<SubmittableKind | null>(null);

  const isSysAdmin = claims?.roles.includes('sysadmin') === true;
  const isClientAdmin = claims?.roles.includes('clientadmin') === true && claims.client !== null;
  const { data } = subscription;
  const { connectionsOk, settingsOk } = readinessOf(data);
  const isBusy = useBusy();
  const { psa } = useEnvironment();
  const modules = useQuery({ ...modulesQuery(), enabled: isClientAdmin && connectionsOk }).data;
  const hasProcurement = modules?.procurement !== false;
  const whyDisabled = whySyncDisabled({ isClientAdmin, status: data?.status ?? null, connectionsOk, settingsOk });
  const { isSettled, hasSkipped, money } = useNoticeData(isClientAdmin);
  const placeholder = <Placeholder hasMonth={isClientAdmin} />;
  const setupDone = data !== null && data !== undefined && connectionsOk && settingsOk && <Setup subscription={data} />;
  const { isRefreshing, refresh } = useRefresh();

  return (
    <Page
      title="Overview"
      aside={
        data !== null &&
        data !== undefined && <ToneBadge tone={statusTones[data.status]}>{statusLabels[data.status]}</ToneBadge>
      }
      actions={<RefreshButton isDisabled={subscription.isFetching} isBusy={isRefreshing} onPress={refresh} />}
    >
      <Suspense fallback={placeholder}>
        {isSysAdmin && <MasqueradeChooser current={claims.client?.id ?? null} />}
        {isSysAdmin && claims.client === null && <ClientList />}
        {subscription.isLoadingError && <FailedPanel what="Your subscription" of={subscription} />}
        {data === null && !isSysAdmin && <Notice tone="warning">{noSubscription}</Notice>}
        {subscription.isPending || (data !== null && data !== undefined && !isSettled) ? (
          placeholder
        ) : (
          <>
            {data !== null && data !== undefined && (
              <SubscriptionNotices
                subscription={data}
                isClientAdmin={isClientAdmin}
                isActing={claims?.actor !== null && claims?.actor !== undefined}
              />
            )}
            {isClientAdmin && connectionsOk && hasSkipped && <SkippedNotice />}
            {isClientAdmin && <RecentJobs only="stopped" stopped={data?.stopped ?? []} />}
            {isClientAdmin && connectionsOk && <MonthInMoney money={money} />}
            {(data !== null || !isSysAdmin) && data !== undefined && (
              <div className={money === null ? undefined : styles.work}>
                {money !== null && (
                  <Stack gap="md">
                    <TopCauses onReview={onReview} />
                    {setupDone}
                  </Stack>
                )}
                <Activity
                  isBusy={isBusy}
                  isStale={subscription.isError}
                  state={data?.state ?? null}
                  whyDisabled={(kind) =>
                    whyDisabled ?? (kind === 'purchase_order' && !hasProcurement ? procurementOff(psa.label) : null)
                  }
                  onSyncNow={setSyncNowKind}
                >
                  {money !== null && <Hours money={money} />}
                </Activity>
              </div>
            )}
            {/* Below the buttons that start them, so that a new job does not move a button under the pointer. */}
            {isClientAdmin && <RecentJobs only="others" stopped={data?.stopped ?? []} />}
            {money === null && setupDone}
          </>
        )}
      </Suspense>
      <SyncNow kind={syncNowKind} onClose={() => setSyncNowKind(null)} onTested={onTested} onReview={onReview} />
    </Page>
  );
}

interface SyncNowProps extends OverviewProps {
  kind: SubmittableKind | null;
  onClose: () => void;
}

function SyncNow({ kind, onClose, onTested, onReview }: SyncNowProps) {
  return (
    <OnDemand isNeeded={kind !== null}>
      <SyncNowDialog
        kind={kind}
        onClose={onClose}
        onSubmitted={(id, mode) => {
          onClose();
          if (mode === 'live') onReview([id]);
          else onTested([id]);
        }}
      />
    </OnDemand>
  );
}

/** Refreshes the page. Reads from both services, so that a fix made there appears immediately. */
function useRefresh() {
  const reload = useAction(readSubscription, { changes: ['subscription', 'settings', 'lists', 'mappings'] });
  const refresh = () => {
    clearErrors();
    reload.mutate({ query: { refresh: true } });
    void refreshAll('jobs', 'attention', 'drafts', 'month', 'money', 'logs');
  };
  return { isRefreshing: reload.isPending, refresh };
}

interface SubscriptionNoticesProps {
  subscription: Subscription;
  isClientAdmin: boolean;
  /** A system administrator acts as the user. */
  isActing: boolean;
}

/** What keeps the client from syncing, or needs a decision. */
function SubscriptionNotices({ subscription, isClientAdmin, isActing }: SubscriptionNoticesProps) {
  const { connectionsOk, settingsOk } = readinessOf(subscription);
  return (
    <>
      {(subscription.status === 'suspended' || subscription.status === 'cancelled') && (
        <Notice tone="warning" action={isClientAdmin && <ExportButton />}>
          This subscription is {statusText(subscription.status)}. Syncs and changes are off; you can read and export.
          Contact support.
        </Notice>
      )}
      {subscription.status === 'pending' && <WhyPending isActing={isActing} isSetUp={connectionsOk && settingsOk} />}
      <ConnectionNotices subscription={subscription} />
      <PauseNotices subscription={subscription} />
      {isClientAdmin && subscription.left_company !== null && (
        <AutomaticSyncNotice subscription={subscription} isReady={settingsOk} />
      )}
      {!(connectionsOk && settingsOk) && <Setup subscription={subscription} />}
      {/* Side by side, so that the page fits a screen. */}
      <FoldedNotices>
        {isClientAdmin && connectionsOk && isSetupShown(subscription) && <SetupLine subscription={subscription} />}
        <WaitingDrafts />
        {isClientAdmin && settingsOk && subscription.left_company === null && (
          <AutomaticSyncNotice subscription={subscription} isReady />
        )}
      </FoldedNotices>
    </>
  );
}

/** The month so far, as amounts; without amounts, as numbers of documents. */
function MonthInMoney({ money }: { money: MoneyReply | null }) {
  return (
    <Stack gap="md" my={-8}>
      <StateLine />
      {money === null ? (
        <Figures money={null} />
      ) : (
        <div className={styles.money}>
          <Chart money={money} />
          <Figures money={money} />
        </div>
      )}
    </Stack>
  );
}

/** How far the setup is, with a link to its next step. */
function SetupLine({ subscription }: { subscription: Subscription }) {
  const jobs = useQuery(jobsQuery());
  const done = countDone(setupProgress(subscription, jobs.data));
  return (
    <Notice
      tone="info"
      isCompact
      action={
        <Button component={Link} to="/setup" variant="default" size="xs" data-size="xs">
          Continue setup
        </Button>
      }
    >
      Setup: {done} of {setupSteps.length} steps done.
    </Notice>
  );
}

/**
 * Loads the data that decides which notices are shown above the totals.
 *
 * @returns `isSettled`: all of it has loaded or failed once, so that no notice moves the content later.
 */
function useNoticeData(isClientAdmin: boolean) {
  const attention = useQuery({ ...attentionQuery(), enabled: isClientAdmin });
  const drafts = useQuery({ ...draftsQuery(1, 1), enabled: isClientAdmin });
  const hasDrafts = (drafts.data?.waiting ?? 0) > 0;
  const run = useQuery({ ...approvalRunQuery(), enabled: hasDrafts });
  const jobs = useQuery({ ...jobsQuery(), enabled: isClientAdmin });
  const money = useQuery({ ...moneyQuery(), enabled: isClientAdmin });
  return {
    isSettled:
      !isClientAdmin ||
      [attention, drafts, jobs, money, ...(hasDrafts ? [run] : [])].every(
        ({ isFetched, failureCount }) => isFetched || failureCount > 0,
      ),
    /** Null before the first sync or test. */
    money: money.data === undefined || money.data.days.length === 0 ? null : money.data,
    /** Automatic syncs skip documents because of their age. */
    hasSkipped: attention.data?.left_out.some(({ because }) => because === 'age') === true,
  };
}

/** A placeholder with the usual layout. */
const Placeholder = ({ hasMonth }: { hasMonth: boolean }): ReactNode => (
  <>
    <Skeleton width="100%" height={40} />
    {hasMonth && <FiguresPlaceholder />}
    <Activity isBusy isStale={false} state={undefined} whyDisabled={() => null} onSyncNow={() => undefined} />
  </>
);

/** Returns why sync is disabled; null when it is enabled. */
function whySyncDisabled(about: {
  isClientAdmin: boolean;
  /** Null without a subscription. */
  status: SubscriptionStatus | null;
  connectionsOk: boolean;
  settingsOk: boolean;
}): string | null {
  if (!about.isClientAdmin) return 'Only an administrator of the client can sync.';
  if (about.status === null) return noSubscription;
  if (about.status === 'suspended' || about.status === 'cancelled')
    return `This subscription is ${statusText(about.status)}.`;
  if (!about.connectionsOk) return 'Connect both services first.';
  return about.settingsOk ? null : 'Complete your settings first.';
}

/** Explains that a pending subscription waits for a confirmed email address. An incomplete setup has its own panel. */
function WhyPending({ isActing, isSetUp }: { isActing: boolean; isSetUp: boolean }) {
  if (!isActing) return <ConfirmEmailNotice />;
  return isSetUp ? (
    <Notice tone="info">
      This subscription is pending: no user has confirmed an email address. Until then, nothing is posted to QuickBooks.
    </Notice>
  ) : null;
}

const noSubscription = 'You do not have a current subscription.';

const procurementOff = (psa: string): string =>
  `You must enable Procurement in ${psa} to use the Purchase Orders portion of the app.`;
