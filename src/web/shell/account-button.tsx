import type { ButtonHTMLAttributes, Ref } from 'react';
import type { Session } from '../data/session.ts';
import { Icon } from '../components/icons.tsx';
import styles from './shell.module.css';

/** Name of the user and of the client: the button that opens the user menu. */
export function AccountButton({
  session,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { session: Session; ref?: Ref<HTMLButtonElement> }) {
  const { username, client } = session.claims;
  return (
    <button type="button" {...rest} className={styles.user} aria-label={`Account of ${username}`}>
      <span className={styles.avatar} aria-hidden="true">
        {initialsOf(username)}
      </span>
      <span className={styles.person}>
        <span className={styles.login}>{username}</span>
        {client !== null && <span className={styles.client}>{client.name}</span>}
      </span>
      <Icon name="down" size={14} />
    </button>
  );
}

/** Returns one or two letters of an email address: `ada.king@x` → AK. */
const initialsOf = (username: string): string => {
  const [first = '', second = ''] = (username.split('@')[0] ?? '').split(/[._-]+/);
  return `${first.slice(0, 1)}${second.slice(0, 1)}`.toUpperCase() || '?';
};
