import { disconnectBooks, testConnection } from '#contract/connections.ts';
import type { ServiceKey } from '#contract/services.ts';
import type { ConnectionReply } from '#contract/subscription.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showError, showMessage } from '../../lib/flash.ts';
import { formatDay } from '../../lib/format.ts';
import { useTimeZone } from '../../lib/use-time-zone.ts';
import { useAction } from '../../lib/queries.ts';
import { consentEndingSoon } from '../../lib/subscription.ts';
import { StateIcon } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useNow } from '../../lib/use-now.ts';
import { RelativeTime } from '../../ui/time.tsx';
import { ConnectButton } from './connect-button.tsx';
import styles from './connections.module.css';
import { connectionsWords } from './words.ts';

const disconnectedMs = 3_000;

/** One service: whether it is connected, as whom, and what can be done about it. */
export function ServicePanel({
  service,
  connection,
  isLoading,
  mayConnect,
  client,
}: {
  service: ServiceKey;
  connection: ConnectionReply | undefined;
  isLoading: boolean;
  mayConnect: boolean;
  /** Name of the client whose service it is. */
  client: string;
}) {
  const { psa, accounting } = useEnvironment();
  const isBooks = service === 'qbo';
  const label = isBooks ? accounting.label : psa.label;
  const short = isBooks ? accounting.short_label : psa.label;
  const isConnected = connection?.status === 'active';
  const endsAt = consentEndingSoon(connection, useNow());
  const timeZone = useTimeZone();
  const offersConnect = !isLoading && (!isBooks || !isConnected || endsAt !== null);
  const wasConnected = connection !== undefined && connection.user !== null;

  const test = useAction(testConnection, {
    changes: ['subscription'],
    onSuccess: ({ is_connected: isThere, message }) =>
      isThere ? showMessage(connectionsWords.connectedOk) : showError('Not connected.', message),
  });
  const disconnect = useAction(disconnectBooks, {
    changes: ['subscription'],
    onSuccess: () => showMessage(connectionsWords.disconnectedFrom(short), disconnectedMs),
  });

  return (
    <section className={styles.panel} aria-label={label}>
      <div className={styles.head}>
        <span className={styles.glyph}>
          <Icon name={isBooks ? 'books' : 'psa'} size={22} />
        </span>
        <div>
          <h2 className={styles.name}>{label}</h2>
          <p className={styles.purpose}>
            {isBooks ? connectionsWords.yourBooksWhereDocuments : connectionsWords.yourPsaWhereDocuments}
          </p>
        </div>
      </div>
      <p className={styles.status} role="status">
        {isLoading ? (
          <Skeleton width={160} />
        ) : test.isPending ? (
          <>
            <StateIcon state="syncing" />
            {connectionsWords.testing}
          </>
        ) : isConnected ? (
          <>
            <StateIcon state="synced" />
            <span className={styles.connected}>
              {connection.name === '' ? connectionsWords.connected : connectionsWords.connectedAs(connection.name)}
            </span>
          </>
        ) : (
          <>
            <StateIcon state="waiting" />
            {connectionsWords.notConnected}
          </>
        )}
      </p>
      <dl className={styles.facts}>
        <dt>{isBooks ? connectionsWords.connectedBy : connectionsWords.apiUser}</dt>
        <dd>{isLoading ? <Skeleton width={150} /> : (connection?.user ?? '—')}</dd>
        <dt>{connectionsWords.since}</dt>
        <dd>
          {isLoading ? (
            <Skeleton width={90} />
          ) : isConnected && connection.connected_at !== null ? (
            <RelativeTime at={connection.connected_at} />
          ) : (
            '—'
          )}
        </dd>
      </dl>
      {!isLoading && isPresent(connection?.problem) && (
        <div className={styles.problem}>
          <Notice tone="warning">{connection?.problem}</Notice>
        </div>
      )}
      {endsAt !== null && (
        <div className={styles.problem}>
          <Notice tone="info">{connectionsWords.endsOn(short, formatDay(endsAt, timeZone))}</Notice>
        </div>
      )}
      {offersConnect && !isConnected && (
        <p className={styles.purpose}>
          {isBooks ? connectionsWords.booksOf(short, client) : connectionsWords.psaOf(client)}
        </p>
      )}
      <div className={styles.buttons}>
        {isLoading ? (
          <Skeleton width={180} height={34} />
        ) : (
          <>
            {offersConnect && (
              <ConnectButton service={service} isQuiet={isConnected} disabled={!mayConnect}>
                {isConnected ? connectionsWords.connectAgain : connectionsWords.connectTo(label)}
              </ConnectButton>
            )}
            {(isConnected || wasConnected) && (
              <Button
                variant="default"
                disabled={!mayConnect || test.isPending}
                onClick={() => test.mutate({ params: { service } })}
              >
                {connectionsWords.testConnection}
              </Button>
            )}
            {isBooks && isConnected && (
              <span className={styles.last}>
                <ConfirmButton
                  label={connectionsWords.disconnect}
                  armedLabel="Click Again to Disconnect"
                  effect={connectionsWords.disconnectEffect(short)}
                  onConfirm={() => disconnect.mutate({})}
                  busy={disconnect.isPending}
                  disabled={!mayConnect}
                />
              </span>
            )}
          </>
        )}
      </div>
    </section>
  );
}

const isPresent = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text !== '';
