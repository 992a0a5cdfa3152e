import { Button, Group, Input, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { saveSettings } from '#contract/calls/settings.ts';
import type { Subscription } from '#contract/subscription.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { ConflictChoice } from '../../components/conflict-choice.tsx';
import { fieldsOf } from '../../components/form.tsx';
import { useFocus } from '../../components/use-focus.ts';
import { useEdits } from '../../components/use-edits.ts';
import { toSend } from '../../data/edits.ts';
import { formatDate } from '../../data/format.ts';
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
  const [turnedOn, setTurnedOn] = useState<OffSwitch | null>(null);
  const save = useAction(saveSettings, {
    onSuccess: () => showMessage('Saved changes.', 3_000),
    changes: ['settings', 'subscription'],
  });
  return (
    <Section title="Go live">
      <StartDate saved={subscription.settings.sync_start_date} />
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

/** The date from which automatic syncs post. */
function StartDate({ saved }: { saved: Subscription['settings']['sync_start_date'] }) {
  const form = useEdits({ sync_start_date: saved });
  const focus = useFocus('start');
  const save = useAction(saveSettings, {
    onSuccess: () => {
      form.discard();
      showMessage('Saved changes.', 3_000);
    },
    onError: (error) => {
      form.reject(fieldsOf(error));
      showError(error.message);
      focus('date');
    },
    changes: ['settings', 'subscription'],
  });
  const startOn = String(form.draft['sync_start_date'] ?? '');
  const error = form.rejected?.['sync_start_date'] ?? null;
  const isChanged = Object.keys(form.changes).length > 0;
  const { was } = toSend({ sync_start_date: saved }, form.edits);
  return (
    <>
      <Group gap={12} align="flex-end">
        <TextInput
          id="start-date"
          type="date"
          w={160}
          label="Sync start date"
          aria-describedby={error === null ? 'guide-start-date' : 'error-start-date guide-start-date'}
          value={startOn}
          error={error !== null}
          onChange={({ currentTarget: { value } }) => form.change('sync_start_date', value === '' ? null : value)}
        />
        <Button
          variant="default"
          disabled={!isChanged}
          loading={save.isPending && isChanged}
          onClick={() => save.mutate({ body: { sync_start_date: startOn === '' ? null : toDate(startOn), was } })}
        >
          Save the date
        </Button>
      </Group>
      {/* The field is too narrow for a sentence. */}
      {error !== null && <Input.Error id="error-start-date">{error}</Input.Error>}
      <ConflictChoice
        name="sync_start_date"
        form={form}
        saved={formatDate(saved ?? 'empty')}
        own={formatDate(startOn === '' ? 'empty' : startOn)}
        onChosen={() => focus('date')}
      />
      <Text c="dimmed" size="xs" id="guide-start-date">
        Automatic syncs skip documents dated earlier. If empty, the date is the day you first turn on automatic sync.
      </Text>
    </>
  );
}

/** Casts the text of a date field; the server validates it. */
const toDate = (text: string) => text as NonNullable<Subscription['settings']['sync_start_date']>;
