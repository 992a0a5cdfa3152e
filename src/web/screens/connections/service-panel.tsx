import { Facts } from '../../components/facts.tsx';
import { useRef } from 'react';
import { Box, Button, Divider, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { disconnectAccounting, testConnection } from '#contract/calls/connections.ts';
import type { ServiceKey } from '#contract/services.ts';
import type { ConnectionReply } from '#contract/subscription.ts';
import { useEnvironment } from '../../data/environment.ts';
import { showError, showSuccess } from '../../components/flash.ts';
import { formatDay } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { useAction } from '../../data/queries.ts';
import { consentEndingSoon } from '../../data/subscription.ts';
import { StateIcon } from '../../components/badge.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Icon } from '../../components/icons.tsx';
import { Notice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/states.tsx';
import { useNow } from '../../data/use-now.ts';
import { RelativeTime } from '../../components/time.tsx';
import { ConnectButton } from './connect-button.tsx';

const disconnectedMs = 3_000;

interface ServicePanelProps {
  service: ServiceKey;
  connection: ConnectionReply | undefined;
  isLoading: boolean;
  mayConnect: boolean;
  client: string;
}

/** Shows the connection of one service, with buttons to connect, test and disconnect. */
export function ServicePanel({ service, connection, isLoading, mayConnect, client }: ServicePanelProps) {
  const { psa, accounting } = useEnvironment();
  const isAccounting = service === 'qbo';
  const label = isAccounting ? accounting.label : psa.label;
  const short = isAccounting ? accounting.short_label : psa.label;
  const isConnected = connection?.status === 'active';
  const endsAt = consentEndingSoon(connection, useNow());
  const timeZone = useTimeZone();
  const offersConnect = !isLoading && (!isAccounting || !isConnected || endsAt !== null);
  const wasConnected = connection !== undefined && connection.user !== null;

  const panel = useRef<HTMLElement>(null);
  const test = useAction(testConnection, {
    changes: ['subscription'],
    onSuccess: ({ is_connected: isActive, message }) =>
      isActive ? showSuccess('Connected OK.') : showError('Not connected.', message),
  });
  return (
    <Paper component="section" ref={panel} tabIndex={-1} withBorder radius="md" p="lg" aria-label={label}>
      <Stack gap="md" h="100%">
        <Heading label={label} isAccounting={isAccounting} />
        <Group
          component="p"
          gap="sm"
          wrap="nowrap"
          fw={500}
          mih={24}
          fz="md"
          lh="md"
          style={{ overflowWrap: 'anywhere' }}
          role="status"
        >
          <Status connection={connection} isLoading={isLoading} isTesting={test.isPending} />
        </Group>
        <Origin connection={connection} isLoading={isLoading} isAccounting={isAccounting} />
        {!isLoading && isPresent(connection?.problem) && <Notice tone="warning">{connection?.problem}</Notice>}
        {endsAt !== null && (
          <Notice tone="info">{`Access to ${short} expires on ${formatDay(endsAt, timeZone)}. Connect again before then.`}</Notice>
        )}
        {offersConnect && !isConnected && (
          <Text c="dimmed" size="sm">
            {isAccounting ? `Choose the ${short} company of ${client}.` : `Enter an API user of ${client} in ${short}.`}
          </Text>
        )}
        <Divider mt="auto" />
        <Group gap="sm">
          {isLoading ? (
            <Skeleton width={180} height={34} />
          ) : (
            <>
              {offersConnect && (
                <ConnectButton service={service} isSubtle={isConnected} disabled={!mayConnect}>
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
              {isAccounting && isConnected && (
                <Disconnect
                  short={short}
                  company={connection?.name ?? ''}
                  isDisabled={!mayConnect}
                  onDone={() => panel.current?.focus()}
                />
              )}
            </>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

interface DisconnectProps {
  short: string;
  company: string;
  isDisabled: boolean;
  /** The button disappears with the connection, so something else takes the focus. */
  onDone: () => void;
}

function Disconnect({ short, company, isDisabled, onDone }: DisconnectProps) {
  const disconnect = useAction(disconnectAccounting, {
    changes: ['subscription'],
    onSuccess: () => {
      showSuccess(`Disconnected from ${short}.`, disconnectedMs);
      onDone();
    },
  });
  return (
    <>
      {/* On a phone, the button starts the next line. */}
      <Box component="span" flex={1} />
      <ConfirmButton
        label="Disconnect"
        armedLabel="Click Again to Disconnect"
        effect={`Automatic syncs stop until you connect ${short} again. Posted documents stay as they are.`}
        onConfirm={() => disconnect.mutate({ body: { was: { name: company } } })}
        busy={disconnect.isPending}
        disabled={isDisabled}
      />
    </>
  );
}

function Heading({ label, isAccounting }: { label: string; isAccounting: boolean }) {
  return (
    <Group gap={12} align="stretch" wrap="nowrap">
      <ThemeIcon component="span" size={40} radius={9} variant="light" color="gray">
        <Icon name={isAccounting ? 'accounting' : 'psa'} size={22} />
      </ThemeIcon>
      <div>
        <Title order={2} fw={600} fz={15} lh="20px">
          {label}
        </Title>
        <Text c="dimmed" size="sm">
          {isAccounting ? 'Tallybridge posts documents here.' : 'Tallybridge reads documents here.'}
        </Text>
      </div>
    </Group>
  );
}

interface StateProps {
  connection: ConnectionReply | undefined;
  isLoading: boolean;
}

function Status({ connection, isLoading, isTesting }: StateProps & { isTesting: boolean }) {
  if (isLoading) return <Skeleton width={160} />;
  if (isTesting)
    return (
      <>
        <StateIcon state="syncing" />
        Testing...
      </>
    );
  if (connection?.status !== 'active')
    return (
      <>
        <StateIcon state="waiting" />
        Not Connected
      </>
    );
  return (
    <>
      <StateIcon state="synced" />
      <Box component="span" c="ok">
        {connection.name === '' ? 'Connected' : `Connected as ${connection.name}`}
      </Box>
    </>
  );
}

/** Who connected the service, and when. */
function Origin({ connection, isLoading, isAccounting }: StateProps & { isAccounting: boolean }) {
  return (
    <Facts>
      <dt>{isAccounting ? 'Connected by' : 'API user'}</dt>
      <dd>{isLoading ? <Skeleton width={150} /> : (connection?.user ?? '—')}</dd>
      <dt>Since</dt>
      <dd>
        {isLoading ? (
          <Skeleton width={90} />
        ) : connection?.status === 'active' && connection.connected_at !== null ? (
          <RelativeTime at={connection.connected_at} />
        ) : (
          '—'
        )}
      </dd>
    </Facts>
  );
}

const isPresent = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text !== '';
