import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { countFilters, type FilterName } from './filters.ts';
import styles from './logs.module.css';
import { filterOptions, filterWords } from './words.ts';

/** The filters above the log; each change goes to the address at once, typing after a pause. */
export function FilterRow({
  query,
  onChange,
  onClear,
}: {
  query: URLSearchParams;
  onChange: (name: FilterName, value: string) => void;
  onClear: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const count = countFilters(query);
  const select = (name: keyof typeof filterOptions, label: string) => (
    <NativeSelect
      label={label}
      data={filterOptions[name]}
      value={query.get(name) ?? ''}
      data-set={query.has(name)}
      onChange={(event) => onChange(name, event.currentTarget.value)}
      rightSection={<Icon name="down" size={14} />}
    />
  );
  const date = (name: 'after' | 'before', label: string) => (
    <TextInput
      type="date"
      label={label}
      value={query.get(name) ?? ''}
      data-set={query.has(name)}
      onChange={(event) => onChange(name, event.currentTarget.value)}
    />
  );
  return (
    <search className={styles.filters} aria-label={filterWords.name}>
      <SearchField
        className={styles.search ?? ''}
        placeholder={filterWords.search}
        value={query.get('q') ?? ''}
        onChange={(text) => onChange('q', text)}
      />
      <Button
        className={styles.toggle ?? ''}
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        leftSection={<Icon name="settings" size={16} />}
      >
        {filterWords.toggle(count)}
      </Button>
      <div className={styles.choices} data-open={isOpen}>
        {select('type', filterWords.type)}
        {select('mode', filterWords.mode)}
        {select('manual', filterWords.manual)}
        {select('success', filterWords.success)}
        {date('after', filterWords.after)}
        {date('before', filterWords.before)}
      </div>
      <Button
        variant="subtle"
        color="gray"
        className={styles.clear ?? ''}
        disabled={count === 0 && !query.has('q')}
        onClick={onClear}
      >
        {filterWords.clear}
      </Button>
    </search>
  );
}
