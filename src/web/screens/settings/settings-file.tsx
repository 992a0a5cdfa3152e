import { Button, Group } from '@mantine/core';
import { useRef } from 'react';
import { clearErrors, showError, showMessage } from '../../components/flash.ts';
import { saveFile } from '../../data/download.ts';
import { readSettingsFile, toSettingsFile } from './file.ts';
import { ownGroups, type SettingsConfigReply, type SettingValues } from './form.ts';
import { otherSettingHelp } from '../../data/help.ts';
import { SettingGroup } from './setting-group.tsx';

const jsonOf = (values: SettingValues): Blob => new Blob([toSettingsFile(values)], { type: 'application/json' });

/** Much larger than a file with all settings. */
const maxBytes = 100_000;

interface SettingsFileProps {
  saved: SettingValues;
  config: SettingsConfigReply;
  isReadOnly: boolean;
  onRead: (values: SettingValues) => void;
}

/** Saves settings to a file, and fills the form from a file. The user still has to save the form. */
export function SettingsFile({ saved, config, isReadOnly, onRead }: SettingsFileProps) {
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File) => {
    clearErrors();
    if (file.size > maxBytes) return showError('This file is too large.');
    // A file that cannot be read gives the same error as invalid JSON.
    const found = readSettingsFile(await file.text().catch(() => ''), config);
    if ('error' in found) return showError(found.error);
    onRead(found.values);
    return showMessage('The form shows the settings from the file. Nothing is saved yet.');
  };
  return (
    <SettingGroup anchor={ownGroups.advanced.id} title={ownGroups.advanced.title} help={otherSettingHelp.file}>
      <Group gap="sm" align="flex-end">
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
      </Group>
    </SettingGroup>
  );
}
