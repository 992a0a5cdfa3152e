import { Button } from '@mantine/core';
import { masquerade } from '#contract/calls/auth.ts';
import { startSession, useSession } from '../../data/current-session.ts';
import { useAction } from '../../data/queries.ts';
import { Form, Link, useLocation } from 'react-router';
import { CenteredCard } from '../../components/centered-card.tsx';
import { Notice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/states.tsx';
import { useTabTitle } from '../../components/tab-title.ts';
import type { Company } from './company.ts';

/** Shown while the company in the address is loading. */
export function LandingSkeleton({ title }: { title: string }) {
  return (
    <CenteredCard title={title} isBusy>
      <Skeleton width="90%" height={14} />
      <Skeleton width="100%" height={34} />
    </CenteredCard>
  );
}

/** Shown if the company belongs to another client. A system administrator can act as that client. */
export function OtherClient({ client }: { client: Company['client'] }) {
  useTabTitle('Another QuickBooks company');
  const claims = useSession()?.claims;
  const { pathname, search } = useLocation();
  const act = useAction(masquerade, { onSuccess: ({ token }) => startSession(token) });
  const own = claims?.client?.name ?? null;
  return (
    <CenteredCard title="Another QuickBooks company">
      <Notice tone="warning">
        {client === null
          ? `${own ?? ''} uses a different QuickBooks company. Log in as a user of this company’s client.`
          : `This QuickBooks company belongs to ${client.name}.`}
      </Notice>
      {client === null ? (
        <Form method="post" action="/logout">
          <input type="hidden" name="path" value={`${pathname}${search}`} />
          <Button type="submit">Log in as another user</Button>
        </Form>
      ) : (
        <Button loading={act.isPending} onClick={() => act.mutate({ body: { client_id: client.id } })}>
          {`Act as ${client.name}`}
        </Button>
      )}
      <Link to="/my">Open Tallybridge</Link>
    </CenteredCard>
  );
}
