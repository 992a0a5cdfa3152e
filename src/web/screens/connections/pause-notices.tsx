import { useQuery } from '@tanstack/react-query';
import { testConnection } from '#contract/connections.ts';
import type { Subscription } from '#contract/subscription.ts';
import { formatDateTime, formatExactTime } from '../../lib/format.ts';
import { subscriptionQuery, useAction } from '../../lib/queries.ts';
import { useSession } from '../../lib/current-session.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { pauseWords } from './words.ts';

/** Services that limit the calls of the client or do not respond: since when, why, and when the next call leaves. */
export function PauseNotices({ subscription }: { subscription: Subscription }) {
  const isClientAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  const test = useAction(testConnection, { changes: ['subscription'], onError: () => undefined });
  const answer = test.data?.data;
  return subscription.pauses.map(
    ({ service, label, since, next_try_at: nextTryAt, code, reason, data_from: dataFrom }) => (
      <Notice
        key={service}
        tone="warning"
        action={
          isClientAdmin && (
            <Button
              variant="default"
              size="xs"
              data-size="xs"
              aria-label={pauseWords.tryServiceAgain(label)}
              disabled={test.isPending}
              onClick={() => test.mutate({ params: { service } })}
            >
              {pauseWords.tryAgain}
            </Button>
          )
        }
      >
        {pauseWords.state(label, code)} <RelativeTime at={since} />. {reason}{' '}
        {nextTryAt === null
          ? pauseWords.retriesWithNextSync
          : pauseWords.nextTry(formatExactTime(nextTryAt, subscription.time_zone))}
        {dataFrom !== null && ` ${pauseWords.dataFrom(formatDateTime(dataFrom, subscription.time_zone))}`}
        {answer?.is_connected === false && test.variables?.params?.service === service && ` ${pauseWords.triedAgain}`}
      </Notice>
    ),
  );
}

/** How often a running job checks for pauses. */
const jobCheckMs = 15_000;

/** The same on a screen that does not read the subscription; a pause of a running job shows while it lasts. */
export function CurrentPauses({ isJobRunning = false }: { isJobRunning?: boolean }) {
  const { data } = useQuery({ ...subscriptionQuery(), refetchInterval: isJobRunning && jobCheckMs });
  return data === null || data === undefined ? null : <PauseNotices subscription={data} />;
}
