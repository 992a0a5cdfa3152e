import { Divider, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatCount } from '../../data/format.ts';
import { ListTable } from '../../components/list-table.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { type ColumnContext, columnsFor } from './columns.tsx';
import { DeleteDialog, MapDialog } from './dialogs.tsx';
import styles from './mappings.module.css';
import type { NamespaceLabels } from './namespaces.ts';
import { firstToMap, inFront, placesOf } from './rows.ts';
import { ChosenButtons, CoverageLine, SuggestHint, SuggestTools, TableTools } from './tools.tsx';
import type { Mappings } from './use-mappings.ts';
import { useSuggestions } from './use-suggestions.ts';

type Rows = readonly MappingRowReply[];

/** The rows of an open dialog. */
interface DialogState {
  readonly kind: 'map' | 'delete';
  readonly rows: Rows;
}

interface MappingListProps {
  labels: NamespaceLabels;
  mappings: Mappings;
  rows: Rows | undefined | null;
  listKey: string;
  showsIds?: boolean;
  before?: ReactNode;
}

/**
 * Lists the mappings of a namespace with their state and amount. Rows are selected or edited inline.
 *
 * @param rows rows that match the search; undefined while loading, null before a search
 * @param listKey a change clears the selection
 */
export function MappingList({ labels, mappings, rows, listKey, showsIds = false, before }: MappingListProps) {
  const [keys, choose] = useChosenKeys(listKey);
  const [dialog, setDialog] = useState<DialogState | null>(null);
  const { psa } = useEnvironment();
  const suggestions = useSuggestions(labels, mappings);
  const openFor = useCallback(
    (kind: DialogState['kind'], row: MappingRowReply) => setDialog({ kind, rows: [row] }),
    [],
  );
  const columns = useColumns({ labels, mappings, suggestions, showsIds, onDialog: openFor });
  const chosen = useMemo(() => rows?.filter(({ source_value: value }) => keys.has(value)) ?? [], [rows, keys]);
  const inOrder = useWorkingOrder(listKey, rows ?? undefined, mappings);
  const close = useCallback(() => setDialog(null), []);
  const done = useCallback(() => {
    setDialog(null);
    choose(none);
  }, [choose]);
  const { table } = mappings;
  const isInline = labels.mapLabel === null;

  if (table.isLoadingError) return <FailedState what="The mappings" of={table} />;
  return (
    <>
      <Stack gap={12} px="md" py={12}>
        <Group gap={12}>
          {!isInline && (
            <ChosenButtons
              labels={labels}
              chosen={chosen}
              isLocked={mappings.isLocked}
              onMap={() => setDialog({ kind: 'map', rows: chosen })}
              onDelete={() => setDialog({ kind: 'delete', rows: chosen })}
            />
          )}
          <SuggestTools suggestions={suggestions} isSaving={mappings.isSaving} isReadOnly={mappings.isReadOnly} />
          <Text span className={styles.count ?? ''} c="soft" size="sm" role="status">
            {chosen.length > 0 && `${formatCount(chosen.length)} selected`}
          </Text>
          <TableTools labels={labels} mappings={mappings} />
        </Group>
        <SuggestHint suggestions={suggestions} />
        {/* Below all buttons, because it appears later and would move them. */}
        <CoverageLine labels={labels} mappings={mappings} />
        {inOrder !== undefined && before}
      </Stack>
      <Divider />
      {rows === null ? (
        <EmptyState icon="search">{`Search for ${psa.label} companies to manage mappings to QuickBooks ${labels.namespace === 'Vendor' ? 'vendors' : 'customers'}.`}</EmptyState>
      ) : rows !== undefined && rows.length === 0 ? (
        <EmptyState icon="search">Nothing found.</EmptyState>
      ) : (
        <ListTable
          screen="mappings"
          label={`${labels.many[0]?.toUpperCase() ?? ''}${labels.many.slice(1)}`}
          columns={columns}
          rows={inOrder}
          rowKey={({ source_value: value }) => value}
          name={({ label }) => label}
          {...(!isInline && { chosen: keys, onChoose: choose, isDisabled: mappings.isLocked })}
          isStale={table.isPlaceholderData || table.isError}
        />
      )}
      <Dialogs labels={labels} mappings={mappings} open={dialog} onClose={close} onDone={done} />
    </>
  );
}

const none: ReadonlySet<string> = new Set();

/** Holds the keys of the selected rows; another list starts with none. */
function useChosenKeys(listKey: string) {
  const [chosen, setChosen] = useState({ listKey, keys: none });
  const choose = useCallback((keys: ReadonlySet<string>) => setChosen({ listKey, keys }), [listKey]);
  return [chosen.listKey === listKey ? chosen.keys : none, choose] as const;
}

/**
 * Returns the rows with those to map first; undefined until the order is known. The order is fixed when the list opens, so
 * that no row moves under the pointer after a mapping or late amounts.
 */
function useWorkingOrder(
  listKey: string,
  rows: Rows | undefined,
  { table, usage, isOrderKnown }: Mappings,
): Rows | undefined {
  const all = table.isPlaceholderData || !isOrderKnown ? undefined : table.data?.rows;
  const [fixed, setFixed] = useState<{ readonly listKey: string; readonly first: readonly string[] } | null>(null);
  if (all !== undefined && fixed?.listKey !== listKey) setFixed({ listKey, first: firstToMap(all, usage) });
  // Rows of the previous tab stay until the new ones are loaded.
  const first = table.isPlaceholderData || fixed?.listKey === listKey ? fixed?.first : undefined;
  return useMemo(() => (rows === undefined || first === undefined ? undefined : inFront(rows, first)), [rows, first]);
}

/** Returns the memoized columns and holds the row that is edited inline. */
function useColumns(context: Omit<ColumnContext, 'places' | 'editing' | 'onEdit'>) {
  const { labels, mappings, suggestions, showsIds, onDialog } = context;
  const [editing, setEditing] = useState<string | null>(null);
  const rows = mappings.table.data?.rows;
  const places = useMemo(() => placesOf(rows ?? [], mappings.usage), [rows, mappings.usage]);
  return useMemo(
    () =>
      columnsFor({
        labels,
        mappings,
        suggestions,
        places,
        showsIds,
        editing,
        onEdit: (id) => {
          mappings.clearError();
          setEditing(id);
        },
        onDialog,
      }),
    [labels, places, mappings, suggestions, showsIds, editing, onDialog],
  );
}

interface DialogsProps {
  labels: NamespaceLabels;
  mappings: Mappings;
  open: DialogState | null;
  onClose: () => void;
  onDone: () => void;
}

/** The dialogs, with the current rows: after a partial failure, some may already be saved. */
function Dialogs({ labels, mappings, open, onClose, onDone }: DialogsProps) {
  const all = mappings.table.data?.rows;
  const rows = useMemo(() => {
    if (open === null) return null;
    const now = new Map(all?.map((row) => [row.source_value, row]));
    return open.rows.map((row) => now.get(row.source_value) ?? row);
  }, [all, open]);
  const shared = { labels, mappings, onClose, onDone };
  return (
    <>
      <MapDialog {...shared} rows={open?.kind === 'map' ? rows : null} />
      <DeleteDialog {...shared} rows={open?.kind === 'delete' ? rows : null} />
    </>
  );
}
