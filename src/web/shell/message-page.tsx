import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Icon, type IconName } from '../components/icons.tsx';
import { useTabTitle } from '../components/tab-title.ts';
import styles from './message-page.module.css';

/** A page instead of a screen: an icon, a short text, and a Go Back button. */
export function MessagePage({
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
  // Older browsers cannot tell whether the previous page belongs to the application.
  const goBack = () => ('navigation' in window && window.navigation.canGoBack ? navigate(-1) : navigate('/'));
  return (
    <div className={styles.plain}>
      <span className={styles.picture}>
        <Icon name={icon} size={22} />
      </span>
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.words}>{children}</div>
      <Group gap="sm" align="stretch" wrap="nowrap" mt="sm">
        {action}
        <Button variant="default" leftSection={<Icon name="left" size={16} />} onClick={goBack}>
          Go Back
        </Button>
      </Group>
    </div>
  );
}
