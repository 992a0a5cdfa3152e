import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createAs } from '#core/mapping/mapping.ts';
import { showSuccess } from '../../components/flash.ts';
import { logQuery } from '../../data/screen-queries.ts';
import { useFindScreen } from '../../components/find-screen.ts';
import { MapChooser } from './map-chooser.tsx';
import { readRepair, type CreateRepair, type MapRepair } from './repairs.ts';
import { useRepairMapping } from './use-repair-mapping.ts';

type Choice = MapRepair | CreateRepair;

/** Offers to link an ambiguous document to a record or to create a new one. Other problems have no choices. */
export function MappingChoices({
  problems,
}: {
  problems: readonly { readonly repairs?: readonly Readonly<Record<string, unknown>>[] | undefined }[];
}) {
  const choices = problems.flatMap(({ repairs = [] }) => choicesOf(repairs));
  // Only users who can open the mapping screens can change mappings.
  const canMap = useFindScreen()('/customer-mappings') !== null;
  if (choices.length === 0 || !canMap) return null;
  return (
    <Group gap={12} align="flex-end" mt="sm" mb={12}>
      {choices.map((choice) =>
        choice.do === 'map' ? (
          <MapChooser key={JSON.stringify(choice)} repair={choice} />
        ) : (
          <CreateAs key={JSON.stringify(choice)} repair={choice} />
        ),
      )}
    </Group>
  );
}

/** The mapping choices of a failed document, from its log entry. Renders nothing if it has none. */
export function LogChoices({ logKey }: { logKey: string }) {
  const { data } = useQuery(logQuery(logKey));
  return data === undefined ? null : <MappingChoices problems={data.problems} />;
}

/** Returns the mapping choices among the repairs of a problem; empty if there is nothing to choose or create. */
function choicesOf(repairs: readonly Readonly<Record<string, unknown>>[]): readonly Choice[] {
  const known = repairs.flatMap((one) => readRepair(one) ?? []);
  const choices = known.flatMap((one) => (one.do === 'map' || one.do === 'create_as' ? [one] : []));
  return choices.some((one) => one.do === 'create_as' || one.candidates.length > 0) ? choices : [];
}

/** Saves a mapping with which the next document creates a customer or vendor with this name. */
export function CreateAs({
  repair,
  variant = 'default',
  onSaved,
}: {
  repair: CreateRepair;
  variant?: 'filled' | 'default';
  onSaved?: () => void;
}) {
  const { isSaving, mapTo } = useRepairMapping(repair, () => {
    onSaved?.();
    showSuccess(`The next sync creates “${repair.name}”. Test again or release the documents.`);
  });
  return (
    <Button
      variant={variant}
      loading={isSaving}
      onClick={() => mapTo({ value: createAs(repair.name), label: repair.name })}
    >
      Create “{repair.name}”
    </Button>
  );
}
