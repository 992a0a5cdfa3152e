import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { removeChat, testChat } from '#contract/calls/chats.ts';
import type { ChatReply } from '#contract/chats.ts';
import { maxChats, chatLabels } from '#core/chat.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { showError, showSuccess } from '../../components/flash.ts';
import { Icon } from '../../components/icons.tsx';
import { OwnerName } from '../../components/owner.tsx';
import { Panel, Rows } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { EmptyState, FailedState, Skeleton } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useAction } from '../../data/queries.ts';
import { chatsQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { ChatDialog } from './chat-dialog.tsx';
import { groupTexts } from './group-texts.ts';

/** The chats that get notices of the client. */
export function Chats() {
  const found = useQuery(chatsQuery());
  const [editing, setEditing] = useState<ChatReply | 'new' | null>(null);
  const isReadOnly = useReadOnly();
  const chats = found.data?.webhooks;
  // The dialog shows what other users save meanwhile.
  const shown = editing === 'new' ? editing : (chats?.find(({ id }) => id === editing?.id) ?? editing);
  const isFull = (chats?.length ?? 0) >= maxChats;
  return (
    <>
      <ReadOnlyNotice />
      <Panel
        title="Slack and Teams"
        flush
        actions={
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="connections" size={16} />}
            disabled={isReadOnly || chats === undefined || isFull}
            title={isFull ? `A client has at most ${maxChats} chats.` : undefined}
            onClick={() => setEditing('new')}
          >
            Add chat
          </Button>
        }
      >
        {found.isLoadingError ? (
          <FailedState what="The chats" of={found} />
        ) : chats === undefined ? (
          <Rows aria-busy="true" aria-label="Chats">
            <Box component="li" px="md" py={12}>
              <Skeleton width="45%" />
            </Box>
          </Rows>
        ) : chats.length === 0 ? (
          <EmptyState icon="connections">
            No chats yet. Create an incoming webhook in Slack, or a Workflows webhook in Teams, and add its address
            here.
          </EmptyState>
        ) : (
          <Rows>
            {chats.map((one) => (
              <Chat key={one.id} chat={one} isReadOnly={isReadOnly} onEdit={() => setEditing(one)} />
            ))}
          </Rows>
        )}
      </Panel>
      <ChatDialog editing={shown} onClose={() => setEditing(null)} />
    </>
  );
}

function Chat({ chat, isReadOnly, onEdit }: { chat: ChatReply; isReadOnly: boolean; onEdit: () => void }) {
  const { id, kind, name, address_end: addressEnd, groups } = chat;
  const params = { id };
  const test = useAction(testChat, {
    changes: ['webhooks'],
    onSuccess: ({ error }) => (error === null ? showSuccess(`The test message is in “${name}”.`) : showError(error)),
  });
  const remove = useAction(removeChat, {
    changes: ['webhooks'],
    onSuccess: () => showSuccess('The chat was removed.'),
  });
  return (
    <Group component="li" gap="12px 16px" justify="space-between" px="md" py={12}>
      <Stack gap={2} flex="1 1 320px" miw={0} fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <Group gap="sm">
          <Text span fw={500} c="bright">
            {name}
          </Text>
          <ToneBadge tone="plain">{chatLabels[kind]}</ToneBadge>
        </Group>
        <span>{groups.map((group) => groupTexts[group].label).join(', ')}</span>
        <span>{addressEnd}</span>
        <span>
          Owner: <OwnerName owner={chat.owner} />
        </span>
        <Result chat={chat} />
      </Stack>
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          aria-label={`Send test message to ${name}`}
          loading={test.isPending}
          disabled={isReadOnly}
          onClick={() => test.mutate({ params })}
        >
          Send test message
        </Button>
        <Button size="xs" variant="default" aria-label={`Edit ${name}`} disabled={isReadOnly} onClick={onEdit}>
          Edit
        </Button>
        <ConfirmButton
          size="xs"
          label="Remove"
          armedLabel="Remove it"
          effect={`“${name}” gets no further notices.`}
          busy={remove.isPending}
          disabled={isReadOnly}
          onConfirm={() => remove.mutate({ params, body: { was: { name, groups } } })}
        />
      </Group>
    </Group>
  );
}

/** When the last message arrived, or why it failed. */
function Result({ chat: { delivered_at: deliveredAt, failed_at: failedAt, error } }: { chat: ChatReply }) {
  if (error !== null && failedAt !== null)
    return (
      <Group component="span" gap="sm" align="flex-start" wrap="nowrap" maw="72ch" c="red">
        <Icon name="warning" size={16} />
        <span>
          Failed <RelativeTime at={failedAt} />. {error}
        </span>
      </Group>
    );
  if (deliveredAt === null) return <span>No message yet</span>;
  return (
    <span>
      Last message <RelativeTime at={deliveredAt} />
    </span>
  );
}
