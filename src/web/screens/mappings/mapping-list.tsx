import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { ListTable } from '../../ui/list-table.tsx';
import { EmptyState, FailedState } from '../../ui/states.tsx';
import { columnsFor } from './columns.tsx';
import { DeleteDialog, MapDialog } from './dialogs.tsx';
import styles from './mappings.module.css';
import type { NamespaceWords } from './namespaces.ts';
import { progressText } from './parts.ts';
import { firstToMap, inFront, placesOf } from './rows.ts';
import { ChosenButtons, CoverageLine, SuggestHint, SuggestTools, TableTools } from './tools.tsx';
import { useMappingAddress } from './use-mapping-address.ts';
import type { Mappings } from './use-mappings.ts';
import { type Suggestions, useSuggestions } from './use-suggestions.ts';
import { companyWords, nothingFound, mappingLabels } from './words.ts';

type Rows = readonly MappingRowReply[];

/** An open question about some rows. */
interface Asked {
  readonly kind: 'map' | 'delete';
  readonly rows: Rows;
}

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
  rows: Rows | undefined | null;
  listKey: string;
  showsIds?: boolean;
  before?: ReactNode;
}) {
  const { page, onPage } = useMappingAddress();
  const [keys, choose] = useChosenKeys(listKey);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { psa } = useEnvironment();
  const suggestions = useSuggestions(words, mappings);
  const columns = useColumns({ words, mappings, suggestions, showsIds, onAsk: setAsked });
  const chosen = useMemo(() => rows?.filter(({ source_value: value }) => keys.has(value)) ?? [], [rows, keys]);
  const inOrder = useWorkingOrder(listKey, rows ?? undefined, mappings);
  const close = useCallback(() => setAsked(null), []);
  const done = useCallback(() => {
    setAsked(null);
    choose(none);
  }, [choose]);
  const { table } = mappings;
  const isInline = words.mapLabel === null;

  if (table.isError && table.data === undefined)
    return <FailedState what={mappingLabels.theMappings} error={table.error} onRetry={() => void table.refetch()} />;
  return (
    <>
      <div className={styles.bar}>
        <div className={styles.tools}>
          {!isInline && (
            <ChosenButtons
              words={words}
              chosen={chosen}
              isLocked={mappings.isLocked}
              onMap={() => setAsked({ kind: 'map', rows: chosen })}
              onDelete={() => setAsked({ kind: 'delete', rows: chosen })}
            />
          )}
          <SuggestTools suggestions={suggestions} isSaving={mappings.isSaving} isReadOnly={mappings.isReadOnly} />
          <span className={styles.spacer} />
          <TableTools words={words} mappings={mappings} />
        </div>
        {mappings.progress !== null && (
          <p className={styles.hint} role="status">
            {progressText(mappings.progress)}
          </p>
        )}
        <SuggestHint suggestions={suggestions} />
        {/* Comes with the rows and below everything that can be pressed before them. */}
        <CoverageLine words={words} mappings={mappings} />
        {inOrder !== undefined && before}
      </div>
      {rows === null ? (
        <EmptyState icon="search">{companyWords.beforeSearch(words.namespace, psa.label)}</EmptyState>
      ) : rows !== undefined && rows.length === 0 ? (
        <EmptyState icon="search">{nothingFound}</EmptyState>
      ) : (
        <ListTable
          listKey={listKey}
          pagination={{ page, onPage }}
          label={`${words.many[0]?.toUpperCase() ?? ''}${words.many.slice(1)}`}
          columns={columns}
          rows={inOrder}
          rowKey={({ source_value: value }) => value}
          name={({ label }) => label}
          {...(!isInline && { chosen: keys, onChoose: choose, isDisabled: mappings.isLocked })}
          isStale={table.isPlaceholderData || table.isError}
        />
      )}
      <Dialogs words={words} mappings={mappings} asked={asked} onClose={close} onDone={done} />
    </>
  );
}

const none: ReadonlySet<string> = new Set();

/** The keys of the chosen rows, none of them with another list. */
function useChosenKeys(listKey: string) {
  const [chosen, setChosen] = useState({ listKey, keys: none });
  const choose = useCallback((keys: ReadonlySet<string>) => setChosen({ listKey, keys }), [listKey]);
  return [chosen.listKey === listKey ? chosen.keys : none, choose] as const;
}

/**
 * The rows, first those to map first; undefined until it is known which those are, since no row may move once it can be
 * pressed. The order is that of the moment in which the list was opened: a row that is mapped stays where it is while
 * somebody works their way down, and money that comes late moves none.
 */
function useWorkingOrder(
  listKey: string,
  rows: Rows | undefined,
  { table, usage, isOrderKnown }: Mappings,
): Rows | undefined {
  const all = table.isPlaceholderData || !isOrderKnown ? undefined : table.data?.rows;
  const [kept, setKept] = useState<{ readonly listKey: string; readonly first: readonly string[] } | null>(null);
  if (all !== undefined && kept?.listKey !== listKey) setKept({ listKey, first: firstToMap(all, usage) });
  // Rows of the tab before stay until those of this one are here.
  const first = table.isPlaceholderData || kept?.listKey === listKey ? kept?.first : undefined;
  return useMemo(() => (rows === undefined || first === undefined ? undefined : inFront(rows, first)), [rows, first]);
}

/** The columns, the same ones until something that they show changes; and the row that is edited in its place. */
function useColumns({
  words,
  mappings,
  suggestions,
  showsIds,
  onAsk,
}: {
  words: NamespaceWords;
  mappings: Mappings;
  suggestions: Suggestions;
  showsIds: boolean;
  onAsk: (asked: Asked) => void;
}) {
  const [editing, setEditing] = useState<string | null>(null);
  const rows = mappings.table.data?.rows;
  const places = useMemo(() => placesOf(rows ?? [], mappings.usage), [rows, mappings.usage]);
  return useMemo(
    () =>
      columnsFor({
        words,
        places,
        usage: mappings.usage,
        currency: mappings.currency,
        suggested: suggestions.bySource,
        showsIds,
        editing,
        isSaving: mappings.isSaving,
        isReadOnly: mappings.isReadOnly,
        error: mappings.error,
        search: mappings.search,
        onEdit: (row) => {
          mappings.clearError();
          setEditing(row?.source_value ?? null);
        },
        onAssign: (row, target) => void mappings.save([{ row, target }]).then((isSaved) => isSaved && setEditing(null)),
        onMap: (row) => onAsk({ kind: 'map', rows: [row] }),
        onDelete: (row) => onAsk({ kind: 'delete', rows: [row] }),
        onAccept: (one) => suggestions.accept([one]),
      }),
    [words, places, mappings, suggestions, showsIds, editing, onAsk],
  );
}

/** The question about rows, as they are now: some may be saved already when the rest was refused and is tried again. */
function Dialogs({
  words,
  mappings,
  asked,
  onClose,
  onDone,
}: {
  words: NamespaceWords;
  mappings: Mappings;
  asked: Asked | null;
  onClose: () => void;
  onDone: () => void;
}) {
  const all = mappings.table.data?.rows;
  const rows = useMemo(() => {
    if (asked === null) return null;
    const now = new Map(all?.map((row) => [row.source_value, row]));
    return asked.rows.map((row) => now.get(row.source_value) ?? row);
  }, [all, asked]);
  const shared = { words, mappings, onClose, onDone };
  return (
    <>
      <MapDialog {...shared} rows={asked?.kind === 'map' ? rows : null} />
      <DeleteDialog {...shared} rows={asked?.kind === 'delete' ? rows : null} />
    </>
  );
}
