import { Link } from '../../lib/router.tsx';
import type { Subscription } from '#contract/subscription.ts';
import { setDay } from '../../lib/format.ts';
import { consentEndingSoon } from '../../lib/subscription.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../lib/now.ts';
import { overviewWords } from './words.ts';

/** Connections that somebody has to act on: one that was lost, waits in the service, or ends soon. */
export function ConnectionNotices({ subscription }: { subscription: Subscription }) {
  const nowMs = useNow();
  return subscription.connections.map((connection) => {
    const { service, label, problem } = connection;
    const endsAt = consentEndingSoon(connection, nowMs);
    if (problem !== null && problem !== '')
      return (
        <Notice key={service} tone="warning" action={<ToConnections />}>
          {problem}
        </Notice>
      );
    if (endsAt === null) return null;
    return (
      <Notice key={service} tone="info" action={<ToConnections />}>
        {overviewWords.endsOn(label, setDay(endsAt, subscription.time_zone))}
      </Notice>
    );
  });
}

const ToConnections = () => (
  <Button component={Link} to="/connections" variant="default" size="xs">
    {overviewWords.openConnections}
  </Button>
);
