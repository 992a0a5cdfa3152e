import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Subscription } from '#contract/subscription.ts';
import { formatDay } from '../../data/format.ts';
import { consentEndingSoon } from '../../data/subscription.ts';
import { Notice } from '../../components/notice.tsx';
import { useNow } from '../../data/use-now.ts';

/** Connections that need an action: lost, paused by the service, or expiring soon. */
export function ConnectionNotices({ subscription }: { subscription: Subscription }) {
  const nowMs = useNow();
  return subscription.connections.map((connection) => {
    const { service, label, problem } = connection;
    const endsAt = consentEndingSoon(connection, nowMs);
    if (problem !== null && problem !== '')
      return (
        <Notice key={service} tone="warning" action={<OpenConnections />}>
          {problem}
        </Notice>
      );
    if (endsAt === null) return null;
    return (
      <Notice key={service} tone="info" action={<OpenConnections />}>
        Access to {label} expires on {formatDay(endsAt, subscription.time_zone)}. Connect it again before then.
      </Notice>
    );
  });
}

const OpenConnections = () => (
  <Button component={Link} to="/connections" variant="default" size="xs">
    Open Connections
  </Button>
);
