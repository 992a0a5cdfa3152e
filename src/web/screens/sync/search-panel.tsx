import { Radio, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { SubmittableKind } from '#core/kinds.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type Search, searchOf } from './search.ts';
import styles from './sync-screen.module.css';
import { searchWords } from './words.ts';

/**
 * The form of a search: by the settings, by date, or one id.
 *
 * @param search the active one, to begin with.
 * @param startOn the day that a search by date begins with.
 * @param error why the last search failed; null when it did not.
 */
export function SearchPanel({
  kind,
  search,
  startOn,
  isBusy,
  error,
  onSearch,
}: {
  kind: SubmittableKind;
  search: Search;
  startOn: string;
  isBusy: boolean;
  error: string | null;
  onSearch: (search: Search) => void;
}) {
  const { psa } = useEnvironment();
  const [by, setBy] = useState<Search['by']>(search.by);
  const [from, setFrom] = useState<string>(search.by === 'date' ? search.from : startOn);
  const [id, setId] = useState(search.by === 'id' ? String(search.id) : '');
  const [missing, setMissing] = useState<string | null>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = searchOf(by, from, id);
    setMissing(typeof next === 'string' ? searchWords[next] : null);
    if (typeof next !== 'string') onSearch(next);
  };
  return (
    <form className={styles.search} onSubmit={submit} noValidate role="search" aria-label={searchWords.name(kind)}>
      <Radio.Group
        label={searchWords.option}
        value={by}
        onChange={(value) => {
          setBy(value === 'date' || value === 'id' ? value : 'settings');
          setMissing(null);
        }}
      >
        <div className={styles.options}>
          <Radio value="settings" label={searchWords.bySettings} />
          <Radio value="date" label={searchWords.byDate(kind)} />
          <Radio value="id" label={searchWords.byId(kind)} />
        </div>
      </Radio.Group>
      <div className={styles.fields}>
        {by === 'date' && (
          <TextInput
            type="date"
            label={searchWords.from(kind)}
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
            label={searchWords.id(kind, psa.label)}
            value={id}
            error={missing}
            data-search
            onChange={(event) => setId(event.currentTarget.value)}
          />
        )}
        <Button type="submit" variant="default" leftSection={<Icon name="search" size={16} />} loading={isBusy}>
          {searchWords.search}
        </Button>
        {error !== null && (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
      </div>
    </form>
  );
}
