import { Button, Select, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveSettings } from '#contract/calls/settings.ts';
import type { SettingKey } from '#core/settings/definitions.ts';
import { FailedLine } from '../../components/states.tsx';
import { showSuccess } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { settingsConfigQuery } from '../../data/setup-queries.ts';

/** Saves an account for a setting; offers only accounts that the setting accepts. */
export function AccountChooser({
  settingKey,
  variant,
  onSaved,
}: {
  settingKey: SettingKey;
  variant: 'filled' | 'default';
  onSaved: () => void;
}) {
  const settings = useQuery(settingsConfigQuery());
  const config = settings.data?.[settingKey];
  const [value, setValue] = useState<string | null>(null);
  const save = useAction(saveSettings, {
    changes: ['attention', 'settings', 'subscription'],
    onSuccess: () => {
      onSaved();
      showSuccess('Saved changes.', 3_000);
    },
  });
  if (settings.isLoadingError) return <FailedLine what="The accounts" of={settings} />;
  return (
    <Group
      component="form"
      gap="sm"
      wrap="nowrap"
      align="flex-end"
      w="min(100%, 420px)"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== null)
          save.mutate({ body: { [settingKey]: value, was: { [settingKey]: config?.chosen?.value ?? null } } });
      }}
    >
      <Select
        flex={1}
        label={config?.label ?? 'Account'}
        placeholder="Choose an account"
        searchable
        data={(config?.options ?? []).map((one) => ({ value: one.value, label: one.text }))}
        value={value}
        onChange={setValue}
        nothingFoundMessage={settings.isPending ? 'Loading…' : 'Nothing found.'}
      />
      <Button type="submit" variant={variant} disabled={value === null} loading={save.isPending}>
        Save
      </Button>
    </Group>
  );
}
