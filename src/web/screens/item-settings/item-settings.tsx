import { Box, Button, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { resetItemSettings, saveItemSettings } from '#contract/calls/settings.ts';
import { itemSettingKeys, type ItemSettingKey } from '#core/settings/item-settings.ts';
import { CallError } from '../../data/call.ts';
import { useEnvironment } from '../../data/environment.ts';
import { savedMs, showError, showMessage } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { itemSettingsConfigQuery, itemSettingsQuery } from '../../data/setup-queries.ts';
import { takeUnsavedInput, useUnsavedInput } from '../../components/unsaved-input.tsx';
import { Columns, FailedPanel, Page, Panel, PanelFoot } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { RestoreButton, SettingsNotices, useSettingsAccess } from '../../components/settings-notices.tsx';

type Values = Readonly<Partial<Record<ItemSettingKey, string>>>;

/** Sets how QuickBooks items are named for lines without a mapping, for each kind of billing item. */
export function Component() {
  const { psa } = useEnvironment();
  const saved = useQuery(itemSettingsQuery());
  const config = useQuery(itemSettingsConfigQuery());
  const { isReadOnly } = useSettingsAccess();
  const form = useItemSettings(saved.data);
  const { changed, errors, isBusy } = form;
  const { dialog } = useUnsavedInput('item-settings', changed.length > 0 ? form.edited : null);

  return (
    <Page
      title="Item Settings"
      lead={`How QuickBooks items are named for ${psa.label} billing codes without a mapping. Changes apply to later syncs.`}
      actions={
        <RestoreButton
          count={itemSettingKeys.filter((key) => config.data?.[key]?.default !== saved.data?.[key]).length}
          onConfirm={form.restore}
          busy={form.isResetting}
          disabled={isReadOnly || isBusy}
        />
      }
    >
      {dialog}
      <SettingsNotices form={{ isRecovered: form.isRecovered, isBusy, before: form.before, undo: form.undo }} />
      {saved.isLoadingError || config.isLoadingError ? (
        <FailedPanel what="The item settings" of={[saved, config]} />
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            form.submit();
          }}
        >
          <Panel title="Naming conventions" flush>
            <Box p="md">
              <Columns min={340}>
                {itemSettingKeys.map((key) => {
                  const entry = config.data?.[key];
                  if (entry === undefined || saved.data === undefined)
                    return (
                      <Stack key={key} gap="sm" mih={96}>
                        <Skeleton width={120} />
                        <Skeleton width="min(300px, 100%)" height={34} />
                      </Stack>
                    );
                  return (
                    <Stack key={key} gap="sm" mih={96}>
                      <Select
                        id={`item-setting-${key}`}
                        label={entry.label}
                        description={entry.help}
                        error={errors[key] ?? null}
                        data={entry.options.map(({ value, text }) => ({ value, label: text }))}
                        value={form.edited[key] ?? saved.data[key]}
                        disabled={isReadOnly || isBusy}
                        onChange={(value) => value !== null && form.choose(key, value)}
                      />
                    </Stack>
                  );
                })}
              </Columns>
            </Box>
            <PanelFoot>
              <Button variant="default" disabled={changed.length === 0 || isBusy} onClick={form.discard}>
                Discard
              </Button>
              <Button type="submit" loading={form.isSaving} disabled={changed.length === 0 || isReadOnly}>
                Save
              </Button>
            </PanelFoot>
          </Panel>
        </form>
      )}
    </Page>
  );
}

/** State of the form: the changed values, errors by key, and the calls. */
function useItemSettings(saved: Readonly<Record<ItemSettingKey, string>> | undefined) {
  const [recovered] = useState(() => takeUnsavedInput('item-settings') as Values | null);
  const [edited, setEdited] = useState<Values>(recovered ?? {});
  /** Values before the last Restore Defaults; null while there is nothing to undo. */
  const [before, setBefore] = useState<Values | null>(null);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const discard = () => {
    setEdited({});
    setErrors({});
  };
  const choose = (key: ItemSettingKey, value: string) => {
    setEdited((before) => ({ ...before, [key]: value }));
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => name !== key)));
  };
  const settled = (message: string) => () => {
    discard();
    showMessage(message, savedMs);
  };
  const onError = (error: Error) => {
    const fields = error instanceof CallError ? error.fields : {};
    setErrors(fields);
    showError(error.message);
    const first = itemSettingKeys.find((key) => fields[key] !== undefined);
    if (first !== undefined) document.getElementById(`item-setting-${first}`)?.focus();
  };
  const changes = ['settings', 'subscription'] as const;
  const save = useAction(saveItemSettings, { onSuccess: settled('Saved changes.'), onError, changes });
  const reset = useAction(resetItemSettings, {
    onSuccess: ({ item_settings: defaults }) => {
      setBefore(saved === undefined ? null : differing(saved, defaults));
      settled('Item Settings reset to defaults.')();
    },
    onError,
    changes,
  });
  const undo = useAction(saveItemSettings, {
    onSuccess: () => {
      setBefore(null);
      settled('Your settings are back.')();
    },
    onError,
    changes,
  });
  const isBusy = save.isPending || reset.isPending || undo.isPending;
  const changed = Object.entries(edited).filter(([key, value]) => saved?.[key as ItemSettingKey] !== value);
  return {
    edited,
    changed,
    errors,
    before,
    isRecovered: recovered !== null && changed.length > 0,
    isBusy,
    isSaving: save.isPending,
    isResetting: reset.isPending,
    choose,
    discard,
    submit: () => {
      showMessage('Saving item_settings...');
      save.mutate({ body: Object.fromEntries(changed) });
    },
    restore: () => reset.mutate({}),
    undo: () => undo.mutate({ body: Object.fromEntries(Object.entries(before ?? {})) }),
  };
}

/** Returns the saved values that differ from the defaults. */
const differing = (saved: Values, defaults: Values): Values =>
  Object.fromEntries(Object.entries(saved).filter(([key, value]) => defaults[key as ItemSettingKey] !== value));
