import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../components/icons.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { countFilters, type FilterName } from './filters.ts';
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

/** The filters above the log. Changes update the address: typing after a pause, all others at once. */
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
    <search className={styles.filters} aria-label="Filter the log">
      <SearchField
        className={styles.search ?? ''}
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
        {select('type', 'Transaction Type')}
        {select('mode', 'Test/Live')}
        {select('manual', 'Manually Synced?')}
        {select('success', 'Success?')}
        {date('after', 'Synced After')}
        {date('before', 'Synced Before')}
      </div>
      <Button
        variant="subtle"
        color="gray"
        className={styles.clear ?? ''}
        disabled={count === 0 && !query.has('q')}
        onClick={onClear}
      >
        Clear
      </Button>
    </search>
  );
}
