import { Box, Button, Group, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Subscription } from '#contract/subscription.ts';
import { flashMs, showError, showSuccess } from '../../components/flash.ts';
import { refreshAll } from '../../data/queries.ts';
import { mappingSuggestionsQuery, mappingTableQuery } from '../../data/setup-queries.ts';
import { Rows } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { toChange, type Assignment } from '../mappings/assignment.ts';
import { minCertainScore } from '../mappings/rows.ts';
import { reasonOf, saveChanges, undoMappings } from '../mappings/use-mappings.ts';
import { assignmentsOf } from '../mappings/use-suggestions.ts';
import { Section } from './section.tsx';
import { countOf, formatCount } from '../../data/format.ts';

const lists = [
  { namespace: 'Customer', label: 'Customers', path: '/customer-mappings', isNeeded: false },
  { namespace: 'ItemBilling', label: 'Items', path: '/item-mappings', isNeeded: false },
  { namespace: 'LineOfBusiness', label: 'Lines of business', path: '/lines-of-business', isNeeded: false },
  { namespace: 'ExpenseCategoryBillable', label: 'Billable expenses', path: '/expense-mappings', isNeeded: true },
  {
    namespace: 'ExpenseCategoryNonBillable',
    label: 'Non-billable expenses',
    path: '/expense-mappings',
    isNeeded: true,
  },
] as const;

/** Maximum number of listed suggestions; the mapping screen lists all. */
const maxSuggestions = 5;

interface MappingStepsProps {
  subscription: Subscription;
  /** All required records are mapped. */
  isDone: boolean;
  onAccepted: () => void;
}

/**
 * Suggested mappings of each list, and one button that accepts all of them.
 *
 * @param onAccepted is called after all suggestions are saved
 */
export function MappingSteps({ subscription, isDone, onAccepted }: MappingStepsProps) {
  const found = useSuggested();
  const count = found.reduce((sum, { assignments }) => sum + assignments.length, 0);
  const { accept, isSaving } = useAccepting();
  return (
    <Section title="Mappings">
      <Text c="dimmed">
        Records with the same name match automatically. Only expense categories must be mapped before you sync.
      </Text>
      <Rows>
        {found.map((one) => (
          <MappingStep key={`${subscription.client.id} ${one.namespace}`} {...one} />
        ))}
      </Rows>
      {count > 0 && (
        <Group>
          <Button
            variant={isDone ? 'default' : 'filled'}
            loading={isSaving}
            onClick={() => void accept(found).then((isAll) => isAll && onAccepted())}
          >
            {count === 1 ? 'Accept it' : `Accept all ${formatCount(count)}`}
          </Button>
        </Group>
      )}
    </Section>
  );
}

/** One list with its mapped records and the certain suggestions for the others. */
type Suggested = (typeof lists)[number] & {
  /** Null until the list loads. */
  readonly counts: { readonly mapped: number; readonly total: number } | null;
  readonly assignments: readonly Assignment[];
};

function useSuggested(): readonly Suggested[] {
  const tables = useQueries({ queries: lists.map(({ namespace }) => mappingTableQuery(namespace)) });
  const suggestions = useQueries({ queries: lists.map(({ namespace }) => mappingSuggestionsQuery(namespace)) });
  return lists.map((list, index) => {
    const rows = tables[index]?.data?.rows.filter(({ is_active: isActive }) => isActive);
    const certain = (suggestions[index]?.data ?? []).filter(({ score }) => score >= minCertainScore);
    return {
      ...list,
      counts:
        rows === undefined ? null : { mapped: rows.filter(({ xref }) => xref !== null).length, total: rows.length },
      assignments: assignmentsOf(certain, rows ?? []),
    };
  });
}

/** Saves the suggestions of all lists, one call per list. What is saved before a failure stays. */
function useAccepting() {
  const [isSaving, setSaving] = useState(false);
  const accept = async (found: readonly Suggested[]): Promise<boolean> => {
    setSaving(true);
    const saved: (readonly [Suggested['namespace'], readonly Assignment[]])[] = [];
    let failure: unknown = null;
    for (const { namespace, assignments } of found)
      try {
        if (assignments.length === 0) continue;
        await saveChanges(namespace, assignments.map(toChange));
        saved.push([namespace, assignments]);
      } catch (error) {
        failure = error;
      }
    const count = saved.reduce((sum, [, { length }]) => sum + length, 0);
    if (failure !== null) showError(reasonOf(failure));
    else showSuccess(`${countOf(count, 'mapping')} saved.`, flashMs, () => undoMappings(saved));
    await refreshAll('mappings', 'subscription');
    setSaving(false);
    return failure === null;
  };
  return { accept, isSaving };
}

function MappingStep({ label, path, isNeeded, counts, assignments }: Suggested) {
  return (
    <Group component="li" gap="2px 12px" align="flex-start" py="sm">
      <Text span fw={500} w={160}>
        {label}
      </Text>
      <Box flex="1 1 200px">
        {counts === null ? (
          <Skeleton width={120} />
        ) : (
          <>
            {formatCount(counts.mapped)} of {formatCount(counts.total)} mapped
            {isNeeded && counts.mapped < counts.total && (
              <Text span c="held">
                {' · reports with unmapped categories fail'}
              </Text>
            )}
          </>
        )}
        {assignments.length > 0 && (
          <Text component="ul" c="dimmed" aria-label={`Suggestions: ${label}`}>
            {assignments.slice(0, maxSuggestions).map(({ row, target }) => (
              <li key={row.source_value}>
                {row.label ?? row.source_value} → {target?.text}
              </li>
            ))}
            {assignments.length > maxSuggestions && (
              <li>and {formatCount(assignments.length - maxSuggestions)} more</li>
            )}
          </Text>
        )}
      </Box>
      <Link to={path}>Open</Link>
    </Group>
  );
}
