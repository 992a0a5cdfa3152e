import { Box, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect } from 'react';
import { testConnection } from '#contract/calls/connections.ts';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { subscriptionQuery, useAction } from '../../data/queries.ts';
import { rememberPath } from '../../data/requested-path.ts';
import { Link, useLocation, useNavigate } from 'react-router';
import { connectionOf } from '../../data/subscription.ts';
import { CenteredCard } from '../../components/centered-card.tsx';
import { Notice } from '../../components/notice.tsx';
import { useTabTitle } from '../../components/tab-title.ts';
import { useCompany } from './company.ts';
import { ConnectButton } from './connect-button.tsx';
import { LandingSkeleton, OtherClient } from './landing.tsx';

/**
 * Explains what disconnecting Tallybridge in QuickBooks means. Anyone can open this address, so it proves nothing: for an
 * administrator, the page tests the connection, and only a refusal by QuickBooks ends it.
 */
export function Component() {
  const session = useSession();
  const { realmId, found } = useCompany();
  if (session === null || session.claims.mustSetUp) return <LoggedOut />;
  if (realmId !== null && found.isPending) return <LandingSkeleton title="Disconnecting from QuickBooks" />;
  if (found.data?.company === 'other') return <OtherClient client={found.data.client} />;
  const { client, roles } = session.claims;
  if (client === null) return <Explained />;
  return roles.includes('clientadmin') ? <Checked client={client.name} /> : <Explained client={client.name} />;
}

function LoggedOut() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const logIn = () => {
    rememberPath(`${pathname}${search}`);
    void navigate('/login');
  };
  return (
    <DisconnectedCard>
      <Button onClick={logIn}>Log in to check the connection</Button>
    </DisconnectedCard>
  );
}

/** Shown to users who cannot test the connection. */
const Explained = ({ client }: { client?: string }) => (
  <DisconnectedCard>
    {client !== undefined && (
      <Notice tone="info">{`An administrator of ${client} can connect QuickBooks again.`}</Notice>
    )}
    <Link to="/my">Open Tallybridge</Link>
  </DisconnectedCard>
);

/** Tests whether QuickBooks ended the connection, and offers to connect again. */
function Checked({ client }: { client: string }) {
  const { accounting } = useEnvironment();
  const subscription = useQuery(subscriptionQuery());
  const test = useAction(testConnection, { changes: ['subscription'], onError: () => undefined });
  const { mutate } = test;
  const check = useCallback(() => mutate({ params: { service: 'qbo' } }), [mutate]);
  useEffect(check, [check]);
  const answer = test.data?.data;
  const isConnected = answer?.is_connected === true;
  // A service that does not respond leaves the connection active.
  const hasEnded = answer?.is_connected === false && connectionOf(subscription.data, 'qbo')?.status !== 'active';
  if (isConnected) return <StillConnected client={client} />;
  const failure = test.error?.message ?? (hasEnded ? null : answer?.message);
  return (
    <DisconnectedCard
      title={hasEnded ? 'QuickBooks disconnected' : 'Disconnecting from QuickBooks'}
      isBusy={!test.isSuccess && !test.isError}
    >
      {!test.isSuccess && !test.isError && <Notice tone="info">Checking the connection with QuickBooks…</Notice>}
      {isPresent(failure) && (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Button variant="default" onClick={check}>
              Try again
            </Button>
          }
        >
          {`The connection could not be checked. ${failure}`}
        </Notice>
      )}
      {hasEnded && (
        <>
          <Notice tone="warning" role="status">
            {`${client} is no longer connected to QuickBooks.`}
          </Notice>
          <ConnectButton service="qbo">{`Connect to ${accounting.label}`}</ConnectButton>
        </>
      )}
      <Link to="/connections">Open Connections</Link>
    </DisconnectedCard>
  );
}

function StillConnected({ client }: { client: string }) {
  useTabTitle('QuickBooks is connected');
  return (
    <CenteredCard title="QuickBooks is connected">
      <Notice tone="ok" role="status">
        {`QuickBooks still accepts the connection of ${client}.`}
      </Notice>
      <Link to="/connections">Open Connections</Link>
    </CenteredCard>
  );
}

const isPresent = (text: string | null | undefined): text is string => text !== null && text !== undefined;

function DisconnectedCard({
  title = 'Disconnecting from QuickBooks',
  isBusy = false,
  children,
}: {
  title?: string;
  isBusy?: boolean;
  children: ReactNode;
}) {
  useTabTitle(title);
  return (
    <CenteredCard
      title={title}
      lead="When you disconnect Tallybridge in QuickBooks, it can no longer read or post there."
      isBusy={isBusy}
    >
      <Box component="ul" pl="lg" c="soft" style={{ listStyle: 'disc' }}>
        <li>Posted documents stay in QuickBooks.</li>
        <li>Syncs stop until you connect the company again.</li>
        <li>Your mappings and settings stay in Tallybridge.</li>
      </Box>
      {children}
    </CenteredCard>
  );
}
