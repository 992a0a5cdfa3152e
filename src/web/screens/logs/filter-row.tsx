import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatDate } from '../../data/format.ts';
import type { LogsFilter } from '../../data/screen-queries.ts';
import { type FilterChip, FilterChips } from '../../components/filter-chips.tsx';
import { Icon } from '../../components/icons.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { countFilters, filterNames } from './filters.ts';
import styles from './logs.module.css';

const filterOptions = {
  type: {
    difference: 'Differences',
    expense_report: 'Expense reports',
    invoice: 'Invoices',
    payment: 'Payments',
    purchase_order: 'Purchase orders',
    void: 'Voids',
  },
  mode: { test: 'Test', live: 'Live' },
  manual: { true: 'Manual', false: 'Automatic' },
  success: { true: 'Yes', false: 'No' },
} as const;

const labels = {
  type: 'Transaction Type',
  mode: 'Test/Live',
  manual: 'Manually Synced?',
  success: 'Success?',
  after: 'Synced After',
  before: 'Synced Before',
} as const;

interface FilterRowProps {
  query: URLSearchParams;
  /** The valid filters in the address. */
  filter: LogsFilter;
  onChange: (name: string, value: string) => void;
  onClear: () => void;
}

/** The filters above the log. Changes update the address: typing after a pause, all others at once. */
export function FilterRow({ query, filter, onChange, onClear }: FilterRowProps) {
  const [isOpen, setOpen] = useState(false);
  const count = countFilters(query);
  const select = (name: keyof typeof filterOptions) => (
    <FilterSelect
      label={labels[name]}
      labels={filterOptions[name]}
      value={query.get(name) ?? undefined}
      onChange={(value) => onChange(name, value)}
    />
  );
  const date = (name: 'after' | 'before') => (
    <TextInput
      type="date"
      label={labels[name]}
      value={query.get(name) ?? ''}
      data-set={query.has(name)}
      onChange={(event) => onChange(name, event.currentTarget.value)}
    />
  );
  return (
    <search className={styles.filters} aria-label="Filter the log">
      <SearchField
        placeholder="Number, name or amount"
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
        {`Filters${count > 0 ? ` (${count})` : ''}`}
      </Button>
      <div className={styles.choices} data-open={isOpen}>
        {select('type')}
        {select('mode')}
        {select('manual')}
        {select('success')}
        {date('after')}
        {date('before')}
      </div>
      <FilterChips chips={chipsOf(filter)} onRemove={(name) => onChange(name, '')} onClear={onClear} />
    </search>
  );
}

const chipsOf = (filter: LogsFilter) =>
  filterNames.flatMap((name): FilterChip[] => {
    const value = filter[name];
    if (value === undefined || name === 'q') return [];
    if (name === 'after' || name === 'before') return [{ name, label: `${labels[name]} ${formatDate(String(value))}` }];
    const options: Readonly<Record<string, string>> = filterOptions[name];
    return [{ name, label: `${labels[name]} ${options[String(value)] ?? ''}` }];
  });
