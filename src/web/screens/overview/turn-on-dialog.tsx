import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { saveSettings } from '#contract/calls/settings.ts';
import type { SettingKey } from '#core/settings/definitions.ts';
import { showSuccess } from '../../components/flash.ts';
import { subscriptionQuery, useAction } from '../../data/queries.ts';
import { settingsPreviewQuery } from '../../data/screen-queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Skeleton } from '../../components/states.tsx';
import { Modal } from '../../components/modal.tsx';

/** An automatic sync that is off: its setting, and the name of its documents within a sentence. */
export interface OffSwitch {
  readonly key: SettingKey;
  readonly what: string;
}

/** Confirms turning on an automatic sync; shows what happens to the waiting documents. */
export function TurnOnDialog({ sync, onClose }: { sync: OffSwitch | null; onClose: () => void }) {
  const changes = sync === null ? {} : { [sync.key]: true };
  const seen = useQuery(subscriptionQuery()).data?.settings;
  // What the sync will post depends on these settings too.
  const was =
    sync === null || seen === undefined
      ? {}
      : { [sync.key]: false, sync_start_date: seen.sync_start_date, require_approval: seen.require_approval };
  const preview = useQuery({ ...settingsPreviewQuery(changes), enabled: sync !== null });
  const save = useAction(saveSettings, {
    changes: ['subscription', 'settings'],
    onSuccess: () => {
      onClose();
      showSuccess('Saved changes.', 3_000);
    },
    onError: () => undefined,
  });
  const errors = preview.data?.errors.map(({ error }) => error) ?? [];
  return (
    <Modal
      opened={sync !== null}
      onClose={onClose}
      onExitTransitionEnd={() => save.reset()}
      title={`Turn on automatic sync of ${sync?.what ?? 'documents'}`}
      size={520}
    >
      <DialogForm
        isConfirm
        submitLabel="Turn on"
        error={save.error?.message ?? (errors.length > 0 ? errors.join(' ') : null)}
        isDisabled={preview.isPending || errors.length > 0}
        isBusy={save.isPending}
        onSubmit={() => save.mutate({ body: { ...changes, was } })}
        onCancel={onClose}
      >
        <Stack gap={12} aria-live="polite" aria-busy={preview.isPending}>
          {preview.isPending ? (
            <Skeleton width="100%" height={40} />
          ) : (
            (preview.data?.effects ?? []).map((text) => <p key={text}>{text}</p>)
          )}
          <p>The start date in Settings excludes older documents. You can turn the sync off again in Settings.</p>
        </Stack>
      </DialogForm>
    </Modal>
  );
}
