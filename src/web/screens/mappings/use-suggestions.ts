import type * as mappingsRoutes from '#contract/mappings.ts';
import type { MappingRowReply } from '#contract/mappings.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { DataOf } from '#contract/define.ts';
import type { Failed } from '../../components/states.tsx';
import { mappingSuggestionsQuery } from '../../data/setup-queries.ts';
import type { Assignment } from './assignment.ts';
import type { NamespaceLabels } from './namespaces.ts';
import { minCertainScore } from './rows.ts';
import type { Mappings } from './use-mappings.ts';

export type Suggested = DataOf<typeof mappingsRoutes.suggestMappings>['suggested_xrefs'][number];

export interface Suggestions {
  readonly isOn: boolean;
  readonly turn: (isOn: boolean) => void;
  /** Undefined while loading. */
  readonly found: readonly Suggested[] | undefined;
  /** The failed request; null if it did not fail. */
  readonly failed: Failed | null;
  /** Suggestions by PSA record; empty while off. */
  readonly bySource: ReadonlyMap<string, Suggested>;
  /** Suggestions with a score of {@link minCertainScore} or more. */
  readonly certain: readonly Suggested[];
  /** Saves the suggestions for records without a mapping. */
  readonly accept: (some: readonly Suggested[]) => void;
}

/** Returns the assignments of suggestions to rows that are not mapped yet. */
export function assignmentsOf(some: readonly Suggested[], rows: readonly MappingRowReply[]): readonly Assignment[] {
  const unmapped = new Map(rows.filter(({ xref }) => xref === null).map((row) => [row.source_value, row]));
  return some.flatMap(({ source_value: source, target_value: value, target_value_label: text }) => {
    const row = unmapped.get(source);
    return row === undefined ? [] : [{ row, target: { value, text } }];
  });
}

/** Loads mapping suggestions after the user turns them on. The result is memoized. */
export function useSuggestions(labels: NamespaceLabels, mappings: Mappings): Suggestions {
  const [isOn, turn] = useState(false);
  const query = useQuery({ ...mappingSuggestionsQuery(labels.namespace), enabled: isOn });
  const { data: found, isLoadingError: isFailed, error, refetch } = query;
  return useMemo(() => {
    const offered = isOn ? (found ?? []) : [];
    return {
      isOn,
      turn,
      found,
      failed: isFailed ? { error, refetch } : null,
      bySource: new Map(offered.map((one) => [one.source_value, one])),
      certain: offered.filter(({ score }) => score >= minCertainScore),
      accept(some) {
        void mappings.save(assignmentsOf(some, mappings.table.data?.rows ?? []), { isErrorOnTop: true });
      },
    };
  }, [isOn, found, isFailed, error, refetch, mappings]);
}
