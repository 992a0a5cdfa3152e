import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatDate } from '../../data/format.ts';
import type { LogsFilter } from '../../data/screen-queries.ts';
import { type FilterChip, FilterChips } from '../../components/filter-chips.tsx';
import { Icon } from '../../components/icons.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { countFilters, filterNames } from './filters.ts';
import styles from './logs.module.css';

const filterOptions = {
  type: [
    { value: '', label: 'Any' },
    { value: 'difference', label: 'Differences' },
    { value: 'expense_report', label: 'Expense reports' },
    { value: 'invoice', label: 'Invoices' },
    { value: 'payment', label: 'Payments' },
    { value: 'purchase_order', label: 'Purchase orders' },
    { value: 'void', label: 'Voids' },
  ],
  mode: [
    { value: '', label: 'Any' },
    { value: 'test', label: 'Test' },
    { value: 'live', label: 'Live' },
  ],
  manual: [
    { value: '', label: 'Any' },
    { value: 'true', label: 'Manual' },
    { value: 'false', label: 'Automatic' },
  ],
  success: [
    { value: '', label: 'Any' },
    { value: 'true', label: 'Yes' },
    { value: 'false', label: 'No' },
  ],
};

const labels = {
  type: 'Transaction Type',
  mode: 'Test/Live',
  manual: 'Manually Synced?',
  success: 'Success?',
  after: 'Synced After',
  before: 'Synced Before',
} as const;

/** The filters above the log. Changes update the address: typing after a pause, all others at once. */
export function FilterRow({
  query,
  filter,
  onChange,
  onClear,
}: {
  query: URLSearchParams;
  /** The valid filters in the address. */
  filter: LogsFilter;
  onChange: (name: string, value: string) => void;
  onClear: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const count = countFilters(query);
  const select = (name: keyof typeof filterOptions) => (
    <NativeSelect
      label={labels[name]}
      data={filterOptions[name]}
      value={query.get(name) ?? ''}
      data-set={query.has(name)}
      onChange={(event) => onChange(name, event.currentTarget.value)}
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
    const option = filterOptions[name].find((one) => one.value === String(value));
    return [{ name, label: `${labels[name]} ${option?.label ?? ''}` }];
  });
