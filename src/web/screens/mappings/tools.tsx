import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { memo, useMemo, useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { showError } from '../../components/flash.ts';
import { refreshMappings } from '../../data/setup-queries.ts';
import { Icon } from '../../components/icons.tsx';
import { FailedLine, Skeleton } from '../../components/states.tsx';
import styles from './mappings.module.css';
import { CsvDialog } from './csv-dialog.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import type { NamespaceLabels } from './namespaces.ts';
import { coverageOf, minCertainScore } from './rows.ts';
import type { Mappings } from './use-mappings.ts';
import type { Suggestions } from './use-suggestions.ts';
import { countOf, formatCount } from '../../data/format.ts';

/* The tools above the rows. Parts that do not depend on the selection are memoized. */

/** Shows how many records are mapped, and their share of the amount. */
export const CoverageLine = memo(function CoverageLine({
  labels,
  mappings,
}: {
  labels: NamespaceLabels;
  mappings: Mappings;
}) {
  const rows = mappings.table.data?.rows;
  const { usage, isOrderKnown } = mappings;
  const coverage = useMemo(() => coverageOf(rows ?? [], usage), [rows, usage]);
  if (rows === undefined || !isOrderKnown) return <Skeleton width="min(320px, 80%)" />;
  const { mapped, total, percent } = coverage;
  const { usageFailure } = mappings;
  const share = percent === '100' ? 'all' : `${percent}%`;
  const stale = rows.filter(({ state }) => state === 'gone' || state === 'unusable').length;
  return (
    <>
      <p>
        <strong>{`${formatCount(mapped)} of ${countOf(total, labels.one, labels.many)}`}</strong>
        {` mapped${percent === null ? '' : `, ${share} of the last 90 days’ ${labels.money}`}.`}
        {stale > 0 && (
          <Group component="span" gap={4} wrap="nowrap" display="inline-flex" c="red">
            {' '}
            <Icon name="warning" size={14} /> {countOf(stale, 'invalid mapping')}
          </Group>
        )}
      </p>
      {usageFailure !== null && <FailedLine what="The amounts" of={usageFailure} />}
    </>
  );
});

interface ChosenButtonsProps {
  labels: NamespaceLabels;
  chosen: readonly MappingRowReply[];
  isLocked: boolean;
  onMap: () => void;
  onDelete: () => void;
}

/** Buttons for the selected rows. */
export function ChosenButtons({ labels, chosen, isLocked, onMap, onDelete }: ChosenButtonsProps) {
  return (
    <>
      <Button disabled={isLocked || chosen.length === 0} onClick={onMap}>
        {labels.mapLabel}
      </Button>
      <Button variant="default" disabled={isLocked || chosen.every(({ xref }) => xref === null)} onClick={onDelete}>
        {labels.namespace.startsWith('Item') ? 'Remove Mapping(s)' : 'Delete'}
      </Button>
    </>
  );
}

/** Turns suggestions on, and accepts those with a high score. */
export const SuggestTools = memo(function SuggestTools({
  suggestions: { isOn, turn, certain, accept },
  isSaving,
  isReadOnly,
}: {
  suggestions: Suggestions;
  isSaving: boolean;
  isReadOnly: boolean;
}) {
  return (
    <>
      <Checkbox label="Suggest" checked={isOn} onChange={({ currentTarget }) => turn(currentTarget.checked)} />
      {certain.length > 0 && (
        <Button size="xs" variant="light" loading={isSaving} disabled={isReadOnly} onClick={() => accept(certain)}>
          {`Accept ${countOf(certain.length, 'suggestion')} scored ${minCertainScore} or more`}
        </Button>
      )}
    </>
  );
});

/** Shows the number of suggestions. */
export function SuggestHint({ suggestions: { isOn, found, failed } }: { suggestions: Suggestions }) {
  if (isOn && failed !== null) return <FailedLine what="The suggestions" of={failed} />;
  return (
    isOn && (
      <Text c="dimmed" role="status">
        {found === undefined
          ? 'Comparing names and numbers…'
          : found.length === 0
            ? 'No suggestions. No unmapped name or number is similar enough.'
            : `${countOf(found.length, 'suggestion')}. Accept a suggestion to save it.`}
      </Text>
    )
  );
}

/** Tools for all mappings of the namespace: CSV, history and refresh. */
export const TableTools = memo(function TableTools({
  labels,
  mappings,
}: {
  labels: NamespaceLabels;
  mappings: Mappings;
}) {
  const [open, setOpen] = useState<'csv' | 'history' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Group component="span" gap={4} wrap="nowrap" className={styles.tools ?? ''}>
        <Button size="xs" variant="subtle" onClick={() => setOpen('csv')}>
          CSV
        </Button>
        <Button size="xs" variant="subtle" onClick={() => setOpen('history')}>
          History
        </Button>
        <RefreshButton labels={labels} />
      </Group>
      <CsvDialog
        labels={labels}
        rows={mappings.table.data?.rows ?? none}
        isOpen={open === 'csv'}
        mappings={mappings}
        onClose={close}
      />
      <HistoryDialog labels={labels} isOpen={open === 'history'} onClose={close} />
    </>
  );
});

const none: readonly MappingRowReply[] = [];

function RefreshButton({ labels }: { labels: NamespaceLabels }) {
  const refresh = useMutation({
    mutationFn: () => refreshMappings(labels.namespace),
    onError: (error) => showError(error.message),
  });
  return (
    <Button
      size="xs"
      variant="subtle"
      loading={refresh.isPending}
      leftSection={<Icon name="refresh" size={14} />}
      onClick={() => refresh.mutate()}
    >
      Refresh
    </Button>
  );
}
