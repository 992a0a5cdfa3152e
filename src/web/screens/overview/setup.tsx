import { Group, NavLink, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Subscription } from '#contract/subscription.ts';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { missingSettingsQuery } from '../../data/setup-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { useFindScreen } from '../../components/find-screen.ts';
import { Icon } from '../../components/icons.tsx';
import { Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { StepMark } from '../../components/step-mark.tsx';
import styles from './overview.module.css';
import { kinds } from '#core/kinds.ts';

/** The setup checklist; one line when all steps are done. */
export function Setup({ subscription }: { subscription: Subscription }) {
  const { psa, accounting } = useEnvironment();
  const findScreen = useFindScreen();
  const isAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  const { isPsaConnected, isAccountingConnected, connectionsOk, settingsOk } = readinessOf(subscription);
  const missing = useQuery({ ...missingSettingsQuery(), enabled: isAdmin && connectionsOk && !settingsOk });
  const unready = subscription.kinds.filter(({ is_on: isOn, missing }) => isOn && missing.length > 0);
  if (connectionsOk && settingsOk && unready.length > 0)
    return (
      <>
        {unready.map(({ kind, missing }) => (
          <Notice key={kind} tone="warning" action={<Link to={missing[0]?.path ?? '/settings'}>Open</Link>}>
            {kinds[kind].plural} sync automatically, but some will fail: {missing.map(({ text }) => text).join(' ')}
          </Notice>
        ))}
      </>
    );
  if (connectionsOk && settingsOk)
    return (
      <Notice
        tone="ok"
        isCompact
        action={
          <Group component="ul" gap="2px 12px" fz="sm" aria-label="Setup">
            {[psa.label, accounting.short_label, 'Settings'].map((what) => (
              <Group component="li" key={what} gap={4}>
                {what} <VisuallyHidden>done</VisuallyHidden>
                <Icon name="check" size={14} />
              </Group>
            ))}
          </Group>
        }
      >
        Basic setup is OK
      </Notice>
    );
  return (
    <Panel title="Setup" flush>
      <ol>
        <Step number={1} isDone={isPsaConnected} to="/connections" title={`Connect to ${psa.label}`}>
          Lets Tallybridge read invoices, purchase orders and expense reports.
        </Step>
        <Step number={2} isDone={isAccountingConnected} to="/connections" title={`Connect to ${accounting.label}`}>
          {accounting.short_label} asks you to allow access.
        </Step>
        <Step
          number={3}
          isDone={settingsOk}
          to={connectionsOk ? (findScreen('/settings')?.path ?? null) : null}
          title="Complete your Settings"
        >
          {connectionsOk
            ? missingHint(Object.values(missing.data ?? {}))
            : 'Available after you connect both services.'}
        </Step>
      </ol>
    </Panel>
  );
}

/** Maximum number of missing settings in the checklist; the form marks all of them. */
const maxNamed = 3;

const missingHint = (missing: readonly string[]): string =>
  missing.length === 0 ? 'Choose numbering, accounts and automatic syncs.' : missing.slice(0, maxNamed).join(' ');

interface StepProps {
  number: number;
  isDone: boolean;
  to: string | null;
  title: string;
  children: ReactNode;
}

/** @param to path of the step’s screen; null while the step is disabled. */
function Step({ number, isDone, to, title, children }: StepProps) {
  const item = {
    px: 'md',
    label: title,
    description: children,
    leftSection: <StepMark isDone={isDone}>{number}</StepMark>,
    rightSection: (
      <Group component="span" gap={12} wrap="nowrap">
        <Text span size="sm" c={isDone ? 'ok' : 'dimmed'}>
          {isDone ? 'Done' : 'Not done'}
        </Text>
        {to !== null && <Icon name="right" size={16} />}
      </Group>
    ),
  };
  return (
    <li className={styles.step}>
      {to === null ? (
        <NavLink component="span" aria-disabled {...item} />
      ) : (
        <NavLink component={Link} to={to} {...item} />
      )}
    </li>
  );
}
