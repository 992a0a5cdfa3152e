import { Select } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';

/** One thing that can be chosen. */
export interface Choice {
  readonly value: string;
  readonly text: string;
  /** A second name of it, shown beside the first. */
  readonly detail?: string | null;
}

/**
 * A field that looks for what is typed: asked for once typing has paused, and the newest answer counts. Until it is there,
 * and after a failure, the list is empty: what is offered always answers what stands in the field.
 *
 * @param debounceMs how long a pause is.
 * @param chosen what is chosen now, so that its name shows before anything was looked for.
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
  search: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  debounceMs?: number;
  error?: string | null;
  /** Takes the focus when its dialog opens. */
  isFirst?: boolean;
}) {
  const [text, setText] = useState(chosen?.text ?? '');
  const [found, setFound] = useState<readonly Choice[]>([]);
  const [asked, setAsked] = useState<string | null>(null);
  const look = useEffectEvent(search);
  const all = chosen === null || found.some(({ value }) => value === chosen.value) ? found : [chosen, ...found];
  // The name of what is chosen stands in the field and is nothing to look for.
  const shown = all.find(({ value }) => value === chosen?.value);
  const wanted = text === chosen?.text || (shown !== undefined && text === labelOf(shown)) ? '' : text.trim();
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(
      () => {
        look(wanted, abort.signal)
          .then((choices) => {
            setFound(choices);
            setAsked(wanted);
          })
          .catch(() => {
            if (abort.signal.aborted) return;
            setFound([]);
            setAsked(wanted);
          });
      },
      wanted === '' ? 0 : debounceMs,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted, debounceMs]);
  // Only what answers the text that stands there: keys that are quicker than the search choose nothing else.
  const offered = new Set(asked === wanted ? (wanted === '' ? all : found).map(({ value }) => value) : []);
  return (
    <Select
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      placeholder={placeholder ?? 'Type to search'}
      data={all.map((choice) => ({ value: choice.value, label: labelOf(choice) }))}
      value={chosen?.value ?? null}
      onChange={(value) => {
        const choice = all.find((one) => one.value === value) ?? null;
        onChoose(choice);
        if (choice !== null) setText(choice.text);
      }}
      searchable
      filter={({ options }) => options.filter((one) => 'value' in one && offered.has(one.value))}
      onSearchChange={setText}
      nothingFoundMessage={asked === wanted ? 'Nothing found.' : 'Searching…'}
      error={error}
      data-autofocus={isFirst || undefined}
      maxDropdownHeight={280}
    />
  );
}

const labelOf = ({ text, detail = null }: Choice): string =>
  detail === null || detail === '' ? text : `${text} (${detail})`;
