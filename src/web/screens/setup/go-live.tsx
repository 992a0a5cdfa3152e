import { Box, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { saveSettings } from '#contract/calls/settings.ts';
import { saveGuide } from '#contract/calls/subscription.ts';
import type { Subscription } from '#contract/subscription.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { ConflictChoice } from '../../components/conflict-choice.tsx';
import { fieldsOf } from '../../components/form.tsx';
import { useFocus } from '../../components/use-focus.ts';
import { useEdits } from '../../components/use-edits.ts';
import { toSend } from '../../data/edits.ts';
import { formatDate } from '../../data/format.ts';
import { savedMs, showError, showSuccess } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { runQuery } from '../../data/screen-queries.ts';
import { Columns, Rows } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { type OffSwitch, TurnOnDialog } from '../overview/turn-on-dialog.tsx';
import { RunSummary } from '../runs/run-head.tsx';
import { Section } from './section.tsx';

const switches = {
  invoice: 'inv_sync_active',
  purchase_order: 'po_sync_active',
  expense_report: 'exp_sync_active',
} as const satisfies Record<SubmittableKind, string>;

/**
 * What was posted, and the two ways to go on: automatic syncs, or posting by hand.
 *
 * @param posted ids of the jobs that posted what the user reviewed in the setup
 */
export function GoLive({ subscription, posted }: { subscription: Subscription; posted: readonly string[] }) {
  const navigate = useNavigate();
  const close = useAction(saveGuide, { changes: ['subscription'], onSuccess: () => navigate('/my') });
  return (
    <>
      {posted.map((id) => (
        <PostedRun key={id} id={id} />
      ))}
      <Box w="100%">
        <Columns min={320}>
          <Way title="Turn on automatic sync" text="New documents are posted about every 15 minutes.">
            <StartDate saved={subscription.settings.sync_start_date} />
            <Switches subscription={subscription} />
          </Way>
          <Way title="Keep posting by hand" text="You review and post documents from the Overview or from their list.">
            <Group>
              <Button
                variant="default"
                loading={close.isPending}
                onClick={() => close.mutate({ body: { guide: 'closed' } })}
              >
                Keep posting by hand
              </Button>
            </Group>
          </Way>
        </Columns>
      </Box>
    </>
  );
}

/** One of the two ways. */
const Way = ({ title, text, children }: { title: string; text: string; children: ReactNode }) => (
  <Stack gap={12} align="flex-start" p="md" bd="1px solid var(--tb-border)" bdrs="md">
    <Section title={title}>
      <Text c="dimmed">{text}</Text>
      {children}
    </Section>
  </Stack>
);

/** What a run posted, with links to QuickBooks and to the run. */
function PostedRun({ id }: { id: string }) {
  const { data: job } = useQuery(runQuery(id));
  if (job === undefined) return <Skeleton width="100%" height={72} />;
  return <RunSummary job={job} />;
}

/** A switch per kind; a kind with missing settings cannot be turned on. */
function Switches({ subscription }: { subscription: Subscription }) {
  const [turnedOn, setTurnedOn] = useState<OffSwitch | null>(null);
  const save = useAction(saveSettings, {
    onSuccess: () => showSuccess('Saved changes.', savedMs),
    changes: ['settings', 'subscription'],
  });
  return (
    <>
      <Rows>
        {subscription.kinds.map(({ kind, is_on: isOn, missing }) => {
          const key = switches[kind];
          return (
            <Group component="li" key={kind} gap="2px 12px" py="sm">
              <Text span fw={500} w={128}>
                {kinds[kind].plural}
              </Text>
              <Text span flex="1 1 160px">
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
    </>
  );
}

/** The date from which automatic syncs post. */
function StartDate({ saved }: { saved: Subscription['settings']['sync_start_date'] }) {
  const form = useEdits({ sync_start_date: saved });
  const focus = useFocus('start');
  const save = useAction(saveSettings, {
    onSuccess: () => {
      form.discard();
      showSuccess('Saved changes.', savedMs);
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
