import { NativeSelect } from '@mantine/core';

interface FilterSelectProps {
  label: string;
  labels: Readonly<Record<string, string>>;
  value: string | undefined;
  onChange: (value: string) => void;
}

/** A filter of a list with one choice. @param labels the choices and their names; without a choice, the list shows any */
export const FilterSelect = ({ label, labels, value, onChange }: FilterSelectProps) => (
  <NativeSelect
    label={label}
    data={[{ value: '', label: 'Any' }, ...Object.entries(labels).map(([key, name]) => ({ value: key, label: name }))]}
    value={value ?? ''}
    data-set={value !== undefined}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
