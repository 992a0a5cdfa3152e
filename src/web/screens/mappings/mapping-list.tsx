import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { countOf } from '../../lib/format.ts';
import { mappingSuggestionsQuery, refreshMappings } from '../../lib/setup-queries.ts';
import { showError } from '../../lib/flash.ts';
import { Icon } from '../../ui/icons.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { EmptyState, FailedState, Skeleton } from '../../ui/states.tsx';
import { columnsFor, type Suggested } from './columns.tsx';
import { CsvDialog } from './csv-dialog.tsx';
import { DeleteDialog, MapDialog } from './dialogs.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import styles from './mappings.module.css';
import type { NamespaceWords } from './namespaces.ts';
import { coverageOf, placesOf } from './rows.ts';
import type { Mappings } from './use-mappings.ts';

/** Suggestions of at least so much are as good as certain: same number, or same name. */
const sure = 95;

/**
 * The rows of one namespace: what they lead to, what is the matter with it, how much money went over them; chosen by
 * boxes, or edited one by one in their place.
 *
 * @param rows those that are searched for; undefined while they are coming, null before a search.
 * @param listKey another one empties the selection and begins on the first page.
 */
export function MappingList({
  words,
  mappings,
  rows,
  listKey,
  showsIds = false,
  before,
}: {
  words: NamespaceWords;
  mappings: Mappings;
  rows: readonly MappingRowReply[] | undefined | null;
  listKey: string;
  showsIds?: boolean;
  before?: ReactNode;
}) {
  const [selection, setSelection] = useState<{ readonly key: string; readonly chosen: ReadonlySet<string> }>({
    key: listKey,
    chosen: new Set(),
  });
  const chosen = selection.key === listKey ? selection.chosen : none;
  const choose = (next: ReadonlySet<string>) => setSelection({ key: listKey, chosen: next });
  const [dialog, setDialog] = useState<{
    readonly kind: 'map' | 'delete';
    readonly rows: readonly MappingRowReply[];
  }>();
  const [open, setOpen] = useState<'csv' | 'history' | null>(null);
  const [isSuggesting, setSuggesting] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const suggestions = useQuery({ ...mappingSuggestionsQuery(words.namespace), enabled: isSuggesting });
  const all = mappings.table.data?.rows;
  const isInline = words.mapLabel === null;

  const suggested = useMemo(
    (): ReadonlyMap<string, Suggested> =>
      new Map(isSuggesting ? (suggestions.data ?? []).map((one) => [one.source_value, one]) : []),
    [isSuggesting, suggestions.data],
  );
  const accept = (some: readonly Suggested[]) => {
    const bySource = new Map(all?.map((row) => [row.source_value, row]));
    const assignments = some.flatMap((one) => {
      const row = bySource.get(one.source_value);
      return row === undefined || row.xref !== null
        ? []
        : [{ row, target: { value: one.target_value, text: one.target_value_label } }];
    });
    void mappings.save(assignments).then((isSaved) => isSaved || showError('The suggestions could not be saved.'));
  };
  const certain = [...suggested.values()].filter(({ score }) => score >= sure);
  const selected = (rows ?? []).filter(({ source_value: value }) => chosen.has(value));
  // As they are now: some of them may be saved already when the rest was refused and is tried again.
  const asked = useMemo(() => {
    const now = new Map(all?.map((row) => [row.source_value, row]));
    return dialog?.rows.map((row) => now.get(row.source_value) ?? row) ?? null;
  }, [all, dialog]);
  const done = () => {
    setDialog(undefined);
    choose(new Set());
  };
  const places = useMemo(() => placesOf(all ?? [], mappings.usage), [all, mappings.usage]);
  const columns = useMemo(
    () =>
      columnsFor({
        words,
        places,
        usage: mappings.usage,
        currency: mappings.currency,
        suggested,
        showsIds,
        editing,
        isSaving: mappings.isSaving,
        error: mappings.error,
        search: mappings.search,
        onEdit: (row) => {
          mappings.clearError();
          setEditing(row?.source_value ?? null);
        },
        onAssign: (row, target) => void mappings.save([{ row, target }]).then((isSaved) => isSaved && setEditing(null)),
        onMap: (row) => setDialog({ kind: 'map', rows: [row] }),
        onDelete: (row) => setDialog({ kind: 'delete', rows: [row] }),
        onAccept: (one) => accept([one]),
      }),
    // What else is used here comes with one of these.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [words, places, mappings.usage, suggested, showsIds, editing, mappings.isSaving, mappings.error, all],
  );

  if (mappings.table.isError && all === undefined)
    return (
      <FailedState what="The mappings" error={mappings.table.error} onRetry={() => void mappings.table.refetch()} />
    );
  return (
    <>
      <div className={styles.bar}>
        <CoverageLine words={words} mappings={mappings} />
        <div className={styles.tools}>
          {!isInline && (
            <>
              <Button
                disabled={mappings.isSaving || selected.length === 0}
                onClick={() => setDialog({ kind: 'map', rows: selected })}
              >
                {words.mapLabel}
              </Button>
              <Button
                variant="default"
                disabled={mappings.isSaving || selected.every(({ xref }) => xref === null)}
                onClick={() => setDialog({ kind: 'delete', rows: selected })}
              >
                {words.namespace.startsWith('Item') ? 'Remove Mapping(s)' : 'Delete'}
              </Button>
            </>
          )}
          <Checkbox
            label="Suggest"
            checked={isSuggesting}
            onChange={({ currentTarget }) => setSuggesting(currentTarget.checked)}
          />
          {certain.length > 0 && (
            <Button size="xs" variant="light" loading={mappings.isSaving} onClick={() => accept(certain)}>
              Accept all {certain.length} of {sure} or more
            </Button>
          )}
          <span className={styles.spacer} />
          <Button size="xs" variant="subtle" onClick={() => setOpen('csv')}>
            CSV
          </Button>
          <Button size="xs" variant="subtle" onClick={() => setOpen('history')}>
            History
          </Button>
          <RefreshButton words={words} />
        </div>
        {isSuggesting && (
          <p className={styles.hint} role="status">
            {suggestions.data === undefined
              ? 'Comparing names and numbers…'
              : suggestions.data.length === 0
                ? 'Nothing that is not mapped resembles anything in QuickBooks closely enough.'
                : `${countOf(suggestions.data.length, 'suggestion')}. Nothing is saved until you accept it.`}
          </p>
        )}
        {before}
      </div>
      {rows === null ? (
        <EmptyState icon="search">
          Search for Autotask companies to manage mappings to QuickBooks{' '}
          {words.namespace === 'Vendor' ? 'vendors' : 'customers'}.
        </EmptyState>
      ) : rows !== undefined && rows.length === 0 ? (
        <EmptyState icon="search">Nothing found.</EmptyState>
      ) : (
        <ListTable
          listKey={listKey}
          label={`${words.many[0]?.toUpperCase() ?? ''}${words.many.slice(1)}`}
          columns={columns}
          rows={rows}
          rowKey={({ source_value: value }) => value}
          name={({ label }) => label}
          {...(words.namespace.startsWith('Item') && { sorted: { by: 'amount', descending: true } })}
          {...(!isInline && { chosen, onChoose: choose, isDisabled: mappings.isSaving })}
          isStale={mappings.table.isPlaceholderData}
        />
      )}
      <MapDialog
        words={words}
        rows={dialog?.kind === 'map' ? asked : null}
        mappings={mappings}
        onClose={() => setDialog(undefined)}
        onDone={done}
      />
      <DeleteDialog
        words={words}
        rows={dialog?.kind === 'delete' ? asked : null}
        mappings={mappings}
        onClose={() => setDialog(undefined)}
        onDone={done}
      />
      <CsvDialog
        words={words}
        rows={all ?? []}
        isOpen={open === 'csv'}
        mappings={mappings}
        onClose={() => setOpen(null)}
      />
      <HistoryDialog words={words} isOpen={open === 'history'} onClose={() => setOpen(null)} />
    </>
  );
}

