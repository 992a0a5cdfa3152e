import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import type { Session } from '../data/session.ts';
import { useEnvironment } from '../data/environment.ts';
import { hasNews } from '../data/help.ts';
import { Icon } from '../components/icons.tsx';
import styles from './shell.module.css';

/** Name of the user and of the client: the button that opens the user menu. */
export function AccountButton({ session, ...rest }: ComponentProps<typeof Button<'button'>> & { session: Session }) {
  const { username, client } = session.claims;
  const { version } = useEnvironment();
  return (
    <Button
      variant="subtle"
      color="gray"
      px={4}
      {...rest}
      className={styles.user ?? ''}
      leftSection={
        <Badge component="span" circle size="lg" variant="light" color="accent" fw={600} fz={11} aria-hidden="true">
          {initialsOf(username)}
        </Badge>
      }
      rightSection={
        <Group component="span" gap={6} wrap="nowrap">
          {hasNews(username, version) && <span className={styles.newsDot} aria-hidden="true" />}
          <Icon name="down" size={14} />
        </Group>
      }
      aria-label={`Account of ${username}`}
    >
      <Stack component="span" gap={0} ta="start" className={styles.person ?? ''}>
        <Text span size="xs" truncate>
          {username}
        </Text>
        {client !== null && (
          <Text span size="xs" fw={600} c="bright" truncate>
            {client.name}
          </Text>
        )}
      </Stack>
    </Button>
  );
}

/** Returns one or two letters of an email address: `ada.king@x` → AK. */
const initialsOf = (username: string): string => {
  const [first = '', second = ''] = (username.split('@')[0] ?? '').split(/[._-]+/);
  return `${first.slice(0, 1)}${second.slice(0, 1)}`.toUpperCase() || '?';
};
