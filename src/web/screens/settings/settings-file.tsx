import { Button } from '@mantine/core';
import { useRef } from 'react';
import { showError, showMessage } from '../../lib/flash.ts';
import { saveFile } from '../../lib/download.ts';
import type { SettingValues } from './form.ts';
import { SettingGroup } from './setting-group.tsx';
import styles from './settings.module.css';

const jsonOf = (values: SettingValues): Blob =>
  new Blob([`${JSON.stringify(values, null, 2)}\n`], { type: 'application/json' });

/** Far more than all settings can take. */
const mostBytes = 100_000;

/**
 * Settings as a file: to keep, to compare, to take to another company. A file that is read only fills the form; saving
 * it checks it as if it had been typed.
 */
export function SettingsFile({
  saved,
  isReadOnly,
  onRead,
}: {
  saved: SettingValues;
  isReadOnly: boolean;
  onRead: (values: SettingValues) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File) => {
    if (file.size > mostBytes) return showError('This file is too large to hold settings.');
    try {
      const found: unknown = JSON.parse(await file.text());
      const entries = typeof found === 'object' && found !== null ? Object.entries(found) : [];
      const unknown = entries.filter(([key]) => !(key in saved)).map(([key]) => key);
      if (entries.length === 0) return showError('This file holds no settings.');
      if (unknown.length > 0)
        return showError(`This file names what is no setting: ${unknown.slice(0, 3).join(', ')}.`);
      onRead(Object.fromEntries(entries));
      return showMessage('The form shows what the file says. Nothing is saved yet.');
    } catch {
      return showError('This file cannot be read as JSON.');
    }
  };
  return (
    <SettingGroup title="Settings as a file">
      <div className={styles.row}>
        <Button variant="default" onClick={() => saveFile(jsonOf(saved), 'tallybridge-settings.json')}>
          Save as JSON
        </Button>
        <Button variant="default" disabled={isReadOnly} onClick={() => input.current?.click()}>
          Fill the form from a file
        </Button>
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label="Settings file"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            currentTarget.value = '';
            if (file !== undefined) void read(file);
          }}
        />
      </div>
    </SettingGroup>
  );
}
