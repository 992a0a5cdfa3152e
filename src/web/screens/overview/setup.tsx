import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from '../../lib/router.tsx';
import type { Subscription } from '#contract/subscription.ts';
import { useSession } from '../../lib/current-session.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { missingSettingsQuery } from '../../lib/setup-queries.ts';
import { readinessOf } from '../../lib/subscription.ts';
import { useReachable } from '../../ui/reachable.ts';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/page.tsx';
import styles from './overview.module.css';
import { setupWords } from './words.ts';

/** The three things to do once; when all are done, one line that says so. */
export function Setup({ subscription }: { subscription: Subscription }) {
  const { psa, accounting } = useEnvironment();
  const placeOf = useReachable();
  const isAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  const { isPsaConnected, isBooksConnected, connectionsOk, settingsOk } = readinessOf(subscription);
  const missing = useQuery({ ...missingSettingsQuery(), enabled: isAdmin && connectionsOk && !settingsOk });
  const unready = subscription.kinds.filter(({ is_on: isOn, missing }) => isOn && missing.length > 0);
  if (connectionsOk && settingsOk && unready.length > 0)
    return (
      <>
        {unready.map(({ kind, missing }) => (
          <Notice
            key={kind}
            tone="warning"
            action={<Link to={missing[0]?.path ?? '/settings'}>{setupWords.open}</Link>}
          >
            {setupWords.unready(
              kind,
              missing.map(({ text }) => text),
            )}
          </Notice>
        ))}
      </>
    );
  if (connectionsOk && settingsOk)
    return (
      <Notice
        tone="ok"
        action={
          <ul className={styles.done} aria-label={setupWords.title}>
            {[psa.label, accounting.label, setupWords.settings].map((what) => (
              <li key={what}>
                {what} <span className={styles.hidden}>{setupWords.doneAside}</span>
                <Icon name="check" size={14} />
              </li>
            ))}
          </ul>
        }
      >
        {setupWords.ok}
      </Notice>
    );
  return (
    <Panel title={setupWords.title} flush>
      <ol className={styles.steps}>
        <Step isDone={isPsaConnected} to="/connections" title={setupWords.connect(psa.label)}>
          {setupWords.psaHint}
        </Step>
        <Step isDone={isBooksConnected} to="/connections" title={setupWords.connect(accounting.label)}>
          {setupWords.booksHint(accounting.short_label)}
        </Step>
        <Step
          isDone={settingsOk}
          to={connectionsOk ? (placeOf('/settings')?.path ?? null) : null}
          title={setupWords.completeSettings}
        >
          {connectionsOk ? setupWords.settingsHint(Object.values(missing.data ?? {})) : setupWords.settingsLater}
        </Step>
      </ol>
    </Panel>
  );
}

/** @param to where it is done; null while it cannot be done yet. */
function Step({
  isDone,
  to,
  title,
  children,
}: {
  isDone: boolean;
  to: string | null;
  title: string;
  children: ReactNode;
}) {
  const words = (
    <>
      <span className={styles.stepMark} data-done={isDone}>
        {isDone && <Icon name="check" size={14} />}
      </span>
      <span className={styles.stepWords}>
        <span className={styles.stepTitle}>{title}</span>
        <span className={styles.stepHint}>{children}</span>
      </span>
      <span className={styles.stepState} data-done={isDone}>
        {isDone ? setupWords.done : setupWords.notDone}
      </span>
    </>
  );
  return (
    <li>
      {to === null ? (
        <span className={styles.step} aria-disabled="true">
          {words}
        </span>
      ) : (
        <Link className={styles.step} to={to}>
          {words}
          <Icon name="right" size={16} />
        </Link>
      )}
    </li>
  );
}
