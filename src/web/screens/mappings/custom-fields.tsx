import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { mappingTargetsQuery } from '../../lib/setup-queries.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { InlineEditor } from '../../ui/inline-editor.tsx';
import { Notice } from '../../ui/notice.tsx';
import { EmptyState, FailedState } from '../../ui/states.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { DeleteDialog } from './dialogs.tsx';
import { MappingPage } from './mapping-page.tsx';
import styles from './mappings.module.css';
import { namespaceWords } from './namespaces.ts';
import { TableTools } from './tools.tsx';
import { useMappings } from './use-mappings.ts';
import { fieldWords, mappingLabels } from './words.ts';

/** One custom field of the books, and the field of the PSA that it carries. */
interface FieldRow {
  readonly id: string;
  readonly name: string;
  readonly source: MappingRowReply | null;
}

/** Custom fields of the books against a field of the PSA; each carries one at most, and each is edited in its place. */
export function Component() {
  const { psa } = useEnvironment();
  const mappings = useMappings('SalesCustomField');
  const targets = useQuery({ ...mappingTargetsQuery('SalesCustomField'), enabled: mappings.isConnected });
  const [editing, setEditing] = useState<{ readonly id: string; readonly value: string } | null>(null);
  const [deleting, setDeleting] = useState<MappingRowReply | null>(null);
  const sources = mappings.table.data?.rows;
  const rows =
    sources === undefined || targets.data === undefined
      ? undefined
      : targets.data.map((field): FieldRow => ({
          id: field.value,
          name: field.text,
          source: sources.find(({ xref }) => xref?.target_value === field.value) ?? null,
        }));
  const save = async (row: FieldRow, value: string) => {
    const source = sources?.find((one) => one.source_value === value);
    const assignments = [
      ...(row.source === null || row.source === source ? [] : [{ row: row.source, target: null }]),
      ...(source === undefined ? [] : [{ row: source, target: { value: row.id, text: row.name } }]),
    ];
    if (assignments.length === 0 || (await mappings.save(assignments))) setEditing(null);
  };
  /** What saving this choice takes away from another field, which must not happen unseen. */
  const movedFrom = (row: FieldRow, value: string): string | undefined => {
    const other = rows?.find(({ id, source }) => id !== row.id && source?.source_value === value);
    return other?.source ? fieldWords.movedFrom(other.source.label, other.name) : undefined;
  };
  const columns: readonly Column<FieldRow>[] = [
    {
      key: 'field',
      head: fieldWords.booksField,
      cell: ({ name }) => <bdi>{name}</bdi>,
      placeholderWidth: 140,
      narrow: 'title',
    },
    {
      key: 'source',
      head: fieldWords.psaField(psa.label),
      cell: (row) =>
        editing?.id === row.id ? (
          <InlineEditor className={styles.editor} onCancel={() => setEditing(null)}>
            <NativeSelect
              aria-label={mappingLabels.fieldOf(psa.label, row.name)}
              data={[
                { value: '', label: fieldWords.notMapped },
                ...(sources ?? []).map(({ source_value: value, label }) => ({ value, label })),
              ]}
              value={editing.value}
              onChange={(event) => setEditing({ id: row.id, value: event.currentTarget.value })}
              description={movedFrom(row, editing.value)}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              error={mappings.error}
              rightSection={<Icon name="down" size={14} />}
            />
            <Button size="xs" loading={mappings.isSaving} onClick={() => void save(row, editing.value)}>
              {mappingLabels.save}
            </Button>
            <Button size="xs" variant="default" onClick={() => setEditing(null)}>
              {mappingLabels.cancel}
            </Button>
          </InlineEditor>
        ) : row.source === null ? (
          <span className={styles.dim}>{fieldWords.notMapped}</span>
        ) : (
          row.source.label
        ),
      placeholderWidth: 120,
    },
    {
      key: 'actions',
      head: '',
      align: 'end',
      width: '84px',
      placeholderWidth: 0,
      narrow: 'trail',
      cell: (row) =>
        editing?.id === row.id || mappings.isReadOnly ? null : (
          <span className={styles.actions}>
            <IconButton
              label={mappingLabels.edit(row.name)}
              icon="edit"
              size={16}
              onPress={() => {
                mappings.clearError();
                setEditing({ id: row.id, value: row.source?.source_value ?? '' });
              }}
            />
            {row.source !== null && (
              <IconButton
                label={mappingLabels.deleteOf(row.name)}
                icon="trash"
                size={16}
                onPress={() => setDeleting(row.source)}
              />
            )}
          </span>
        ),
    },
  ];
  const gone = sources?.filter(({ state }) => state === 'gone') ?? [];
  const failed = [mappings.table, targets].find((one) => one.isError && one.data === undefined);
  return (
    <MappingPage screen="customFields" mappings={mappings}>
      <div className={styles.bar}>
        <div className={styles.tools}>
          <span className={styles.spacer} />
          <TableTools words={namespaceWords.SalesCustomField} mappings={mappings} />
        </div>
      </div>
      {gone.map((row) => (
        <div key={row.source_value} className={styles.bar}>
          <Notice
            tone="warning"
            action={
              <Button size="xs" variant="default" disabled={mappings.isReadOnly} onClick={() => setDeleting(row)}>
                {mappingLabels.deleteTheMapping}
              </Button>
            }
          >
            {row.label}: {row.state_text}
          </Notice>
        </div>
      ))}
      {failed?.error !== undefined && failed.error !== null ? (
        <FailedState
          what={mappingLabels.theCustomFields}
          error={failed.error}
          onRetry={() => void Promise.all([mappings.table.refetch(), targets.refetch()])}
        />
      ) : rows !== undefined && rows.length === 0 ? (
        <EmptyState icon="fields">{fieldWords.none}</EmptyState>
      ) : (
        <DataTable
          label={mappingLabels.customFields}
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          placeholderRows={3}
        />
      )}
      <DeleteDialog
        words={namespaceWords.SalesCustomField}
        rows={deleting === null ? null : [deleting]}
        mappings={mappings}
        onClose={() => setDeleting(null)}
        onDone={() => setDeleting(null)}
      />
    </MappingPage>
  );
}
