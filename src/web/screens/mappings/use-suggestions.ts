import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { DataOf } from '#contract/define.ts';
import type { suggestMappings } from '#contract/mappings.ts';
import { mappingSuggestionsQuery } from '../../lib/setup-queries.ts';
import type { NamespaceWords } from './namespaces.ts';
import { sure } from './rows.ts';
import type { Mappings } from './use-mappings.ts';

export type Suggested = DataOf<typeof suggestMappings>['suggested_xrefs'][number];

/** Suggestions for one namespace. */
export interface Suggestions {
  readonly isOn: boolean;
  readonly turn: (isOn: boolean) => void;
  /** Undefined while they are not there. */
  readonly found: readonly Suggested[] | undefined;
  /** By what they are for; empty while they are off. */
  readonly bySource: ReadonlyMap<string, Suggested>;
  /** Suggestions with a score of {@link sure} or more. */
  readonly certain: readonly Suggested[];
  /** Saves those of them whose record is not mapped yet. */
  readonly accept: (some: readonly Suggested[]) => void;
}

/** Asks what names and numbers suggest, once somebody wants to know. The answer is the same object until it changes. */
export function useSuggestions(words: NamespaceWords, mappings: Mappings): Suggestions {
  const [isOn, turn] = useState(false);
  const { data: found } = useQuery({ ...mappingSuggestionsQuery(words.namespace), enabled: isOn });
  return useMemo(() => {
    const offered = isOn ? (found ?? []) : [];
    return {
      isOn,
      turn,
      found,
      bySource: new Map(offered.map((one) => [one.source_value, one])),
      certain: offered.filter(({ score }) => score >= sure),
      accept(some) {
        const rows = new Map(mappings.table.data?.rows.map((row) => [row.source_value, row]));
        const assignments = some.flatMap((one) => {
          const row = rows.get(one.source_value);
          return row === undefined || row.xref !== null
            ? []
            : [{ row, target: { value: one.target_value, text: one.target_value_label } }];
        });
        void mappings.save(assignments, { isErrorOnTop: true });
      },
    };
  }, [isOn, found, mappings]);
}
