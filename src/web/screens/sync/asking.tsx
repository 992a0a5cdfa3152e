import { Box, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FieldConflictReply } from '#contract/planned.ts';
import type { ReviewReply } from '#contract/reviews.ts';
import { maxFieldChoices, type Preference, type Side } from '#core/planning/update-merge.ts';
import { useEnvironment } from '../../data/environment.ts';
import { countOf } from '../../data/format.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { showError } from '../../components/flash.ts';
import { Panel } from '../../components/page.tsx';
import { nameOfResult } from './review-text.ts';
import { messageOf, useSubmit } from './use-submit.ts';

/** Maximum number of documents whose fields are listed; after their update, the others are asked about. */
const maxAsked = 50;

/**
 * Asks whose value each field gets that both sides changed, and plans the update again with the answers.
 *
 * @param onReplanned receives the id of the test that replaces this one
 */
export function Asking({ review, onReplanned }: { review: ReviewReply; onReplanned: (to: string) => void }) {
  const { accounting, psa } = useEnvironment();
  const { submit, isPending } = useSubmit(true);
  const isReadOnly = useReadOnly();
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const { job, documents, not_posted: left, prefers: earlier } = review;
  const asks = left.filter((one) => one.asks);
  if (asks.length === 0) return null;
  const choices = { ...(typeof earlier === 'object' && earlier), ...chosen };
  const isFull = Object.keys(choices).length >= maxFieldChoices;
  const plan = (prefers: Preference) =>
    submit(
      job.type,
      [...documents, ...left].map(({ entityid }) => entityid),
      { mode: 'test', force: false, update: true, prefers },
    ).then(
      ({ id }) => onReplanned(id),
      (error: unknown) => showError(messageOf(error)),
    );
  const all = (prefers: Side, label: string) => (
    <Button variant="default" loading={isPending} disabled={isReadOnly} onClick={() => void plan(prefers)}>
      {label}
    </Button>
  );
  return (
    <Panel title={`${countOf(asks.length, 'document')} changed in both ${psa.label} and ${accounting.label}`}>
      <Stack gap={16}>
        <p>Choose a value for each field that both changed. The review shows the result before anything is sent.</p>
        {asks.slice(0, maxAsked).map((one) => (
          <Stack key={one.entityid} gap={8} role="group" aria-label={nameOfResult(one)}>
            <Text fw={600}>
              {nameOfResult(one)} <bdi>{one.party}</bdi>
            </Text>
            {one.fields.map((field) => (
              <Field
                key={field.key}
                field={field}
                chosen={choices[field.key] ?? null}
                isDisabled={isReadOnly || (isFull && choices[field.key] === undefined)}
                onChoose={(side) => setChosen({ ...chosen, [field.key]: side })}
              />
            ))}
          </Stack>
        ))}
        {asks.length > maxAsked && <p>After these are planned, the review lists the others.</p>}
        <Group gap={8}>
          <Button
            disabled={isReadOnly || Object.keys(chosen).length === 0}
            loading={isPending}
            onClick={() => void plan(choices)}
          >
            Review choices
          </Button>
          {all('accounting', `Keep all ${accounting.label} values`)}
          {all('psa', `Use all ${psa.label} values`)}
        </Group>
      </Stack>
    </Panel>
  );
}

interface FieldProps {
  field: FieldConflictReply;
  chosen: Side | null;
  isDisabled: boolean;
  onChoose: (side: Side) => void;
}

/** One field with both values. @param chosen null: no value is chosen yet */
function Field({ field: { what, was, is }, chosen, isDisabled, onChoose }: FieldProps) {
  const { accounting, psa } = useEnvironment();
  const data = [
    { value: 'accounting', label: `Keep ${accounting.short_label}` },
    { value: 'psa', label: `Take ${psa.label}` },
  ];
  return (
    <Group gap="4px 16px" justify="space-between">
      <Box flex="1 1 240px" miw={0} fz="sm" style={{ overflowWrap: 'anywhere' }}>
        <strong>{what}</strong>
        <br />
        {accounting.short_label}: <bdi>{was}</bdi>
        <br />
        {psa.label}: <bdi>{is}</bdi>
      </Box>
      <SegmentedControl
        aria-label={what}
        data={data}
        value={chosen ?? ''}
        disabled={isDisabled}
        onChange={(value) => onChoose(value === 'psa' ? 'psa' : 'accounting')}
      />
    </Group>
  );
}
