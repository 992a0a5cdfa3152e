import { Button, Select, Group } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveMappings } from '#contract/calls/mappings.ts';
import { mappingNamespaces } from '#core/mapping/mapping.ts';
import { showMessage } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { accountingOptionsQuery } from '../../data/screen-queries.ts';
import { mappingOf, type MapRepair } from './repairs.ts';

/** Names of the mapping targets, and the pause in typing before a search (specification 2, section 5). */
const targets = {
  Vendor: { plural: 'vendors', typingMs: 750 },
  Customer: { plural: 'customers', typingMs: 500 },
  Item: { plural: 'items', typingMs: 500 },
  Account: { plural: 'accounts', typingMs: 500 },
  Class: { plural: 'classes', typingMs: 500 },
  CustomField: { plural: 'custom fields', typingMs: 500 },
  TaxCode: { plural: 'tax codes', typingMs: 500 },
  Department: { plural: 'locations', typingMs: 500 },
} as const;

type Option = MapRepair['candidates'][number];

/** Maximum number of suggested records with a separate button; the list offers more. */
const maxButtons = 3;

/** Maps a PSA record to a QuickBooks record; suggestions come first in the list. */
export function MapChooser({ repair, onSaved }: { repair: MapRepair; onSaved?: () => void }) {
  const target = mappingNamespaces[repair.namespace].target;
  const [value, setValue] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed, targets[target].typingMs);
  const found = useQuery(accountingOptionsQuery(target, repair.namespace, text));
  const save = useAction(saveMappings, {
    changes: ['attention'],
    onSuccess: () => {
      onSaved?.();
      showMessage(`“${repair.sourceLabel}” is mapped. Test again or release the documents.`);
    },
  });
  const suggested = repair.candidates.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
  const known = new Set(suggested.map((one) => one.value));
  const options = [...suggested, ...(found.data ?? []).filter((one) => !known.has(one.value))];
  const chosen = options.find((one) => one.value === value) ?? null;
  const mapTo = (one: Option) =>
    save.mutate({
      params: { namespace: repair.namespace },
      body: { xrefs: [mappingOf(repair, one)] },
    });
  const chooser = (
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
      <Select
        flex={1}
        label={`Map “${repair.sourceLabel}” to`}
        placeholder={`Search ${targets[target].plural}`}
        searchable
        data={[...options]}
        filter={({ options: all }) => all}
        value={value}
        onChange={setValue}
        onSearchChange={setTyped}
        nothingFoundMessage={found.isFetching ? 'Searching…' : 'Nothing found.'}
      />
      <Button type="submit" variant="default" disabled={chosen === null} loading={save.isPending}>
        Map
      </Button>
    </Group>
  );
  return (
    <>
      {repair.candidates.length <= maxButtons &&
        repair.candidates.map((one) => (
          <Button key={one.value} variant="default" disabled={save.isPending} onClick={() => mapTo(one)}>
            Link to “{one.label}”
          </Button>
        ))}
      {chooser}
    </>
  );
}
