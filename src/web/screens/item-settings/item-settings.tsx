import { Box, Button, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { resetItemSettings, saveItemSettings } from '#contract/calls/settings.ts';
import { itemSettingKeys, type ItemSettingKey } from '#core/settings/item-settings.ts';
import { CallError } from '../../data/call.ts';
import { useEnvironment } from '../../data/environment.ts';
import { savedMs, showError, showProgress, showSuccess } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { itemSettingsConfigQuery, itemSettingsQuery } from '../../data/setup-queries.ts';
import { ConflictChoice, conflictText } from '../../components/conflict-choice.tsx';
import { useEdits } from '../../components/use-edits.ts';
import { useFocus } from '../../components/use-focus.ts';
import { changesOf, type Edits, type FieldValues, toSend, undoOf } from '../../data/edits.ts';
import { takeUnsavedInput, useUnsavedInput } from '../../components/unsaved-input.tsx';
import { Columns, FailedPanel, Page, Panel, PanelFoot } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { RestoreButton, SettingsNotices, useSettingsAccess } from '../../components/settings-notices.tsx';

/** Sets how QuickBooks items are named for lines without a mapping, for each kind of billing item. */
export function Component() {
  const { psa } = useEnvironment();
  const saved = useQuery(itemSettingsQuery());
  const config = useQuery(itemSettingsConfigQuery());
  const { isReadOnly } = useSettingsAccess();
  const form = useItemSettings(saved.data);
  const { isBusy } = form;
  const isChanged = Object.keys(form.changes).length > 0;
  const { dialog } = useUnsavedInput('item-settings', isChanged ? form.edits : null);

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
                    <Field
                      key={key}
                      name={key}
                      entry={entry}
                      saved={saved.data[key]}
                      form={form}
                      isReadOnly={isReadOnly || isBusy}
                    />
                  );
                })}
              </Columns>
            </Box>
            <PanelFoot>
              <Button variant="default" disabled={!isChanged || isBusy} onClick={form.discard}>
                Discard
              </Button>
              <Button type="submit" loading={form.isSaving} disabled={!isChanged || isReadOnly}>
                Save
              </Button>
            </PanelFoot>
          </Panel>
        </form>
      )}
    </Page>
  );
}

interface FieldProps {
  name: ItemSettingKey;
  entry: { label: string; help: string; options: readonly { readonly value: string; readonly text: string }[] };
  saved: string;
  form: ReturnType<typeof useItemSettings>;
  isReadOnly: boolean;
}

/** The naming convention of one kind of billing item. */
function Field({ name, entry, saved, form, isReadOnly }: FieldProps) {
  const { draft, errors, conflicts, change } = form;
  const textOf = (value: unknown) => entry.options.find((one) => one.value === value)?.text ?? '';
  return (
    <Stack gap="sm" mih={96}>
      <Select
        id={`item-setting-${name}`}
        label={entry.label}
        description={entry.help}
        error={errors[name] ?? (conflicts.includes(name) ? conflictText(textOf(saved)) : null)}
        data={entry.options.map(({ value, text }) => ({ value, label: text }))}
        value={String(draft[name])}
        disabled={isReadOnly}
        // An open list covers the error of a field that gets the focus after a rejected save.
        openOnFocus={false}
        onChange={(value) => value !== null && change(name, value)}
      />
      <ConflictChoice
        name={name}
        form={form}
        saved={textOf(saved)}
        own={textOf(draft[name])}
        onChosen={() => form.focus(name)}
      />
    </Stack>
  );
}

/** State of the form: the edits, errors by key, and the calls. */
function useItemSettings(saved: Readonly<Record<ItemSettingKey, string>> | undefined) {
  const [recovered] = useState(() => takeUnsavedInput('item-settings') as Edits | null);
  const editing = useEdits(saved ?? {}, recovered);
  const focus = useFocus('item-setting');
  /** Values before and after the last Restore Defaults; null while there is nothing to undo. */
  const [before, setBefore] = useState<{ values: FieldValues; restored: FieldValues } | null>(null);
  const settled = (message: string, undoSave?: () => unknown) => {
    editing.discard();
    showSuccess(message, savedMs, undoSave);
  };
  const onError = (error: Error) => {
    const fields = error instanceof CallError ? error.fields : {};
    editing.reject(fields);
    showError(error.message);
    const first = itemSettingKeys.find((key) => fields[key] !== undefined);
    if (first !== undefined) focus(first);
  };
  const changes = ['settings', 'subscription'] as const;
  const reset = useAction(resetItemSettings, {
    onSuccess: ({ item_settings: defaults }) => {
      const values = changesOf(defaults, saved ?? {});
      setBefore({ values, restored: changesOf(saved ?? {}, defaults) });
      settled('Item Settings reset to defaults.');
    },
    onError,
    changes,
  });
  const undo = useAction(saveItemSettings, {
    onSuccess: () => {
      setBefore(null);
      settled('Your settings are back.');
    },
    onError,
    changes,
  });
  const save = useAction(saveItemSettings, {
    onSuccess: ({ item_settings: stored }, { body }) =>
      settled('Saved changes.', () => undo.mutate({ body: undoOf(body, stored) })),
    onError,
    changes,
  });
  return {
    ...editing,
    focus,
    errors: editing.rejected ?? {},
    before: before?.values ?? null,
    isRecovered: recovered !== null && Object.keys(editing.changes).length > 0,
    isBusy: save.isPending || reset.isPending || undo.isPending,
    isSaving: save.isPending,
    isResetting: reset.isPending,
    submit: () => {
      const [conflict] = editing.conflicts;
      if (conflict !== undefined) return focus(conflict);
      showProgress('Saving item_settings...');
      const sent = toSend(saved ?? {}, editing.edits);
      return save.mutate({ body: { ...sent.changes, was: sent.was } });
    },
    restore: () => reset.mutate({ body: { was: { ...saved } } }),
    undo: () => before !== null && undo.mutate({ body: { ...before.values, was: before.restored } }),
  };
}
