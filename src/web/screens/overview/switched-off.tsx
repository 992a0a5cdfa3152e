import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from '../../lib/router.tsx';
import type { Subscription } from '#contract/subscription.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { comesWhenOpened } from '../../lib/later.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './overview.module.css';
import type { OffSwitch } from './turn-on-dialog.tsx';
import { switchWords } from './words.ts';

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
              {switchWords.settings}
            </Button>
          )}
          {(off.length > mostButtons ? [] : off).map(([key, what]) => (
            <Button
              key={key}
              variant="default"
              size="xs"
              data-size="xs"
              aria-label={switchWords.turnOnSync(what)}
              onClick={() => setAsked({ key, what })}
            >
              {off.length === 1 ? switchWords.turnOn : switchWords.turnOnOf(what)}
            </Button>
          ))}
        </span>
      }
    >
      {switchWords.off(off.map(([, what]) => what))}
      <TurnOnDialog asked={asked} onClose={() => setAsked(null)} />
    </Notice>
  );
}
