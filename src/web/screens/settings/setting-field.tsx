import { Checkbox, Select, type SelectProps, Text, TextInput } from '@mantine/core';
import { never } from '#core/values/assert.ts';
import { Icon } from '../../components/icons.tsx';
import { selectText } from '../../components/select-text.ts';
import { boundsText, type Field, type SettingValue } from './form.ts';
import styles from './settings.module.css';

/** The field of one setting, rendered from its entry in the settings config. */
export function SettingField({
  field: { key, config, isRequired },
  value,
  error,
  isReadOnly,
  onChange,
}: {
  field: Field;
  value: SettingValue;
  error: string | undefined;
  isReadOnly: boolean;
  onChange: (value: SettingValue) => void;
}) {
  const common = entryOf(config, key, error, isReadOnly);
  const entry = { ...common, withAsterisk: isRequired, 'aria-required': isRequired };
  switch (config.type) {
    case 'boolean':
      return (
        <Checkbox {...common} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      );
    case 'integer':
      return (
        <TextInput
          {...entry}
          type="number"
          classNames={{ wrapper: styles.short ?? '' }}
          inputMode="numeric"
          step={1}
          min={config.min}
          max={config.max}
          {...unitOf(config)}
          value={typeof value === 'number' ? String(value) : ''}
          onChange={({ currentTarget: { value: text } }) => onChange(text.trim() === '' ? null : Number(text))}
        />
      );
    case 'amount':
      return (
        <TextInput
          {...entry}
          classNames={{ wrapper: styles.short ?? '' }}
          inputMode="decimal"
          {...unitOf(config)}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'choice':
    case 'account':
      return <ChoiceField config={config} isRequired={isRequired} entry={entry} value={value} onChange={onChange} />;
    case 'date':
      return (
        <TextInput
          {...entry}
          type="date"
          classNames={{ wrapper: styles.short ?? '' }}
          value={textOf(value)}
          onChange={({ currentTarget: { value: day } }) => onChange(day === '' ? null : day)}
        />
      );
    case 'list':
      return (
        <TextInput
          {...entry}
          placeholder="anna@example.com, billing@example.com"
          value={Array.isArray(value) ? value.join(', ') : ''}
          onChange={(event) => onChange(event.currentTarget.value.split(',').map((one) => one.trimStart()))}
        />
      );
    default:
      return never(config.type);
  }
}

function entryOf(config: Field['config'], key: string, error: string | undefined, isReadOnly: boolean) {
  const bounds = boundsText(config);
  return {
    id: `setting-${key}`,
    label: config.label,
    description: bounds === null ? config.help : `${config.help} ${bounds}`,
    error: error ?? null,
    disabled: isReadOnly,
  };
}

const unitOf = ({ unit }: Field['config']) =>
  ({
    rightSection: (
      <Text span c="dimmed" size="sm">
        {unit}
      </Text>
    ),
    rightSectionWidth: 52,
    rightSectionPointerEvents: 'none',
  }) as const;

interface ChoiceFieldProps {
  config: Field['config'];
  isRequired: boolean;
  entry: SelectProps;
  value: SettingValue;
  onChange: (value: SettingValue) => void;
}

function ChoiceField({ config, isRequired, entry, value, onChange }: ChoiceFieldProps) {
  const isAccount = config.type === 'account';
  return (
    <Select
      {...entry}
      data={optionsOf(config, value)}
      value={typeof value === 'string' ? value : null}
      onChange={(chosen) => onChange(chosen)}
      searchable={isAccount}
      // An open list covers the error of a field that gets the focus after a rejected save.
      openOnFocus={false}
      {...(isAccount && { onClick: selectText })}
      clearable={isAccount && !isRequired}
      clearButtonProps={{ 'aria-label': `Clear ${config.label}` }}
      placeholder={isAccount ? 'Choose an account' : 'Choose'}
      nothingFoundMessage="No matches."
      rightSection={isAccount ? undefined : <Icon name="down" size={14} />}
      comboboxProps={{ withinPortal: true }}
    />
  );
}

const textOf = (value: SettingValue): string => (typeof value === 'string' ? value : '');

/** Returns the options of a field. The saved option is included, disabled, even if it is no longer offered. */
function optionsOf({ options = [], chosen }: Field['config'], value: SettingValue) {
  const data = options.map(({ value: id, text }) => ({ value: id, label: text }));
  const isGone = typeof value === 'string' && data.every((one) => one.value !== value);
  return isGone ? [...data, { value, label: chosen?.value === value ? chosen.text : value, disabled: true }] : data;
}
