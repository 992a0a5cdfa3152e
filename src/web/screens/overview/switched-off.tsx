import { useState } from 'react';
import { Link } from '../../lib/router.tsx';
import type { Subscription } from '#contract/subscription.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { comesWhenOpened } from '../../lib/later.tsx';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';
import { inLibrary } from '../../ui/in-library.tsx';
import { When } from '../../ui/when.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './overview.module.css';
import type { OffSwitch } from './turn-on-dialog.tsx';
import { switchWords } from './words.ts';

const TurnOnDialog = comesWhenOpened(
  inLibrary(async () => (await import('./turn-on-dialog.tsx')).TurnOnDialog),
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

/** Kinds that are asked about one by one: those that another company was connected under, or the few that are off. */
const askedOf = ({ left_company: left }: Subscription, off: readonly (typeof switches)[number][]) =>
  left === null ? (off.length > mostButtons ? [] : off) : off.filter(([key]) => left.turned_off.includes(key));

/**
 * Kinds that do not sync by themselves, and the button that turns them on.
 *
 * @param isReady the settings are complete, so that a sync can be turned on.
 */
export function SwitchedOff({ subscription, isReady }: { subscription: Subscription; isReady: boolean }) {
  const { voids_enabled: voidsEnabled } = useEnvironment();
  const isReadOnly = useReadOnly();
  const [asked, setAsked] = useState<OffSwitch | null>(null);
  const off = switches.filter(([key]) => !subscription.settings[key] && (key !== 'void_sync_active' || voidsEnabled));
  if (off.length === 0) return null;
  const left = subscription.left_company;
  const buttons = askedOf(subscription, off);
  return (
    <Notice
      tone={left === null ? 'info' : 'warning'}
      action={
        <span className={styles.buttons}>
          {buttons.length === 0 && (
            <Button component={Link} to="/settings" variant="default" size="xs" data-size="xs">
              {switchWords.settings}
            </Button>
          )}
          {(isReady ? buttons : []).map(([key, what]) => (
            <Button
              key={key}
              variant="default"
              size="xs"
              data-size="xs"
              aria-label={switchWords.turnOnSync(what)}
              disabled={isReadOnly}
              onClick={() => setAsked({ key, what })}
            >
              {buttons.length === 1 && left === null ? switchWords.turnOn : switchWords.turnOnOf(what)}
            </Button>
          ))}
        </span>
      }
    >
      {left === null ? (
        switchWords.off(off.map(([, what]) => what))
      ) : (
        <>
          {switchWords.connected} <When at={left.at} />. {switchWords.turnedOff(buttons.map(([, what]) => what))}
        </>
      )}
      <TurnOnDialog asked={asked} onClose={() => setAsked(null)} />
    </Notice>
  );
}
