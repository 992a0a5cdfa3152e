import { Box, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Subscription } from '#contract/subscription.ts';
import { mappingSuggestionsQuery, mappingTableQuery } from '../../data/setup-queries.ts';
import { Rows } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { minCertainScore } from '../mappings/rows.ts';
import { useSaving } from '../mappings/use-mappings.ts';
import { assignmentsOf } from '../mappings/use-suggestions.ts';
import { Section } from './section.tsx';
import { formatCount } from '../../data/format.ts';

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

/** Suggested mappings of each list, with a button to accept them together. */
export function MappingSteps({ subscription }: { subscription: Subscription }) {
  return (
    <Section title="Mappings">
      <Text c="dimmed">
        Records with the same name match automatically. Only expense categories must be mapped before you sync.
      </Text>
      <Rows>
        {lists.map((one) => (
          <MappingStep key={one.namespace} {...one} clientId={subscription.client.id} />
        ))}
      </Rows>
    </Section>
  );
}

function MappingStep({ namespace, label, path, isNeeded }: (typeof lists)[number] & { clientId: string }) {
  const table = useQuery(mappingTableQuery(namespace));
  const suggestions = useQuery(mappingSuggestionsQuery(namespace));
  const { save, isSaving } = useSaving(namespace);
  const rows = table.data?.rows.filter(({ is_active: isActive }) => isActive);
  const mapped = rows?.filter(({ xref }) => xref !== null).length ?? 0;
  const certain = (suggestions.data ?? []).filter(({ score }) => score >= minCertainScore);
  const acceptLabel = certain.length === 1 ? 'Accept it' : `Accept all ${formatCount(certain.length)}`;
  const labels = new Map(rows?.map(({ source_value: value, label: name }) => [value, name]));
  return (
    <Group component="li" gap="2px 12px" align="flex-start" py="sm">
      <Text span fw={500} w={160}>
        {label}
      </Text>
      <Box flex="1 1 200px">
        {rows === undefined ? (
          <Skeleton width={120} />
        ) : (
          <>
            {formatCount(mapped)} of {formatCount(rows.length)} mapped
            {isNeeded && mapped < rows.length && (
              <Text span c="held">
                {' · reports with unmapped categories fail'}
              </Text>
            )}
          </>
        )}
        {certain.length > 0 && (
          <Text component="ul" c="dimmed" aria-label={`Suggestions: ${label}`}>
            {certain.slice(0, maxSuggestions).map((one) => (
              <li key={one.source_value}>
                {labels.get(one.source_value) ?? one.source_value} → {one.target_value_label}
              </li>
            ))}
            {certain.length > maxSuggestions && <li>and {formatCount(certain.length - maxSuggestions)} more</li>}
          </Text>
        )}
      </Box>
      {certain.length > 0 && (
        <Button
          size="xs"
          variant="light"
          loading={isSaving}
          aria-label={`${acceptLabel}: ${label}`}
          onClick={() => void save(assignmentsOf(certain, rows ?? []), { isErrorOnTop: true })}
        >
          {acceptLabel}
        </Button>
      )}
      <Link to={path}>Open</Link>
    </Group>
  );
}
