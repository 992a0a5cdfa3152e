import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './centered-card.module.css';
import { Form } from './form.tsx';
import { Mark } from './icons.tsx';

/** A page before the login: one card in the middle, with links below it. */
export function CenteredPage({ children }: { children: ReactNode }) {
  return <div className={styles.place}>{children}</div>;
}

/**
 * The card of a page before the login.
 *
 * @param lead one sentence under the title.
 * @param onSubmit makes the card a form.
 */
export function CenteredCard({
  title,
  lead,
  onSubmit,
  isBusy = false,
  isWide = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  onSubmit?: () => void;
  isBusy?: boolean;
  isWide?: boolean;
  children: ReactNode;
}) {
  const content = (
    <>
      <Mark size={36} />
      <h1 className={styles.title}>{title}</h1>
      {lead !== undefined && <p className={styles.words}>{lead}</p>}
      {children}
    </>
  );
  const className = styles.card ?? '';
  return onSubmit === undefined ? (
    <Stack gap="md" className={className} data-wide={isWide}>
      {content}
    </Stack>
  ) : (
    <Form className={className} onSubmit={onSubmit} isBusy={isBusy}>
      {content}
    </Form>
  );
}
