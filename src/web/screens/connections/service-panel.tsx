import { Button } from '@mantine/core';
import { disconnectBooks, testConnection } from '#contract/connections.ts';
import type { ServiceKey } from '#contract/services.ts';
import type { ConnectionReply } from '#contract/subscription.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showError, showMessage } from '../../lib/flash.ts';
import { setDay } from '../../lib/format.ts';
import { useAction } from '../../lib/queries.ts';
import { consentEndingSoon } from '../../lib/subscription.ts';
import { StateMark } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useNow } from '../../lib/now.ts';
import { When } from '../../ui/when.tsx';
import { ConnectButton } from './connect-button.tsx';
import styles from './connections.module.css';

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
  const offersConnect = !isLoading && (!isBooks || !isConnected || endsAt !== null);
  const wasConnected = connection !== undefined && connection.user !== null;

  const test = useAction(testConnection, {
    changes: ['subscription'],
    onSuccess: ({ is_connected: isThere, message, error }) =>
      isThere
        ? showMessage('Connected OK.')
        : showError('Not connected.', [message, error].filter(isPresent).join('\n')),
  });
  const disconnect = useAction(disconnectBooks, {
    changes: ['subscription'],
    onSuccess: () => showMessage(`Disconnected from ${short}.`, disconnectedMs),
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
            {isBooks ? 'Your books: where documents are posted.' : 'Your PSA: where documents come from.'}
          </p>
        </div>
      </div>
      <p className={styles.status} role="status">
        {isLoading ? (
          <Skeleton width={160} />
        ) : test.isPending ? (
          <>
            <StateMark state="syncing" />
            Testing...
          </>
        ) : isConnected ? (
          <>
            <StateMark state="synced" />
            <span className={styles.connected}>
              {connection.name === '' ? 'Connected' : `Connected as ${connection.name}`}
            </span>
          </>
        ) : (
          <>
            <StateMark state="waiting" />
            Not Connected
          </>
        )}
      </p>
      <dl className={styles.facts}>
        <dt>{isBooks ? 'Connected by' : 'API user'}</dt>
        <dd>{isLoading ? <Skeleton width={150} /> : (connection?.user ?? '—')}</dd>
        <dt>Since</dt>
        <dd>
          {isLoading ? (
            <Skeleton width={90} />
          ) : isConnected && connection.connected_at !== null ? (
            <When at={connection.connected_at} />
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
          <Notice tone="info">
            {short} lets Tallybridge in until {setDay(endsAt)}. Connect again before then, and nothing is interrupted.
          </Notice>
        </div>
      )}
      {offersConnect && !isConnected && (
        <p className={styles.purpose}>
          {isBooks
            ? `The company that you choose at ${short} becomes the books of ${client}.`
            : `The API user that you enter opens the PSA of ${client}.`}
        </p>
      )}
      <div className={styles.buttons}>
        {isLoading ? (
          <Skeleton width={180} height={34} />
        ) : (
          <>
            {offersConnect && (
              <ConnectButton service={service} isQuiet={isConnected} disabled={!mayConnect}>
                {isConnected ? 'Connect again' : `Connect to ${label}`}
              </ConnectButton>
            )}
            {(isConnected || wasConnected) && (
              <Button
                variant="default"
                disabled={!mayConnect || test.isPending}
                onClick={() => test.mutate({ params: { service } })}
              >
                Test Connection
              </Button>
            )}
            {isBooks && isConnected && (
              <span className={styles.last}>
                <ConfirmButton
                  label="Disconnect"
                  armedLabel="Click Again to Disconnect"
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
