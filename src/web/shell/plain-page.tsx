import type { ReactNode } from 'react';
import { hasPreviousScreen, useNavigate } from '../lib/router.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { PlainButton } from '../ui/plain.tsx';
import { useTabTitle } from '../ui/tab-title.ts';
import styles from './plain-pages.module.css';
import { shellWords } from './words.ts';

/** A page in place of a screen: a picture, a short text, and a way back. */
export function PlainPage({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  const navigate = useNavigate();
  useTabTitle(title.replace(/\.$/, ''));
  const goBack = () => (hasPreviousScreen() ? navigate(-1) : navigate('/'));
  return (
    <div className={styles.plain}>
      <span className={styles.picture}>
        <Icon name={icon} size={22} />
      </span>
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.words}>{children}</div>
      <div className={styles.actions}>
        {action}
        <PlainButton kind="quiet" onClick={goBack}>
          <Icon name="left" size={16} />
          {shellWords.goBack}
        </PlainButton>
      </div>
    </div>
  );
}
