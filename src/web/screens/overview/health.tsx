import { Link } from '../../lib/router.tsx';
import type { Subscription } from '#contract/subscription.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { When } from '../../ui/when.tsx';
import styles from './health.module.css';
import { healthWords } from './words.ts';

/** How either connection does, in one line each. */
export function Health({ subscription }: { subscription: Subscription }) {
  return (
    <ul className={styles.list} aria-label={healthWords.name}>
      {subscription.connections.map(({ service, label, status, name, problem, connected_at: since }) => (
        <li key={service}>
          <strong>{label}</strong>
          <StateBadge
            state={status === 'active' ? (problem === null ? 'synced' : 'held') : 'needs_you'}
            label={
              status === 'active'
                ? problem === null
                  ? healthWords.connected
                  : healthWords.needsLook
                : healthWords.notConnected
            }
          />
          <span className={styles.dim}>
            {problem ?? name}
            {problem === null && since !== null && (
              <>
                {healthWords.since}
                <When at={since} />
              </>
            )}
          </span>
          {(problem !== null || status !== 'active') && <Link to="/connections">{healthWords.name}</Link>}
        </li>
      ))}
    </ul>
  );
}
