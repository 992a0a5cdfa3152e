import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from '../../lib/router.tsx';
import type { Subscription } from '#contract/subscription.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { comesWhenOpened } from '../../lib/later.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './overview.module.css';
import type { OffSwitch } from './turn-on-dialog.tsx';

const TurnOnDialog = comesWhenOpened(
  async () => (await import('./turn-on-dialog.tsx')).TurnOnDialog,
  ({ asked }) => asked !== null,
);

/** More than these are chosen where all of them stand. */
const mostButtons = 2;

const switches = [
  ['inv_sync_active', 'invoices'],
  ['po_sync_active', 'purchase orders'],
  ['exp_sync_active', 'expense reports'],
  ['pay_sync_active', 'payments'],
  ['void_sync_active', 'voids'],
] as const;

/** Kinds that do not sync by themselves, and the button that turns them on. */
export function SwitchedOff({ subscription }: { subscription: Subscription }) {
  const { voids_enabled: voidsEnabled } = useEnvironment();
  const [asked, setAsked] = useState<OffSwitch | null>(null);
  const off = switches.filter(([key]) => !subscription.settings[key] && (key !== 'void_sync_active' || voidsEnabled));
  if (off.length === 0) return null;
  return (
    <Notice
      tone="info"
      action={
        <span className={styles.buttons}>
          {off.length > mostButtons && (
            <Button component={Link} to="/settings" variant="default" size="xs" data-size="xs">
              Choose in Settings
            </Button>
          )}
          {(off.length > mostButtons ? [] : off).map(([key, what]) => (
            <Button
              key={key}
              variant="default"
              size="xs"
              data-size="xs"
              aria-label={`Turn on automatic sync of ${what}`}
              onClick={() => setAsked({ key, what })}
            >
              {off.length === 1 ? 'Turn on' : `Turn on ${what}`}
            </Button>
          ))}
        </span>
      }
    >
      Automatic sync of {listed(off.map(([, what]) => what))} is off.
      <TurnOnDialog asked={asked} onClose={() => setAsked(null)} />
    </Notice>
  );
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
