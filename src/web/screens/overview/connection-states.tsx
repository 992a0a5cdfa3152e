import { Link } from 'react-router';
import type { Subscription } from '#contract/subscription.ts';
import { StateBadge } from '../../components/badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import styles from './connection-states.module.css';

/** The state of each connection, one per line. */
export function ConnectionStates({ subscription }: { subscription: Subscription }) {
  return (
    <ul className={styles.list} aria-label="Connections">
      {subscription.connections.map(({ service, label, status, name, problem, connected_at: since }) => (
        <li key={service}>
          <strong>{label}</strong>
          <StateBadge
            state={status === 'active' ? (problem === null ? 'synced' : 'held') : 'needs_you'}
            label={
              status === 'active' ? (problem === null ? 'Connected' : 'Connected with a warning') : 'Not Connected'
            }
          />
          <span className={styles.dim}>
            {problem ?? name}
            {problem === null && since !== null && (
              <>
                {', since '}
                <RelativeTime at={since} />
              </>
            )}
          </span>
          {(problem !== null || status !== 'active') && <Link to="/connections">Connections</Link>}
        </li>
      ))}
    </ul>
  );
}
