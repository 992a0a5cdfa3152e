import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { noticesQuery } from '../data/queries.ts';
import { Icon } from '../components/icons.tsx';
import styles from './shell.module.css';

const maxShown = 99;

/** Opens the notices and shows how many are unread. */
export function NoticesBell() {
  const unread = useQuery(noticesQuery(1, 1)).data?.unread ?? 0;
  const name = unread === 0 ? 'Notices' : `Notices, ${unread} unread`;
  return (
    <ActionIcon
      component={Link}
      to="/notices"
      aria-label={name}
      title={name}
      pos="relative"
      style={{ overflow: 'visible' }}
    >
      <Icon name="bell" />
      {unread > 0 && (
        <span className={styles.unread} aria-hidden="true">
          {unread > maxShown ? `${maxShown}+` : unread}
        </span>
      )}
    </ActionIcon>
  );
}
