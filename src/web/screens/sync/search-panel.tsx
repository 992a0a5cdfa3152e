import { Box, Button, Group, Radio, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { SubmittableKind } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { Icon } from '../../components/icons.tsx';
import { type Search, searchOf } from './search.ts';
import styles from './sync-screen.module.css';
import { kinds } from '#core/kinds.ts';

const options = ['settings', 'date', 'day', 'id'] as const satisfies readonly Search['by'][];
const missingTexts = { noDate: 'Enter a date.', noId: 'Enter an ID: a whole number.' } as const;

interface SearchPanelProps {
  kind: SubmittableKind;
  search: Search;
  startOn: string;
  isBusy: boolean;
  error: string | null;
  onSearch: (search: Search) => void;
}

/**
 * The search form: by settings, by date, or by id.
 *
 * @param search the active search.
 * @param startOn the initial date of a search by date.
 * @param error why the last search failed; null if it did not.
 */
export function SearchPanel({ kind, search, startOn, isBusy, error, onSearch }: SearchPanelProps) {
  const { psa } = useEnvironment();
  const [by, setBy] = useState<Search['by']>(search.by);
  const [from, setFrom] = useState<string>(
    search.by === 'date' ? search.from : search.by === 'day' ? search.on : startOn,
  );
  const [id, setId] = useState(search.by === 'id' ? String(search.id) : '');
  const [missing, setMissing] = useState<string | null>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = searchOf(by, from, id);
    setMissing(typeof next === 'string' ? missingTexts[next] : null);
    if (typeof next !== 'string') onSearch(next);
  };
  return (
    <form
      className={styles.search}
      onSubmit={submit}
      noValidate
      role="search"
      aria-label={`Search ${kinds[kind].label.toLowerCase()}s`}
    >
      <Radio.Group
        label="Search option"
        value={by}
        onChange={(value) => {
          setBy(options.find((one) => one === value) ?? 'settings');
          setMissing(null);
        }}
      >
        <Group gap="md" mih="var(--tb-control)">
          <Radio value="settings" label="Use my settings" />
          <Radio value="date" label={kind === 'expense_report' ? 'By submit date' : 'By create date'} />
          {by === 'day' && <Radio value="day" label="By invoice date" />}
          <Radio value="id" label={`By ${kinds[kind].label.toLowerCase()} ID`} />
        </Group>
      </Radio.Group>
      <Group gap={12} align="flex-end" mih={58}>
        {(by === 'date' || by === 'day') && (
          <TextInput
            type="date"
            label={
              by === 'day' ? 'Dated on' : kind === 'expense_report' ? 'Submitted on or after' : 'Created on or after'
            }
            value={from}
            error={missing}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
        )}
        {by === 'id' && (
          <TextInput
            type="number"
            min={1}
            step={1}
            label={`${psa.label} ${kinds[kind].label.toLowerCase()} ID`}
            value={id}
            error={missing}
            data-search
            onChange={(event) => setId(event.currentTarget.value)}
          />
        )}
        <Button type="submit" variant="default" leftSection={<Icon name="search" size={16} />} loading={isBusy}>
          Search
        </Button>
        {error !== null && (
          <Box component="p" py={8} c="red" maw="60ch" role="alert">
            {error}
          </Box>
        )}
      </Group>
    </form>
  );
}
