import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { testConnection } from '#contract/calls/connections.ts';
import type { Subscription } from '#contract/subscription.ts';
import { formatDateTime, formatExactTime } from '../../data/format.ts';
import { subscriptionQuery, useAction } from '../../data/queries.ts';
import { useSession } from '../../data/current-session.ts';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/time.tsx';

/** Shows each service that limits calls, refuses reads or fails, and when the next attempt is. */
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
              aria-label={`Try ${label} again`}
              disabled={test.isPending}
              onClick={() => test.mutate({ params: { service } })}
            >
              Try Again
            </Button>
          )
        }
      >
        {pauseText(label, code)} <RelativeTime at={since} />. {reason}{' '}
        {nextTryAt === null
          ? isRefusal(code)
            ? 'The next sync tries again. If it is refused again, send this message to support.'
            : 'The next sync tries again automatically.'
          : `Syncs continue automatically after ${formatExactTime(nextTryAt, subscription.time_zone)}.`}
        {dataFrom !== null && ` You are seeing data from ${formatDateTime(dataFrom, subscription.time_zone)}.`}
        {answer?.is_connected === false &&
          test.variables?.params?.service === service &&
          ' Tallybridge just tried again without success.'}
      </Notice>
    ),
  );
}

const isRefusal = (code: string): boolean => code.endsWith('READ_REFUSED');

/** Returns the start of a notice; the time of the first failure follows. */
function pauseText(service: string, code: string): string {
  if (code === 'QBO_READS_BLOCKED') return `Reading ${service} is blocked; posting continues. First refused`;
  if (isRefusal(code)) return `${service} refuses to return data. First refused`;
  const isLimit = code.endsWith('THROTTLED') || code.endsWith('LIMIT');
  return isLimit
    ? `${service} limits the number of calls. First refused`
    : `${service} cannot be used right now. First failed`;
}

const pollMs = 15_000;

/** Loads the subscription and shows its pauses; polls while a job runs. */
export function CurrentPauses({ isJobRunning = false }: { isJobRunning?: boolean }) {
  const { data } = useQuery({ ...subscriptionQuery(), refetchInterval: isJobRunning && pollMs });
  return data === null || data === undefined ? null : <PauseNotices subscription={data} />;
}
