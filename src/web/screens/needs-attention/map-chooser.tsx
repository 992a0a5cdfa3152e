import { Box, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { mappingNamespaces } from '#core/mapping/mapping.ts';
import { showSuccess } from '../../components/flash.ts';
import { type Choice, type Found, TypeAhead } from '../../components/type-ahead.tsx';
import { namespaceLabels } from '../mappings/namespaces.ts';
import { searchIn } from '../mappings/use-mappings.ts';
import type { MapRepair } from './repairs.ts';
import { useRepairMapping } from './use-repair-mapping.ts';

/** Names of the mapping targets. */
const targets = {
  Vendor: 'vendors',
  Customer: 'customers',
  Item: 'items',
  Account: 'accounts',
  Class: 'classes',
  CustomField: 'custom fields',
  TaxCode: 'tax codes',
  Department: 'locations',
} as const;

/** Maximum number of suggested records with a separate button; the list offers more. */
const maxButtons = 3;

/**
 * Maps a PSA record to a QuickBooks record; suggestions come first in the list.
 *
 * @param variant of its first button
 */
export function MapChooser({
  repair,
  variant = 'default',
  onSaved,
}: {
  repair: MapRepair;
  variant?: 'filled' | 'default';
  onSaved?: () => void;
}) {
  const { namespace, sourceLabel } = repair;
  const [chosen, setChosen] = useState<Choice | null>(null);
  const { isSaving, mapTo: saveTo } = useRepairMapping(repair, () => {
    onSaved?.();
    showSuccess(`“${sourceLabel}” is mapped. Test again or release the documents.`);
  });
  const candidates = repair.candidates.map(({ value, label }): Choice => ({ value, text: label }));
  const search = async (typed: string, signal: AbortSignal): Promise<Found> => {
    const { choices, total } = await searchIn(namespace)(typed, signal);
    const similar = candidates.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase()));
    return {
      choices: [...similar, ...choices.filter(({ value }) => similar.every((one) => one.value !== value))],
      total,
    };
  };
  const mapTo = ({ value, text }: Choice) => saveTo({ value, label: text });
  const suggested = candidates.length <= maxButtons ? candidates : [];
  return (
    <>
      {suggested.map((one, index) => (
        <Button
          key={one.value}
          variant={index === 0 ? variant : 'default'}
          disabled={isSaving}
          onClick={() => mapTo(one)}
        >
          Link to “{one.text}”
        </Button>
      ))}
      <Group
        component="form"
        gap="sm"
        wrap="nowrap"
        align="flex-end"
        w="min(100%, 420px)"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== null) mapTo(chosen);
        }}
      >
        <Box flex={1}>
          <TypeAhead
            label={`Map “${sourceLabel}” to`}
            placeholder={`Search ${targets[mappingNamespaces[namespace].target]}`}
            chosen={chosen}
            onChoose={setChosen}
            search={search}
            debounceMs={namespaceLabels[namespace].debounceMs}
          />
        </Box>
        <Button
          type="submit"
          variant={suggested.length === 0 ? variant : 'default'}
          disabled={chosen === null}
          loading={isSaving}
        >
          Map
        </Button>
      </Group>
    </>
  );
}
