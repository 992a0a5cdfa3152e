import { Group } from '@mantine/core';
import { ToneBadge } from './badge.tsx';

/** The user who is responsible for a key, a webhook or a chat. */
export const OwnerName = ({ owner }: { owner: { readonly username: string; readonly is_active: boolean } }) => (
  <Group component="span" gap="sm" display="inline-flex" style={{ overflowWrap: 'anywhere' }}>
    {owner.username}
    {!owner.is_active && <ToneBadge tone="bad">Not an active user</ToneBadge>}
  </Group>
);
