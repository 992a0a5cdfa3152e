import { useState } from 'react';
import { saveSettings } from '#contract/settings.ts';
import type { Subscription } from '#contract/subscription.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { showMessage } from '../../../lib/flash.ts';
import { comesWhenOpened } from '../../../lib/later.tsx';
import { useAction } from '../../../lib/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { inLibrary } from '../../../ui/in-library.tsx';
import { PlainField } from '../../../ui/plain-fields.tsx';
import type { OffSwitch } from '../turn-on-dialog.tsx';
import styles from './guide.module.css';
import { goLiveWords, guideWords } from './words.ts';

const TurnOnDialog = comesWhenOpened(
  inLibrary(async () => (await import('../turn-on-dialog.tsx')).TurnOnDialog),
  ({ asked }) => asked !== null,
);

const switches = {
  invoice: 'inv_sync_active',
  purchase_order: 'po_sync_active',
  expense_report: 'exp_sync_active',
} as const satisfies Record<SubmittableKind, string>;

/** The day from which documents count, and a switch for each kind. A kind that cannot succeed cannot be turned on. */
export function GoLive({ subscription }: { subscription: Subscription }) {
  const saved = subscription.settings.sync_start_date;
  const [asked, setAsked] = useState<OffSwitch | null>(null);
  const [startOn, setStartOn] = useState<string | null>(null);
  const save = useAction(saveSettings, {
    onSuccess: () => {
      setStartOn(null);
      showMessage(guideWords.saved, 3_000);
    },
    changes: ['settings', 'subscription'],
  });
  const isChanged = startOn !== null && startOn !== (saved ?? '');
  return (
    <section className={styles.section} aria-labelledby="guide-live">
      <h3 className={styles.title} id="guide-live">
        {goLiveWords.title}
      </h3>
      <div className={styles.row}>
        <div className={styles.short}>
          <PlainField
            type="date"
            label={goLiveWords.cutOff}
            aria-describedby="guide-cut-off"
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
          {goLiveWords.save}
        </Button>
      </div>
      <p className={styles.hint} id="guide-cut-off">
        {goLiveWords.hint}
      </p>
      <ul className={styles.lists}>
        {subscription.kinds.map(({ kind, is_on: isOn, missing }) => {
          const key = switches[kind];
          return (
            <li key={kind} className={styles.list}>
              <span className={styles.listName}>{kinds[kind].plural}</span>
              <span className={styles.listState}>
                {goLiveWords.state(isOn)}
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
                  {goLiveWords.turnOff}
                </Button>
              ) : (
                <Button
                  size="xs"
                  variant="default"
                  disabled={missing.length > 0 || save.isPending}
                  onClick={() => setAsked({ key, what: kinds[kind].plural.toLowerCase() })}
                >
                  {goLiveWords.turnOn}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <TurnOnDialog asked={asked} onClose={() => setAsked(null)} />
    </section>
  );
}

/** The text of a date field as a calendar date; the server checks it once more. */
const toDate = (text: string) => text as NonNullable<Subscription['settings']['sync_start_date']>;
