import { Box, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { isZero } from '#core/values/decimal.ts';
import { formatMoney } from '../../data/format.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { Icon } from '../../components/icons.tsx';
import { InlineEditor } from '../../components/inline-editor.tsx';
import type { Column } from '../../components/table.tsx';
import { type Choice, TypeAhead } from '../../components/type-ahead.tsx';
import type { NamespaceLabels } from './namespaces.ts';
import { amountOf, heldUpBy, targetOf, type Places } from './rows.ts';
import type { Mappings } from './use-mappings.ts';
import type { Suggestions } from './use-suggestions.ts';
import { Dim } from '../../components/note.tsx';

/** The state of the list that its columns show. */
export interface ColumnContext {
  readonly labels: NamespaceLabels;
  readonly mappings: Mappings;
  readonly suggestions: Suggestions;
  /** Ranks of all rows of the namespace. */
  readonly places: Places;
  readonly showsIds: boolean;
  /** Id of the row that is edited inline. */
  readonly editing: string | null;
  readonly onEdit: (id: string | null) => void;
  readonly onDialog: (kind: 'map' | 'delete', row: MappingRowReply) => void;
}

/** Returns the columns: source, target, amount and actions. */
export function columnsFor(context: ColumnContext): readonly Column<MappingRowReply>[] {
  const { labels, showsIds, places } = context;
  const { usage, currency } = context.mappings;
  const by =
    (order: keyof Places) =>
    (a: MappingRowReply, b: MappingRowReply): number =>
      (places[order].get(a.source_value) ?? 0) - (places[order].get(b.source_value) ?? 0);
  return [
    {
      key: 'source',
      head: labels.sourceHead,
      sort: 'source',
      compare: by('source'),
      cell: (row) => (
        <Box component="span" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{row.label}</bdi>
          {row.distinction !== null && <Dim> {row.distinction}</Dim>}
          {!row.is_active && <Dim> inactive</Dim>}
          {showsIds && <Id>{row.source_value}</Id>}
          {row.number !== null && row.number !== '' && <Dim> {row.number}</Dim>}
        </Box>
      ),
      width: '34%',
      narrow: 'title',
    },
    {
      key: 'target',
      head: labels.targetHead,
      sort: 'target',
      compare: by('target'),
      cell: (row) => <TargetCell row={row} context={context} />,
      narrow: 'line',
    },
    {
      key: 'amount',
      head: 'Last 90 days',
      sort: 'amount',
      compare: by('amount'),
      align: 'end',
      cell: (row) => {
        if (usage === undefined) return null;
        const amount = amountOf(row, usage);
        const held = heldUpBy(row, usage);
        if (isZero(amount)) return <Dim>–</Dim>;
        return (
          <>
            {formatMoney(amount, currency)}
            {!isZero(held) && (
              <Text
                span
                display="block"
                c="dimmed"
                size="xs"
                style={{ whiteSpace: 'nowrap' }}
              >{`${formatMoney(held, currency)} not synced yet`}</Text>
            )}
          </>
        );
      },
      width: '190px',
      narrow: 'trail',
    },
    {
      key: 'actions',
      head: '',
      align: 'end',
      cell: (row) => <Actions row={row} context={context} />,
      width: '84px',
      narrow: 'trail',
    },
  ];
}

function TargetCell({ row, context }: { row: MappingRowReply; context: ColumnContext }) {
  const { labels, mappings, suggestions } = context;
  const suggestion = suggestions.bySource.get(row.source_value);
  if (context.editing === row.source_value) return <Editor row={row} context={context} />;
  if (row.xref === null)
    return suggestion === undefined ? (
      <Dim>- not mapped -</Dim>
    ) : (
      <Group component="span" gap="sm" justify="space-between">
        <span>
          <bdi>{suggestion.target_value_label}</bdi>{' '}
          <Dim>
            {suggestion.reason} ({suggestion.score})
          </Dim>
        </span>
        <Button
          size="xs"
          variant="light"
          disabled={mappings.isLocked}
          aria-label={`Accept ${suggestion.target_value_label} for ${row.label}`}
          onClick={() => suggestions.accept([suggestion])}
        >
          Accept
        </Button>
      </Group>
    );
  const isBad = row.state === 'gone' || row.state === 'unusable';
  return (
    <Group component="span" gap="2px 8px" style={{ overflowWrap: 'anywhere' }}>
      <Box component="span" {...(isBad && { c: 'red' })}>
        {isBad && <Icon name="warning" size={14} />} <bdi>{targetOf(row)}</bdi>
        {context.showsIds && <Id>{row.xref.target_value}</Id>}
      </Box>
      {row.state_text !== null && (
        <Text span flex="1 1 220px" c="dimmed" size="xs">
          {row.state_text}
        </Text>
      )}
      {isBad && labels.mapLabel !== null && !mappings.isReadOnly && (
        <Button size="xs" variant="default" onClick={() => context.onDialog('map', row)}>
          Choose another target
        </Button>
      )}
    </Group>
  );
}

/** Edits one mapping inline; Esc and Cancel discard the change. */
function Editor({ row, context: { labels, mappings, onEdit } }: { row: MappingRowReply; context: ColumnContext }) {
  const [chosen, setChosen] = useState<Choice | null>(
    row.xref === null || row.state === 'gone' || row.state === 'unusable'
      ? null
      : { value: row.xref.target_value, text: targetOf(row) },
  );
  const save = async () => {
    if (chosen !== null && (await mappings.save([{ row, target: chosen }]))) onEdit(null);
  };
  return (
    <InlineEditor onCancel={() => onEdit(null)}>
      <TypeAhead
        label={`${labels.targetHead} of ${row.label}`}
        isLabelHidden
        chosen={chosen}
        onChoose={setChosen}
        search={mappings.search}
        debounceMs={labels.debounceMs}
        error={mappings.error}
      />
      <Button size="xs" loading={mappings.isSaving} disabled={chosen === null} onClick={() => void save()}>
        Save
      </Button>
      <Button size="xs" variant="default" onClick={() => onEdit(null)}>
        Cancel
      </Button>
    </InlineEditor>
  );
}

function Actions({ row, context }: { row: MappingRowReply; context: ColumnContext }) {
  const { labels, mappings } = context;
  if (context.editing === row.source_value || mappings.isReadOnly) return null;
  return (
    <Group component="span" gap={2} align="stretch" wrap="nowrap" display="inline-flex">
      {labels.mapLabel === null && (
        <IconButton
          label={`Edit ${row.label}`}
          icon="edit"
          size={16}
          onPress={() => context.onEdit(row.source_value)}
        />
      )}
      {row.xref !== null && (
        <IconButton
          label={`Delete mapping of ${row.label}`}
          icon="trash"
          size={16}
          isDisabled={mappings.isSaving}
          onPress={() => context.onDialog('delete', row)}
        />
      )}
    </Group>
  );
}

const Id = ({ children }: { children: string }) => (
  <Text span c="dimmed" size="xs" ff="monospace" ml={6}>
    {children}
  </Text>
);
