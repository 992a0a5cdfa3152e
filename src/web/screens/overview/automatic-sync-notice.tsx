import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Subscription } from '#contract/subscription.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { RelativeTime } from '../../components/time.tsx';
import { Notice } from '../../components/notice.tsx';
import { loadLater, OnDemand } from '../../components/load-later.tsx';
import type { OffSwitch } from './turn-on-dialog.tsx';

const TurnOnDialog = loadLater(async () => (await import('./turn-on-dialog.tsx')).TurnOnDialog);

/** With more kinds than this, the notice links to Settings instead. */
const maxButtons = 2;

const switches = [
  ['inv_sync_active', 'invoices'],
  ['po_sync_active', 'purchase orders'],
  ['exp_sync_active', 'expense reports'],
  ['pay_sync_active', 'payments'],
  ['void_sync_active', 'voids'],
] as const;

/** Returns the kinds that get a button: those turned off when another company was connected, or a few others. */
const kindsWithButton = ({ left_company: left }: Subscription, off: readonly (typeof switches)[number][]) =>
  left === null ? (off.length > maxButtons ? [] : off) : off.filter(([key]) => left.turned_off.includes(key));

/**
 * Kinds whose automatic sync is off, with buttons to turn it on.
 *
 * @param isReady the settings are complete, so that a sync can be turned on.
 */
export function AutomaticSyncNotice({ subscription, isReady }: { subscription: Subscription; isReady: boolean }) {
  const { voids_enabled: voidsEnabled } = useEnvironment();
  const isReadOnly = useReadOnly();
  const [turnedOn, setTurnedOn] = useState<OffSwitch | null>(null);
  const offered = switches.filter(([key]) => key !== 'void_sync_active' || voidsEnabled);
  const off = offered.filter(([key]) => !subscription.settings[key]);
  if (off.length === 0) return null;
  const left = subscription.left_company;
  const buttons = kindsWithButton(subscription, off);
  return (
    <Notice
      tone={left === null ? 'info' : 'warning'}
      isCompact={left === null}
      action={
        <Group component="span" gap="sm">
          {buttons.length === 0 && (
            <Button component={Link} to="/settings" variant="default" size="xs">
              Open Settings
            </Button>
          )}
          {(isReady ? buttons : []).map(([key, what]) => (
            <Button
              key={key}
              variant="default"
              size="xs"
              aria-label={`Turn on automatic sync of ${what}`}
              disabled={isReadOnly}
              onClick={() => setTurnedOn({ key, what })}
            >
              {buttons.length === 1 && left === null ? 'Turn on' : `Turn on ${what}`}
            </Button>
          ))}
        </Group>
      }
    >
      {left === null ? (
        `Automatic sync ${off.length === offered.length ? '' : `of ${listed(off.map(([, what]) => what))} `}is off.`
      ) : (
        <>
          Another company was connected <RelativeTime at={left.at} />. Automatic sync of{' '}
          {listed(buttons.map(([, what]) => what))} was turned off, and waiting documents were not posted. Check each
          kind before you turn it on.
        </>
      )}
      <OnDemand isNeeded={turnedOn !== null}>
        <TurnOnDialog sync={turnedOn} onClose={() => setTurnedOn(null)} />
      </OnDemand>
    </Notice>
  );
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
