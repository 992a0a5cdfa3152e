import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { readSubscription, type Subscription } from '#contract/subscription.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import type { SubscriptionStatus } from '#core/tenant.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { modulesQuery } from '../../lib/setup-queries.ts';
import { hasPrefetched } from '../../lib/prefetched.ts';
import { useSession } from '../../lib/current-session.ts';
import { clearErrors } from '../../lib/flash.ts';
import {
  attentionQuery,
  draftsQuery,
  jobsQuery,
  queryClient,
  refreshAll,
  subscriptionQuery,
  useAction,
} from '../../lib/queries.ts';
import { readinessOf } from '../../lib/subscription.ts';
import { ToneBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { inLibrary } from '../../ui/in-library.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { Activity } from './activity.tsx';
import { Health } from './health.tsx';
import { Month, MonthShape } from './month.tsx';
import { SwitchedOff } from './switched-off.tsx';
import { ConnectionNotices } from './connection-notices.tsx';
import { PauseNotices } from '../connections/pause-notices.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { comesWhenDrawn, comesWhenOpened } from '../../lib/later.tsx';
import { isGuideShown, noteGuideShown, wasGuideShown } from './guide/guide-shown.ts';
import { EmailProof } from '../security/email-proof.tsx';
import { useReviewAddress } from '../sync/review-address.ts';
import { useBusy } from '../../shell/busy.ts';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { WaitingDrafts } from './waiting-drafts.tsx';
import { Setup } from './setup.tsx';
import { noProcurement, overviewWords, statusWords, whyNotWords } from './words.ts';

// The parts around these wait for their code as well: one that came after them would push them away.
const LeftOutNotice = lazy(async () => ({ default: (await import('./left-out-notice.tsx')).LeftOutNotice }));
const loadGuide = async () => (await import('./guide/guide.tsx')).Guide;
const Guide = lazy(async () => ({ default: await loadGuide() }));
const loadChooser = inLibrary(async () => (await import('./masquerade-chooser.tsx')).MasqueradeChooser);
const MasqueradeChooser = lazy(async () => ({ default: await loadChooser() }));

const ReviewPage = comesWhenDrawn(inLibrary(async () => (await import('../sync/review-page.tsx')).ReviewPage));
const SyncNowDialog = comesWhenOpened(
  inLibrary(async () => (await import('./sync-now-dialog.tsx')).SyncNowDialog),
  ({ kind }) => kind !== null,
);

/** The first picture waits no longer for answers than this; they are here already as a rule. */
const longestWaitMs = 100;

/** Takes in the answers that the page has asked ahead, so that the first picture has them. */
export async function ready(): Promise<void> {
  if (!hasPrefetched()) return;
  await Promise.race([
    Promise.all([
      queryClient.prefetchQuery(subscriptionQuery()),
      queryClient.prefetchQuery(attentionQuery()),
      queryClient.prefetchQuery(draftsQuery(1, 1)),
      queryClient.prefetchQuery(jobsQuery()),
    ]),
    new Promise((resolve) => setTimeout(resolve, longestWaitMs)),
  ]);
}

/** The first screen after signing in. A live sync is reviewed in its place. */
export function Component() {
  const { reviewing, review, leave } = useReviewAddress();
  const [submitted, setSubmitted] = useState<readonly string[]>([]);
  const isClientAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  const [posted, setPosted] = useState<string | null>(null);
  const submit = (ids: readonly string[]) => setSubmitted([...submitted, ...ids]);
  if (reviewing.length === 0 || !isClientAdmin)
    return <Overview submitted={submitted} posted={posted} onSubmitted={submit} onReview={review} />;
  return (
    <ReviewPage
      jobIds={reviewing}
      onLeave={() => {
        setPosted(null);
        leave();
      }}
      onSubmitted={(ids) => {
        submit(ids);
        setPosted(ids[0] ?? null);
        leave();
      }}
    />
  );
}

/**
 * Is everything fine, and if not, what is to do.
 *
 * @param submitted ids of jobs that were started here
 * @param posted id of the job that posts what was just reviewed
 * @param onReview receives the ids of tests whose plans are to be posted
 */
function Overview({
  submitted,
  posted,
  onSubmitted,
  onReview,
}: {
  submitted: readonly string[];
  posted: string | null;
  onSubmitted: (jobIds: readonly string[]) => void;
  onReview: (jobIds: readonly string[]) => void;
}) {
  const claims = useSession()?.claims;
  const subscription = useQuery(subscriptionQuery());
  const [asked, setAsked] = useState<SubmittableKind | null>(null);

  const isSysAdmin = claims?.roles.includes('sysadmin') === true;
  const isClientAdmin = claims?.roles.includes('clientadmin') === true && claims.client !== null;
  const { data } = subscription;
  const { connectionsOk, settingsOk } = readinessOf(data);
  const isBusy = useBusy();
  const { psa } = useEnvironment();
  const modules = useQuery({ ...modulesQuery(), enabled: isClientAdmin && connectionsOk }).data;
  const hasProcurement = modules?.procurement !== false;
  const whyNot = whyNotSync({ isClientAdmin, status: data?.status ?? null, connectionsOk, settingsOk });
  const { isSettled, isLeftOut } = useFirstAnswers(isClientAdmin);
  const clientId = claims?.client?.id ?? null;
  useEffect(() => {
    // Asked for beside the subscription, which tells only later what is shown; where it was not, its code would be in the way.
    if (!isClientAdmin || clientId === null) return;
    if (wasGuideShown(clientId)) void loadGuide().catch(() => undefined);
  }, [isClientAdmin, clientId]);
  const shape = <Shape hasMonth={isClientAdmin} />;
  // Both services are asked anew: what somebody has just mended there is seen at once.
  const renew = useAction(readSubscription, { changes: ['subscription', 'settings', 'lists', 'mappings'] });
  const refresh = () => {
    clearErrors();
    renew.mutate({ query: { refresh: true } });
    void refreshAll('jobs');
    void refreshAll('attention');
    void refreshAll('drafts');
    void refreshAll('month');
    void refreshAll('logs');
  };

  return (
    <Page
      title={overviewWords.title}
      aside={data !== null && data !== undefined && <StatusBadge status={data.status} />}
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="refresh" size={16} />}
          onClick={refresh}
          disabled={subscription.isFetching}
          loading={renew.isPending}
        >
          {overviewWords.refresh}
        </Button>
      }
    >
      <Suspense fallback={shape}>
        {isSysAdmin && <MasqueradeChooser current={claims.client?.id ?? null} />}
        {subscription.isError && data === undefined && (
          <Panel>
            <FailedState
              what={overviewWords.subscription}
              error={subscription.error}
              onRetry={() => void subscription.refetch()}
            />
          </Panel>
        )}
        {data === null && !isSysAdmin && <Notice tone="warning">{overviewWords.noSubscription}</Notice>}
        {subscription.isPending || (data !== null && data !== undefined && !isSettled) ? (
          shape
        ) : (
          <>
            {data !== null && data !== undefined && (
              <>
                {(data.status === 'suspended' || data.status === 'cancelled') && (
                  <Notice tone="warning" action={isClientAdmin && <ExportButton />}>
                    {overviewWords.ended(data.status)}
                  </Notice>
                )}
                {data.status === 'pending' && (
                  <WhyPending
                    isActing={claims?.actor !== null && claims?.actor !== undefined}
                    isSetUp={connectionsOk && settingsOk}
                  />
                )}
                <ConnectionNotices subscription={data} />
                <PauseNotices subscription={data} />
                {isClientAdmin && data.left_company !== null && (
                  <SwitchedOff subscription={data} isReady={settingsOk} />
                )}
                <Setup subscription={data} />
                {isClientAdmin && <FirstSteps key={data.guide} subscription={data} />}
                <WaitingDrafts />
              </>
            )}
            {isClientAdmin && connectionsOk && isLeftOut && <LeftOutNotice />}
            {isClientAdmin && <RecentJobs only="stopped" submitted={submitted} stopped={data?.stopped ?? []} />}
            {isClientAdmin && connectionsOk && <Month />}
            {(data !== null || !isSysAdmin) && data !== undefined && (
              <Activity
                isBusy={isBusy}
                isStale={subscription.isError}
                state={data?.state ?? null}
                whyNot={(kind) =>
                  whyNot ?? (kind === 'purchase_order' && !hasProcurement ? noProcurement(psa.label) : null)
                }
                onSyncNow={setAsked}
              />
            )}
            {/* Below the buttons that start them: none moves away under a pointer when a job begins. */}
            {isClientAdmin && (
              <RecentJobs only="others" submitted={submitted} focusOn={posted} stopped={data?.stopped ?? []} />
            )}
            {data !== null && data !== undefined && (
              <>
                {isClientAdmin && settingsOk && data.left_company === null && (
                  <SwitchedOff subscription={data} isReady />
                )}
                <Health subscription={data} />
              </>
            )}
          </>
        )}
      </Suspense>
      <SyncNowDialog
        kind={asked}
        onClose={() => setAsked(null)}
        onSubmitted={(id, mode) => {
          setAsked(null);
          if (mode === 'live') onReview([id]);
          else onSubmitted([id]);
        }}
      />
    </Page>
  );
}

