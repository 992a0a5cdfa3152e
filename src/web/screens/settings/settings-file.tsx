import { useRef } from 'react';
import { showError, showMessage } from '../../lib/flash.ts';
import { saveFile } from '../../lib/download.ts';
import { readSettingsFile, toSettingsFile } from './file.ts';
import type { SettingsConfigReply, SettingValues } from './form.ts';
import { SettingGroup } from './setting-group.tsx';
import { fileWords, settingLabels } from './words.ts';
import styles from './settings.module.css';
import { Button } from '../../ui/button.tsx';

const jsonOf = (values: SettingValues): Blob => new Blob([toSettingsFile(values)], { type: 'application/json' });

/** Far more than all settings can take. */
const mostBytes = 100_000;

/**
 * Settings as a file: to keep, to compare, to take to another company. A file that is read only fills the form; saving
 * it checks it as if it had been typed.
 */
export function SettingsFile({
  saved,
  config,
  isReadOnly,
  onRead,
}: {
  saved: SettingValues;
  config: SettingsConfigReply;
  isReadOnly: boolean;
  onRead: (values: SettingValues) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File) => {
    if (file.size > mostBytes) return showError(fileWords.tooLarge);
    // A file that is gone by now is as good as one that is no JSON.
    const found = readSettingsFile(await file.text().catch(() => ''), config);
    if ('error' in found) return showError(found.error);
    onRead(found.values);
    return showMessage(fileWords.read);
  };
  return (
    <SettingGroup title={fileWords.title}>
      <div className={styles.row}>
        <Button variant="default" onClick={() => saveFile(jsonOf(saved), 'tallybridge-settings.json')}>
          {fileWords.out}
        </Button>
        <Button variant="default" disabled={isReadOnly} onClick={() => input.current?.click()}>
          {fileWords.in}
        </Button>
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label={settingLabels.settingsFile}
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
