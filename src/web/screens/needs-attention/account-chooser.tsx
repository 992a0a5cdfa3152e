import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveSettings } from '#contract/settings.ts';
import type { SettingKey } from '#core/settings/definitions.ts';
import { showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { settingsConfigQuery } from '../../lib/screen-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import styles from './needs-attention.module.css';
import { mendingWords } from './words.ts';

/** Chooses the account that a setting names, among those that fit it. */
export function AccountChooser({ settingKey, onSaved }: { settingKey: SettingKey; onSaved: () => void }) {
  const config = useQuery(settingsConfigQuery()).data?.[settingKey];
  const [value, setValue] = useState<string | null>(null);
  const save = useAction(saveSettings, {
    changes: ['attention', 'subscription'],
    onSuccess: () => {
      onSaved();
      showMessage(mendingWords.saved, 3_000);
    },
  });
  return (
    <form
      className={styles.chooser}
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== null) save.mutate({ body: { [settingKey]: value } });
      }}
    >
      <Select
        label={config?.label ?? mendingWords.account}
        placeholder={mendingWords.chooseAccount}
        searchable
        data={(config?.options ?? []).map((one) => ({ value: one.value, label: one.text }))}
        value={value}
        onChange={setValue}
        nothingFoundMessage={mendingWords.nothingFound}
        rightSection={<Icon name="down" size={14} />}
      />
      <Button type="submit" variant="default" disabled={value === null} loading={save.isPending}>
        {mendingWords.save}
      </Button>
    </form>
  );
}