/** The first steps stay while somebody works through them, also when the last one is done. */
function FirstSteps({ subscription }: { subscription: Subscription }) {
  const { id } = subscription.client;
  const [isShown, setShown] = useState(false);
  const isNeeded = isGuideShown(subscription);
  if (isNeeded && !isShown) setShown(true);
  useEffect(() => noteGuideShown(id, isNeeded), [id, isNeeded]);
  return isShown && <Guide subscription={subscription} />;
}

/**
 * Answers that decide what stands above the figures.
 *
 * @returns `isSettled`: they are there, or could not be had, so that nothing comes between the figures later.
 */
function useFirstAnswers(isClientAdmin: boolean) {
  const attention = useQuery({ ...attentionQuery(), enabled: isClientAdmin });
  const drafts = useQuery({ ...draftsQuery(1, 1), enabled: isClientAdmin });
  const jobs = useQuery({ ...jobsQuery(), enabled: isClientAdmin });
  return {
    isSettled:
      !isClientAdmin || [attention, drafts, jobs].every(({ isFetched, failureCount }) => isFetched || failureCount > 0),
    /** Something has grown too old for the automatic syncs; the code that says so comes for those alone who need it. */
    isLeftOut: attention.data?.left_out.some(({ because }) => because === 'age') === true,
  };
}