const none: ReadonlySet<string> = new Set();

/** How much is mapped, by number and by money. */
function CoverageLine({ words, mappings }: { words: NamespaceWords; mappings: Mappings }) {
  const rows = mappings.table.data?.rows;
  const { usage } = mappings;
  const coverage = useMemo(() => coverageOf(rows ?? [], usage), [rows, usage]);
  if (rows === undefined) return <Skeleton width="min(320px, 80%)" />;
  const { mapped, total, percent } = coverage;
  const stale = rows.filter(({ state }) => state === 'gone' || state === 'unusable').length;
  return (
    <p className={styles.coverage}>
      <strong>
        {mapped} of {countOf(total, words.one, words.many)}
      </strong>{' '}
      mapped{percent !== null && `, ${percent} % of the last 90 days’ ${words.money}`}.
      {stale > 0 && (
        <span className={styles.stale}>
          {' '}
          <Icon name="warning" size={14} /> {countOf(stale, 'mapping')} cannot be used any more.
        </span>
      )}
    </p>
  );
}

/** Reads both services anew. */
function RefreshButton({ words }: { words: NamespaceWords }) {
  const [isBusy, setBusy] = useState(false);
  return (
    <Button
      size="xs"
      variant="subtle"
      loading={isBusy}
      leftSection={<Icon name="refresh" size={14} />}
      onClick={() => {
        setBusy(true);
        refreshMappings(words.namespace)
          .catch((error: unknown) => showError(error instanceof Error ? error.message : 'Server error.'))
          .finally(() => setBusy(false));
      }}
    >
      Refresh
    </Button>
  );
}
