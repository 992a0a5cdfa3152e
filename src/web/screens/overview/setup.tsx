import type { ReactNode } from 'react';
import { Link } from '../../lib/router.tsx';
import type { Subscription } from '#contract/subscription.ts';
import { kinds } from '#core/kinds.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { readinessOf } from '../../lib/subscription.ts';
import { useReachable } from '../../ui/reachable.ts';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/page.tsx';
import styles from './overview.module.css';

/** The three things to do once; when all are done, one line that says so. */
export function Setup({ subscription }: { subscription: Subscription }) {
  const { psa, accounting } = useEnvironment();
  const placeOf = useReachable();
  const { isPsaConnected, isBooksConnected, connectionsOk, settingsOk } = readinessOf(subscription);
  const unready = subscription.kinds.filter(({ is_on: isOn, missing }) => isOn && missing.length > 0);
  if (connectionsOk && settingsOk && unready.length > 0)
    return (
      <>
        {unready.map(({ kind, missing }) => (
          <Notice key={kind} tone="warning" action={<Link to={missing[0]?.path ?? '/settings'}>Open</Link>}>
            {kinds[kind].plural} are synced automatically, but cannot all succeed yet:{' '}
            {missing.map(({ text }) => text).join(' ')}
          </Notice>
        ))}
      </>
    );
  if (connectionsOk && settingsOk)
    return (
      <Notice
        tone="ok"
        action={
          <ul className={styles.done} aria-label="Setup">
            {[psa.label, accounting.label, 'Settings'].map((what) => (
              <li key={what}>
                {what} <span className={styles.hidden}>done</span>
                <Icon name="check" size={14} />
              </li>
            ))}
          </ul>
        }
      >
        Basic setup is OK
      </Notice>
    );
  return (
    <Panel title="Setup" flush>
      <ol className={styles.steps}>
        <Step isDone={isPsaConnected} to="/connections" title={`Connect to ${psa.label}`}>
          Lets Tallybridge read invoices, purchase orders and expense reports.
        </Step>
        <Step isDone={isBooksConnected} to="/connections" title={`Connect to ${accounting.label}`}>
          You are taken to {accounting.short_label} to give your consent.
        </Step>
        <Step
          isDone={settingsOk}
          to={connectionsOk ? (placeOf('/settings')?.path ?? null) : null}
          title="Complete your Settings"
        >
          {connectionsOk ? 'Choose numbering, accounts and what is synced.' : 'Comes when both services are connected.'}
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
        {isDone ? 'Done' : 'Not done'}
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
