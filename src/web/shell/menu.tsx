import { Badge, NavLink, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useSession } from '../data/current-session.ts';
import { Link, matchPath, useLocation } from 'react-router';
import type { Subscription } from '#contract/subscription.ts';
import type { Role } from '#core/roles.ts';
import { attentionQuery, draftsQuery, jobsQuery, subscriptionQuery } from '../data/queries.ts';
import { formatCount } from '../data/format.ts';
import { countDone, isSetupShown, setupProgress, setupSteps } from '../data/setup-steps.ts';
import { rememberConnected, readinessOf, wereConnectedLastTime } from '../data/subscription.ts';
import { Icon } from '../components/icons.tsx';
import { useBusy } from './busy.ts';
import { mayOpen, type Screen, screens } from './screens.ts';
import styles from './menu.module.css';
import { Note } from '../components/note.tsx';

const groups = ['overview', 'documents', 'mappings', 'records', 'setup'] as const;

/** The screens that the user may open now, by group. */
export function MenuList({ roles }: { roles: readonly Role[] }) {
  const subscription = useQuery(subscriptionQuery());
  const isBusy = useBusy();
  const { connectionsOk } = readinessOf(subscription.data);
  // Until the connections load, the menu uses the last known state, so that links do not move under the pointer.
  const clientId = useSession()?.claims.client?.id ?? null;
  const isKnown = subscription.data !== undefined;
  const hasConnections = isKnown ? connectionsOk : clientId !== null && wereConnectedLastTime(clientId);
  useEffect(() => {
    if (isKnown && clientId !== null) rememberConnected(clientId, connectionsOk);
  }, [isKnown, clientId, connectionsOk]);
  const mayApprove =
    roles.some((role) => role === 'clientadmin' || role === 'accountant') && hasClient(subscription.data);
  const drafts = useQuery({ ...draftsQuery(1, 1), enabled: mayApprove });
  const hasDrafts = subscription.data?.settings.require_approval === true || (drafts.data?.total ?? 0) > 0;
  const client = subscription.data ?? null;
  const setup = client !== null && roles.includes('clientadmin') && isSetupShown(client) ? client : null;
  const jobs = useQuery({ ...jobsQuery(), enabled: setup !== null });
  const shown = screens.filter(
    (screen) =>
      mayOpen(screen, roles) &&
      (screen.needsConnections !== true || hasConnections) &&
      (screen.needsDrafts !== true || hasDrafts) &&
      (screen.needsSetup !== true || setup !== null),
  );
  const canOpenAttention = shown.some(({ paths }) => paths[0] === attentionPath);
  const attention = useQuery({ ...attentionQuery(), enabled: canOpenAttention });
  const attentionCount = canOpenAttention ? (attention.data?.needs_you ?? 0) : 0;
  const counts: Readonly<Record<string, number>> = {
    [attentionPath]: attentionCount,
    '/approval': drafts.data?.waiting ?? 0,
  };
  const isDisconnected = subscription.data !== null && subscription.data !== undefined && !connectionsOk;
  return (
    <ul className={styles.groups}>
      {groups.map((group) => {
        const members = shown.filter((screen) => screen.group === group);
        return (
          members.length > 0 && (
            <li key={group}>
              <Group name={group} members={members}>
                {members.map((screen) => (
                  <li key={screen.paths[0]}>
                    <MenuLink
                      screen={screen}
                      isDisabled={screen.needsConnections === true && isBusy}
                      isMarked={screen.paths[0] === '/connections' && isDisconnected}
                      count={counts[screen.paths[0]] ?? 0}
                      progress={
                        screen.needsSetup === true && setup !== null && jobs.isFetched
                          ? `${countDone(setupProgress(setup, jobs.data))} of ${setupSteps.length}`
                          : null
                      }
                    />
                  </li>
                ))}
              </Group>
            </li>
          )
        );
      })}
    </ul>
  );
}

const attentionPath = '/needs-attention';

const hasClient = (subscription: Subscription | null | undefined): subscription is Subscription =>
  subscription !== null && subscription !== undefined;

interface GroupProps {
  name: (typeof groups)[number];
  members: readonly Screen[];
  children: ReactNode;
}

/** A group of links; mappings are under a header that collapses them. */
function Group({ name, members, children }: GroupProps) {
  const { pathname } = useLocation();
  const isCurrent = members.some(({ paths }) => paths.includes(pathname));
  const [isOpen, setOpen] = useState(true);
  if (name !== 'mappings') return <ul>{children}</ul>;
  const isShown = isOpen || isCurrent;
  return (
    <>
      <NavLink
        component="button"
        type="button"
        className={styles.link ?? ''}
        aria-expanded={isShown}
        title="Mappings"
        label="Mappings"
        leftSection={<Icon name="mappings" />}
        rightSection={<Icon name={isShown ? 'down' : 'right'} size={14} />}
        onClick={() => setOpen(!isShown)}
      />
      {isShown && <ul className={styles.inner}>{children}</ul>}
    </>
  );
}

interface MenuLinkProps {
  screen: Screen;
  isDisabled: boolean;
  isMarked: boolean;
  /** Shown after the label; 0 shows nothing. */
  count: number;
  /** Steps done, e.g. “3 of 5”. */
  progress: string | null;
}

function MenuLink({ screen, isDisabled, isMarked, count, progress }: MenuLinkProps) {
  const { pathname } = useLocation();
  // A screen can have several paths, e.g. one per month.
  const isCurrent = screen.paths.some((path) => matchPath(path, pathname) !== null);
  return (
    <NavLink
      component={Link}
      to={screen.paths[0]}
      className={styles.link ?? ''}
      aria-current={isCurrent ? 'page' : undefined}
      aria-disabled={isDisabled}
      onClick={(event) => isDisabled && event.preventDefault()}
      title={screen.label}
      label={screen.label}
      noWrap
      leftSection={<Icon name={screen.icon} />}
      rightSection={
        <>
          {count > 0 && (
            <Badge
              component="span"
              variant="light"
              color="red"
              radius="xl"
              fw={600}
              className={styles.count ?? ''}
              aria-label={`${count} documents`}
            >
              {formatCount(count)}
            </Badge>
          )}
          {progress !== null && <Note>{progress}</Note>}
          {isMarked && (
            <span className={styles.mark}>
              <VisuallyHidden>not connected yet</VisuallyHidden>
            </span>
          )}
        </>
      }
    />
  );
}
