import { Button, Divider, Group, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { useEnvironment } from '../../data/environment.ts';
import { mappingTargetsQuery } from '../../data/setup-queries.ts';
import { InlineEditor } from '../../components/inline-editor.tsx';
import { Notice } from '../../components/notice.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { DeleteDialog } from './dialogs.tsx';
import { MappingPage } from './mapping-screen.tsx';
import { namespaceLabels } from './namespaces.ts';
import { TableTools } from './tools.tsx';
import { useMappings } from './use-mappings.ts';
import { Dim } from '../../components/note.tsx';

/** A QuickBooks custom field and the PSA field mapped to it. */
interface FieldRow {
  readonly id: string;
  readonly name: string;
  readonly source: MappingRowReply | null;
}

/** Maps QuickBooks custom fields to at most one PSA field each, edited inline. */
export function Component() {
  const { psa } = useEnvironment();
  const mappings = useMappings('SalesCustomField');
  const targets = useQuery({ ...mappingTargetsQuery('SalesCustomField'), enabled: mappings.isConnected });
  const [editing, setEditing] = useState<{ readonly id: string; readonly value: string } | null>(null);
  const [deleting, setDeleting] = useState<MappingRowReply | null>(null);
  const sources = mappings.table.data?.rows;
  const rows = sources === undefined || targets.data === undefined ? undefined : rowsOf(sources, targets.data);
  const save = async (row: FieldRow, value: string) => {
    const assignments = assignmentsOf(sources ?? [], row, value);
    if (assignments.length === 0 || (await mappings.save(assignments))) setEditing(null);
  };
  const columns: readonly Column<FieldRow>[] = [
    { key: 'field', head: 'QuickBooks Custom Field', cell: ({ name }) => <bdi>{name}</bdi>, narrow: 'title' },
    {
      key: 'source',
      head: `${psa.label} Field`,
      cell: (row) =>
        editing?.id === row.id ? (
          <SourceEditor
            label={`${psa.label} field of ${row.name}`}
            sources={sources ?? []}
            value={editing.value}
            description={movedFrom(rows ?? [], row, editing.value)}
            mappings={mappings}
            onChange={(value) => setEditing({ id: row.id, value })}
            onSave={() => void save(row, editing.value)}
            onCancel={() => setEditing(null)}
          />
        ) : row.source === null ? (
          <Dim>not mapped</Dim>
        ) : (
          row.source.label
        ),
    },
    {
      key: 'actions',
      head: '',
      align: 'end',
      width: '84px',
      narrow: 'trail',
      cell: (row) =>
        editing?.id === row.id || mappings.isReadOnly ? null : (
          <RowActions
            row={row}
            onEdit={() => {
              mappings.clearError();
              setEditing({ id: row.id, value: row.source?.source_value ?? '' });
            }}
            onDelete={() => setDeleting(row.source)}
          />
        ),
    },
  ];
  return (
    <MappingPage
      title="Custom Fields"
      lead={(label) => `QuickBooks custom fields can contain ${label} invoice fields. Connect both apps first.`}
      what="custom fields"
      mappings={mappings}
    >
      <Tools sources={sources ?? []} mappings={mappings} onDelete={setDeleting} />
      <Divider />
      {mappings.table.isLoadingError || targets.isLoadingError ? (
        <FailedState what="The custom fields" of={[mappings.table, targets]} />
      ) : rows !== undefined && rows.length === 0 ? (
        <EmptyState icon="fields">QuickBooks has no custom fields on its sales forms.</EmptyState>
      ) : (
        <DataTable label="Custom fields" columns={columns} rows={rows} rowKey={({ id }) => id} placeholderRows={3} />
      )}
      <DeleteDialog
        labels={namespaceLabels.SalesCustomField}
        rows={deleting === null ? null : [deleting]}
        mappings={mappings}
        onClose={() => setDeleting(null)}
        onDone={() => setDeleting(null)}
      />
    </MappingPage>
  );
}

const rowsOf = (sources: readonly MappingRowReply[], fields: readonly { value: string; text: string }[]) =>
  fields.map((field): FieldRow => ({
    id: field.value,
    name: field.text,
    source: sources.find(({ xref }) => xref?.target_value === field.value) ?? null,
  }));

/** Returns the changes that map the PSA field to the custom field of a row. */
function assignmentsOf(sources: readonly MappingRowReply[], row: FieldRow, value: string) {
  const source = sources.find((one) => one.source_value === value);
  return [
    ...(row.source === null || row.source === source ? [] : [{ row: row.source, target: null }]),
    ...(source === undefined ? [] : [{ row: source, target: { value: row.id, text: row.name } }]),
  ];
}

/** Returns a warning if saving would remove the mapping of another field. */
function movedFrom(rows: readonly FieldRow[], row: FieldRow, value: string): string | undefined {
  const other = rows.find(({ id, source }) => id !== row.id && source?.source_value === value);
  return other?.source ? `${other.source.label} is mapped to ${other.name}. Saving moves the mapping here.` : undefined;
}

interface SourceEditorProps {
  label: string;
  sources: readonly MappingRowReply[];
  value: string;
  description: string | undefined;
  mappings: ReturnType<typeof useMappings>;
  onChange: (value: string) => void;
  onSave: () => void;
  onCancel: () => void;
}

function SourceEditor({ label, sources, value, description, mappings, onChange, onSave, onCancel }: SourceEditorProps) {
  return (
    <InlineEditor onCancel={onCancel}>
      <NativeSelect
        aria-label={label}
        data={[
          { value: '', label: 'not mapped' },
          ...sources.map(({ source_value: source, label: text }) => ({ value: source, label: text })),
        ]}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        description={description}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        error={mappings.error}
      />
      <Button size="xs" loading={mappings.isSaving} onClick={onSave}>
        Save
      </Button>
      <Button size="xs" variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </InlineEditor>
  );
}

function RowActions({ row, onEdit, onDelete }: { row: FieldRow; onEdit: () => void; onDelete: () => void }) {
  return (
    <Group component="span" gap={2} align="stretch" wrap="nowrap" display="inline-flex">
      <IconButton label={`Edit ${row.name}`} icon="edit" size={16} onPress={onEdit} />
      {row.source !== null && (
        <IconButton label={`Delete mapping of ${row.name}`} icon="trash" size={16} onPress={onDelete} />
      )}
    </Group>
  );
}

interface ToolsProps {
  sources: readonly MappingRowReply[];
  mappings: ReturnType<typeof useMappings>;
  onDelete: (row: MappingRowReply) => void;
}

function Tools({ sources, mappings, onDelete }: ToolsProps) {
  return (
    <Stack gap={12} px="md" py={12}>
      <Group justify="flex-end">
        <TableTools labels={namespaceLabels.SalesCustomField} mappings={mappings} />
      </Group>
      {sources
        .filter(({ state }) => state === 'gone')
        .map((row) => (
          <MissingNotice
            key={row.source_value}
            row={row}
            isReadOnly={mappings.isReadOnly}
            onDelete={() => onDelete(row)}
          />
        ))}
    </Stack>
  );
}

interface MissingNoticeProps {
  row: MappingRowReply;
  isReadOnly: boolean;
  onDelete: () => void;
}

/** A mapping whose field no longer exists. */
function MissingNotice({ row, isReadOnly, onDelete }: MissingNoticeProps) {
  return (
    <Notice
      tone="warning"
      action={
        <Button size="xs" variant="default" disabled={isReadOnly} onClick={onDelete}>
          Delete mapping
        </Button>
      }
    >
      {row.label}: {row.state_text}
    </Notice>
  );
}
