import { Button, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { scopedKey } from '../data/queries.ts';

/** One option. */
export interface Choice {
  readonly value: string;
  readonly text: string;
  /** A second name, shown in parentheses. */
  readonly detail?: string | null;
}

/** Result of a search. */
export interface Found {
  readonly choices: readonly Choice[];
  /** Number of records found, including those not returned. */
  readonly total: number;
}

const moreValue = 'more';

/**
 * A field that searches for the typed text after a pause. It offers only results of the current text, reports if there
 * are more, and offers to retry a failed search.
 *
 * @param debounceMs length of the pause.
 * @param chosen the current choice, so that its name shows before the first search.
 */
export function TypeAhead({
  label,
  isLabelHidden = false,
  placeholder,
  chosen,
  onChoose,
  search,
  debounceMs = 500,
  error = null,
  isFirst = false,
}: {
  label: string;
  isLabelHidden?: boolean;
  placeholder?: string;
  chosen: Choice | null;
  onChoose: (choice: Choice | null) => void;
  search: (text: string, signal: AbortSignal) => Promise<Found>;
  debounceMs?: number;
  error?: string | null;
  /** Gets the focus when its dialog opens. */
  isFirst?: boolean;
}) {
  const [text, setText] = useState(chosen?.text ?? '');
  const [pausedText] = useDebouncedValue(text, debounceMs);
  const fieldId = useId();
  // The name of the current choice is not a search text.
  const query = chosen !== null && [chosen.text, labelOf(chosen)].includes(text) ? '' : text.trim();
  const searched = useQuery({
    queryKey: scopedKey('type-ahead', fieldId, query),
    queryFn: async ({ signal }) => search(query, signal),
    enabled: query === '' || pausedText === text,
    retry: false,
    gcTime: 0,
  });
  const found = searched.data?.choices ?? [];
  const all = chosen === null || found.some(({ value }) => value === chosen.value) ? found : [chosen, ...found];
  // Only results of the current text are offered: otherwise a quick Enter could choose something else.
  const offered = new Set(!searched.isSuccess ? [] : (query === '' ? all : found).map(({ value }) => value));
  const more = searched.data !== undefined && searched.data.total > found.length ? searched.data : null;
  const problem = searched.isError && !searched.isFetching ? searched.error.message : null;
  return (
    <Select
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      placeholder={placeholder ?? 'Type to search'}
      // In a table row, the list would cover the buttons next to the field.
      openOnFocus={!isLabelHidden}
      data={optionsOf(all, more)}
      value={chosen?.value ?? null}
      onChange={(value) => {
        const choice = all.find((one) => one.value === value) ?? null;
        onChoose(choice);
        if (choice !== null) setText(choice.text);
      }}
      searchable
      filter={({ options }) =>
        options.filter((one) => 'value' in one && (offered.has(one.value) || one.value === moreValue))
      }
      onSearchChange={setText}
      // After a failure the dropdown is hidden: it would cover the Retry button below the field.
      nothingFoundMessage={problem !== null ? undefined : searched.isPending ? 'Searching…' : 'Nothing found.'}
      error={
        error ??
        (problem !== null && (
          <>
            The search failed: {problem}{' '}
            <Button size="xs" variant="subtle" onClick={() => void searched.refetch()}>
              Retry
            </Button>
          </>
        ))
      }
      data-autofocus={isFirst || undefined}
      maxDropdownHeight={280}
    />
  );
}

const optionsOf = (choices: readonly Choice[], more: Found | null) => [
  // First, because the end of a long list is out of sight.
  ...(more === null
    ? []
    : [{ value: moreValue, label: `Showing ${more.choices.length} of ${more.total}, keep typing`, disabled: true }]),
  ...choices.map((choice) => ({ value: choice.value, label: labelOf(choice), disabled: false })),
];

const labelOf = ({ text, detail = null }: Choice): string =>
  detail === null || detail === '' ? text : `${text} (${detail})`;
