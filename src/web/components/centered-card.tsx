import type { FormEvent, ReactNode } from 'react';
import styles from './centered-card.module.css';
import { Mark } from './icons.tsx';

/** A page before the login: one card in the middle, with links below it. */
export function CenteredPage({ children }: { children: ReactNode }) {
  return <div className={styles.place}>{children}</div>;
}

/**
 * The card of a page before the login.
 *
 * @param lead one sentence under the title.
 * @param onSubmit makes the card a form; the server, not the browser, validates the fields.
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
  onSubmit?: (event: FormEvent) => void;
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
  if (onSubmit === undefined)
    return (
      <div className={styles.card} data-wide={isWide}>
        {content}
      </div>
    );
  return (
    <form className={styles.card} data-wide={isWide} onSubmit={onSubmit} noValidate aria-busy={isBusy}>
      {content}
    </form>
  );
}