/** Shape of the Overview as it mostly is, while it is still coming. */
const Shape = ({ hasMonth }: { hasMonth: boolean }): ReactNode => (
  <>
    <Skeleton width="100%" height={40} />
    {hasMonth && <MonthShape />}
    <Activity isBusy isStale={false} state={undefined} whyNot={() => null} onSyncNow={() => undefined} />
  </>
);

/** Why nothing can be synced now; null when it can. */
function whyNotSync(about: {
  isClientAdmin: boolean;
  /** Null without a subscription. */
  status: SubscriptionStatus | null;
  connectionsOk: boolean;
  settingsOk: boolean;
}): string | null {
  if (!about.isClientAdmin) return whyNotWords.role;
  if (about.status === null) return overviewWords.noSubscription;
  if (about.status === 'suspended' || about.status === 'cancelled') return whyNotWords.ended(about.status);
  if (!about.connectionsOk) return whyNotWords.connections;
  return about.settingsOk ? null : whyNotWords.settings;
}

/** Says that a pending subscription waits for a confirmed address; the set-up says itself that it is missing. */
function WhyPending({ isActing, isSetUp }: { isActing: boolean; isSetUp: boolean }) {
  if (!isActing) return <EmailProof />;
  return isSetUp ? <Notice tone="info">{overviewWords.pending}</Notice> : null;
}

const tones = { pending: 'info', active: 'ok', suspended: 'bad', cancelled: 'bad' } as const;

function StatusBadge({ status }: { status: SubscriptionStatus }) {
  return <ToneBadge tone={tones[status]}>{statusWords[status]}</ToneBadge>;
}
