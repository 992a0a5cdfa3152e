import { Checkbox } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { showError } from '../../lib/flash.ts';
import { refreshMappings } from '../../lib/setup-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { CsvDialog } from './csv-dialog.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import styles from './mappings.module.css';
import type { NamespaceWords } from './namespaces.ts';
import { coverageOf } from './rows.ts';
import type { Mappings } from './use-mappings.ts';
import type { Suggestions } from './use-suggestions.ts';
import { coverageText, historyWords, removeLabel, staleText, suggestWords, mappingLabels } from './words.ts';

/*
 * What stands above the rows. The parts that do not speak of what is chosen are kept as they are while somebody chooses:
 * `words` and `mappings` are the same then.
 */

/** How much is mapped, by number and by money. */
export const CoverageLine = memo(function CoverageLine({
  words,
  mappings,
}: {
  words: NamespaceWords;
  mappings: Mappings;
}) {
  const rows = mappings.table.data?.rows;
  const { usage, isOrderKnown } = mappings;
  const coverage = useMemo(() => coverageOf(rows ?? [], usage), [rows, usage]);
  if (rows === undefined || !isOrderKnown) return <Skeleton width="min(320px, 80%)" />;
  const { figure, rest } = coverageText(coverage, words);
  const stale = rows.filter(({ state }) => state === 'gone' || state === 'unusable').length;
  return (
    <p className={styles.coverage}>
      <strong>{figure}</strong>
      {rest}
      {stale > 0 && (
        <span className={styles.stale}>
          {' '}
          <Icon name="warning" size={14} /> {staleText(stale)}
        </span>
      )}
    </p>
  );
});

/** Buttons that act on the chosen rows. */
export function ChosenButtons({
  words,
  chosen,
  isLocked,
  onMap,
  onDelete,
}: {
  words: NamespaceWords;
  chosen: readonly MappingRowReply[];
  isLocked: boolean;
  onMap: () => void;
  onDelete: () => void;
}) {
  return (
    <>
      <Button disabled={isLocked || chosen.length === 0} onClick={onMap}>
        {words.mapLabel}
      </Button>
      <Button variant="default" disabled={isLocked || chosen.every(({ xref }) => xref === null)} onClick={onDelete}>
        {removeLabel(words.namespace)}
      </Button>
    </>
  );
}

/** Asks for suggestions, and accepts those that are as good as certain. */
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
      <Checkbox
        label={suggestWords.toggle}
        checked={isOn}
        onChange={({ currentTarget }) => turn(currentTarget.checked)}
      />
      {certain.length > 0 && (
        <Button size="xs" variant="light" loading={isSaving} disabled={isReadOnly} onClick={() => accept(certain)}>
          {suggestWords.acceptAll(certain.length)}
        </Button>
      )}
    </>
  );
});

/** Says how many suggestions were found; nothing while they are not asked for. */
export function SuggestHint({ suggestions: { isOn, found } }: { suggestions: Suggestions }) {
  return (
    isOn && (
      <p className={styles.hint} role="status">
        {suggestWords.hint(found?.length)}
      </p>
    )
  );
}

/** Tools for all mappings of the namespace: as a file, their history, and reading both services anew. */
export const TableTools = memo(function TableTools({ words, mappings }: { words: NamespaceWords; mappings: Mappings }) {
  const [open, setOpen] = useState<'csv' | 'history' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <span className={styles.group}>
        <Button size="xs" variant="subtle" onClick={() => setOpen('csv')}>
          {mappingLabels.csv}
        </Button>
        <Button size="xs" variant="subtle" onClick={() => setOpen('history')}>
          {historyWords.title}
        </Button>
        <RefreshButton words={words} />
      </span>
      <CsvDialog
        words={words}
        rows={mappings.table.data?.rows ?? none}
        isOpen={open === 'csv'}
        mappings={mappings}
        onClose={close}
      />
      <HistoryDialog words={words} isOpen={open === 'history'} onClose={close} />
    </>
  );
});

const none: readonly MappingRowReply[] = [];

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
      {mappingLabels.refresh}
    </Button>
  );
}
