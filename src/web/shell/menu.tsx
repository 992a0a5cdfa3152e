import { useQuery } from '@tanstack/react-query';
import { matchPath, NavLink, useLocation } from 'react-router';
import type { Role } from '#core/roles.ts';
import { subscriptionQuery } from '../lib/queries.ts';
import { readinessOf } from '../lib/subscription.ts';
import { Icon } from '../ui/icons.tsx';
import { useBusy } from './busy.tsx';
import { mayOpen, type Screen, screens } from './screens.ts';
import styles from './menu.module.css';

const groups = ['overview', 'documents', 'mappings', 'records', 'setup'] as const;

/** The rows of the screen table that this person may open now, in their groups. */
export function MenuList({ roles }: { roles: readonly Role[] }) {
  const subscription = useQuery(subscriptionQuery());
  const isBusy = useBusy();
  const { connectionsOk } = readinessOf(subscription.data);
  const shown = screens.filter(
    (screen) => mayOpen(screen, roles) && (screen.needsConnections !== true || connectionsOk),
  );
  const needsConnecting = subscription.data !== null && subscription.data !== undefined && !connectionsOk;
  return (
    <ul className={styles.groups}>
      {groups.map((group) => {
        const members = shown.filter((screen) => screen.group === group);
        return (
          members.length > 0 && (
            <li key={group}>
              <ul className={styles.group}>
                {members.map((screen) => (
                  <li key={screen.paths[0]}>
                    <MenuLink
                      screen={screen}
                      isDisabled={screen.needsConnections === true && isBusy}
                      isMarked={screen.paths[0] === '/connections' && needsConnecting}
                    />
                  </li>
                ))}
              </ul>
            </li>
          )
        );
      })}
    </ul>
  );
}

function MenuLink({ screen, isDisabled, isMarked }: { screen: Screen; isDisabled: boolean; isMarked: boolean }) {
  const { pathname } = useLocation();
  // A path below the screen's address, such as one month, is the screen as well.
  const isHere = screen.paths.some((path) => matchPath(path, pathname) !== null);
  return (
    <NavLink
      to={screen.paths[0]}
      className={styles.link ?? ''}
      data-here={isHere}
      aria-current={isHere ? 'page' : undefined}
      aria-disabled={isDisabled}
      onClick={(event) => isDisabled && event.preventDefault()}
      title={screen.label}
    >
      <Icon name={screen.icon} />
      <span className={styles.label}>{screen.label}</span>
      {isMarked && (
        <span className={styles.mark}>
          <span className={styles.hidden}>not connected yet</span>
        </span>
      )}
    </NavLink>
  );
}
