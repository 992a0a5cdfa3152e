import { Button, Loader, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { askUsers } from '#contract/calls/requests.ts';
import { askableQuery, type AskedFor } from '../data/screen-queries.ts';
import { useAction } from '../data/queries.ts';
import { showSuccess } from './flash.ts';
import { Icon } from './icons.tsx';

/**
 * Asks another user, or all who may, to approve or to sign. The user gets a notice and an email.
 *
 * @param about what is asked for, and the month to sign.
 */
export function AskMenu({ label, about }: { label: string; about: AskedFor }) {
  const [isOpen, setOpen] = useState(false);
  const users = useQuery({ ...askableQuery(about), enabled: isOpen });
  const ask = useAction(askUsers, { onSuccess: ({ asked }) => showSuccess(`Asked ${asked.join(', ')}.`) });
  const dropdown = useRef<HTMLDivElement>(null);
  // The menu opens before its items are known, so the first one gets the focus later than in other menus.
  const isLoaded = isOpen && !users.isPending;
  useEffect(() => {
    if (isLoaded) dropdown.current?.querySelector<HTMLElement>('[role="menuitem"]:not(:disabled)')?.focus();
  }, [isLoaded]);
  const send = (to?: string) => ask.mutate({ body: { ...about, ...(to !== undefined && { to }) } });
  return (
    <Menu opened={isOpen} onChange={setOpen} width={280} position="bottom-start" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          loading={ask.isPending}
          leftSection={<Icon name="mail" size={16} />}
          rightSection={<Icon name="down" size={14} />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown ref={dropdown}>
        {users.isError ? (
          <Menu.Item disabled>{users.error.message}</Menu.Item>
        ) : users.data === undefined ? (
          <Menu.Item disabled leftSection={<Loader size={14} />}>
            Loading users
          </Menu.Item>
        ) : users.data.length === 0 ? (
          <Menu.Item disabled>No other user may do this. Invite one under Users.</Menu.Item>
        ) : (
          users.data.map(({ username, name }) => (
            <Menu.Item key={username} leftSection={<Icon name="user" size={16} />} onClick={() => send(username)}>
              {name === '' ? username : name}
              {name !== '' && (
                <Text span display="block" c="dimmed" size="xs">
                  {username}
                </Text>
              )}
            </Menu.Item>
          ))
        )}
        {users.data !== undefined && users.data.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<Icon name="clients" size={16} />} onClick={() => send()}>
              {`All ${users.data.length} users`}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
