import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { saveSettings } from '#contract/calls/settings.ts';
import type { Subscription } from '#contract/subscription.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { showError, showMessage } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { Rows } from '../../components/page.tsx';
import { type OffSwitch, TurnOnDialog } from '../overview/turn-on-dialog.tsx';
import { Section } from './section.tsx';

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
  /** The saved date when the user began to change it. */
  const [base, setBase] = useState(saved);
  const save = useAction(saveSettings, {
    onSuccess: () => {
      setStartOn(null);
      showMessage('Saved changes.', 3_000);
    },
    onError: (error) => {
      // Shows the date that another user saved.
      setStartOn(null);
      showError(error.message);
    },
    changes: ['settings', 'subscription'],
  });
  const isChanged = startOn !== null && startOn !== (saved ?? '');
  return (
    <Section title="Go live">
      <Group gap={12} align="flex-end">
        <TextInput
          type="date"
          w={160}
          label="Sync start date"
          aria-describedby="guide-start-date"
          value={startOn ?? saved ?? ''}
          onChange={(event) => {
            if (startOn === null) setBase(saved);
            setStartOn(event.currentTarget.value);
          }}
        />
        <Button
          variant="default"
          disabled={!isChanged}
          loading={save.isPending && isChanged}
          onClick={() =>
            save.mutate({
              body: {
                sync_start_date: startOn === null || startOn === '' ? null : toDate(startOn),
                was: { sync_start_date: base },
              },
            })
          }
        >
          Save the date
        </Button>
      </Group>
      <Text c="dimmed" size="xs" id="guide-start-date">
        Automatic syncs skip documents dated earlier. If empty, the date is the day you first turn on automatic sync.
      </Text>
      <Rows>
        {subscription.kinds.map(({ kind, is_on: isOn, missing }) => {
          const key = switches[kind];
          return (
            <Group component="li" key={kind} gap="2px 12px" py="sm">
              <Text span fw={500} w={160}>
                {kinds[kind].plural}
              </Text>
              <Text span flex="1 1 200px">
                Automatic sync is {isOn ? 'on' : 'off'}.
                {!isOn && missing.length > 0 && (
                  <Text span c="held">
                    {` ${missing.map(({ text }) => text).join(' ')}`}
                  </Text>
                )}
              </Text>
              <Button
                size="xs"
                variant="default"
                disabled={(!isOn && missing.length > 0) || save.isPending}
                onClick={() =>
                  isOn
                    ? save.mutate({ body: { [key]: false, was: { [key]: true } } })
                    : setTurnedOn({ key, what: kinds[kind].plural.toLowerCase() })
                }
              >
                {isOn ? 'Turn off' : 'Turn on'}
              </Button>
            </Group>
          );
        })}
      </Rows>
      <TurnOnDialog sync={turnedOn} onClose={() => setTurnedOn(null)} />
    </Section>
  );
}

/** Casts the text of a date field; the server validates it. */
const toDate = (text: string) => text as NonNullable<Subscription['settings']['sync_start_date']>;
