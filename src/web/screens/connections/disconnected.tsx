import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect } from 'react';
import { testConnection } from '#contract/connections.ts';
import { useSession } from '../../lib/current-session.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { subscriptionQuery, useAction } from '../../lib/queries.ts';
import { rememberPath } from '../../lib/requested-path.ts';
import { Link, useLocation, useNavigate } from '../../lib/router.tsx';
import { connectionOf } from '../../lib/subscription.ts';
import { Button } from '../../ui/button.tsx';
import { CenteredCard, CenteredPage } from '../../ui/centered-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useTabTitle } from '../../ui/tab-title.ts';
import { useCompany } from './company.ts';
import { ConnectButton } from './connect-button.tsx';
import styles from './connections.module.css';
import { LandingSkeleton, OtherClient } from './landing.tsx';
import { connectionsWords, landingWords as words } from './words.ts';

/**
 * Explains what it means to disconnect Tallybridge in QuickBooks. Anyone can open this address, so it proves nothing: the
 * connection is only marked after QuickBooks itself refused it, when an administrator of the client opens the page.
 */
export function Component() {
  const session = useSession();
  const { realmId, found } = useCompany();
  if (session === null || session.claims.mustSetUp) return <SignedOut />;
  if (realmId !== null && found.isPending) return <LandingSkeleton title={words.disconnecting} />;
  if (found.data?.company === 'other') return <OtherClient client={found.data.client} />;
  const { client, roles } = session.claims;
  if (client === null) return <Explained />;
  return roles.includes('clientadmin') ? <Checked client={client.name} /> : <Explained client={client.name} />;
}

function SignedOut() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const logIn = () => {
    rememberPath(`${pathname}${search}`);
    void navigate('/login');
  };
  return (
    <DisconnectedCard>
      <Button onClick={logIn}>{words.logInToCheck}</Button>
    </DisconnectedCard>
  );
}

/** For a user who cannot test the connection. */
const Explained = ({ client }: { client?: string }) => (
  <DisconnectedCard>
    {client !== undefined && <Notice tone="info">{words.askAdministrator(client)}</Notice>}
    <Link to="/my">{words.openTallybridge}</Link>
  </DisconnectedCard>
);

/** Asks QuickBooks whether the connection of the client ended, and offers to connect again. */
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
      title={hasEnded ? words.disconnected : words.disconnecting}
      isBusy={!test.isSuccess && !test.isError}
    >
      {!test.isSuccess && !test.isError && <Notice tone="info">{words.checking}</Notice>}
      {isPresent(failure) && (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Button variant="default" onClick={check}>
              {words.tryAgain}
            </Button>
          }
        >
          {words.notChecked(failure)}
        </Notice>
      )}
      {hasEnded && (
        <>
          <Notice tone="warning" role="status">
            {words.ended(client)}
          </Notice>
          <ConnectButton service="qbo">{connectionsWords.connectTo(accounting.label)}</ConnectButton>
        </>
      )}
      <Link to="/connections">{words.openConnections}</Link>
    </DisconnectedCard>
  );
}

function StillConnected({ client }: { client: string }) {
  useTabTitle(words.connected);
  return (
    <CenteredPage>
      <CenteredCard title={words.connected}>
        <Notice tone="ok" role="status">
          {words.stillConnected(client)}
        </Notice>
        <Link to="/connections">{words.openConnections}</Link>
      </CenteredCard>
    </CenteredPage>
  );
}

const isPresent = (text: string | null | undefined): text is string => text !== null && text !== undefined;

function DisconnectedCard({
  title = words.disconnecting,
  isBusy = false,
  children,
}: {
  title?: string;
  isBusy?: boolean;
  children: ReactNode;
}) {
  useTabTitle(title);
  return (
    <CenteredPage>
      <CenteredCard title={title} lead={words.whatItMeans} isBusy={isBusy}>
        <ul className={styles.effects}>
          {words.effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
        {children}
      </CenteredCard>
    </CenteredPage>
  );
}
