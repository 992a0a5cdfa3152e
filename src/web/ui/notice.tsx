import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import styles from './notice.module.css';

export type NoticeTone = 'info' | 'ok' | 'warning' | 'bad' | 'test';

const icons: Record<NoticeTone, IconName> = {
  info: 'info',
  ok: 'check',
  warning: 'warning',
  bad: 'warning',
  test: 'info',
};

/**
 * A message that stays on the page, with an icon and an optional action at its end.
 *
 * @param role `alert` if it appears in response to an action of the user.
 */
export function Notice({
  tone,
  children,
  action,
  role,
}: {
  tone: NoticeTone;
  children: ReactNode;
  action?: ReactNode;
  role?: 'alert' | 'status';
}) {
  return (
    <div className={styles.notice} data-tone={tone} role={role}>
      <div className={styles.body}>
        <span className={styles.mark}>
          <Icon name={icons[tone]} />
        </span>
        <div className={styles.text}>{children}</div>
      </div>
      {action !== undefined && action !== null && action !== false && <div className={styles.action}>{action}</div>}
    </div>
  );
}
