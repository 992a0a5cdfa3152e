import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { saveSettings } from '#contract/calls/settings.ts';
import type { Subscription } from '#contract/subscription.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { showMessage } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { type OffSwitch, TurnOnDialog } from '../overview/turn-on-dialog.tsx';
import styles from './setup.module.css';

const switches = {
  invoice: 'inv_sync_active',
  purchase_order: 'po_sync_active',
  expense_report: 'exp_sync_active',
} as const satisfies Record<SubmittableKind, string>;

/** The sync start date, and a switch per kind; a kind with missing settings cannot be turned on. */
export function GoLive({ subscription }: { subscription: Subscription }) {
  const saved = subscription.settings.sync_start_date;
  const [turnedOn, setTurnedOn] = useState<OffSwitch | null>(null);
  const [startOn, setStartOn] = useState<string | null>(null);
  const save = useAction(saveSettings, {
    onSuccess: () => {
      setStartOn(null);
      showMessage('Saved changes.', 3_000);
    },
    changes: ['settings', 'subscription'],
  });
  const isChanged = startOn !== null && startOn !== (saved ?? '');
  return (
    <section className={styles.section} aria-labelledby="guide-live">
      <h3 className={styles.title} id="guide-live">
        Go live
      </h3>
      <div className={styles.row}>
        <div className={styles.short}>
          <TextInput
            type="date"
            label="Sync start date"
            aria-describedby="guide-start-date"
            value={startOn ?? saved ?? ''}
            onChange={(event) => setStartOn(event.currentTarget.value)}
          />
        </div>
        <Button
          variant="default"
          disabled={!isChanged}
          loading={save.isPending && isChanged}
          onClick={() =>
            save.mutate({ body: { sync_start_date: startOn === null || startOn === '' ? null : toDate(startOn) } })
          }
        >
          Save the date
        </Button>
      </div>
      <p className={styles.hint} id="guide-start-date">
        Automatic syncs skip documents dated earlier. If empty, the date is the day you first turn on automatic sync.
      </p>
      <ul className={styles.lists}>
        {subscription.kinds.map(({ kind, is_on: isOn, missing }) => {
          const key = switches[kind];
          return (
            <li key={kind} className={styles.list}>
              <span className={styles.listName}>{kinds[kind].plural}</span>
              <span className={styles.listState}>
                Automatic sync is {isOn ? 'on' : 'off'}.
                {!isOn && missing.length > 0 && (
                  <span className={styles.need}> {missing.map(({ text }) => text).join(' ')}</span>
                )}
              </span>
              {isOn ? (
                <Button
                  size="xs"
                  variant="default"
                  disabled={save.isPending}
                  onClick={() => save.mutate({ body: { [key]: false } })}
                >
                  Turn off
                </Button>
              ) : (
                <Button
                  size="xs"
                  variant="default"
                  disabled={missing.length > 0 || save.isPending}
                  onClick={() => setTurnedOn({ key, what: kinds[kind].plural.toLowerCase() })}
                >
                  Turn on
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <TurnOnDialog sync={turnedOn} onClose={() => setTurnedOn(null)} />
    </section>
  );
}

/** Casts the text of a date field; the server validates it. */
const toDate = (text: string) => text as NonNullable<Subscription['settings']['sync_start_date']>;
