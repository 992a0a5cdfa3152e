import { useQuery } from '@tanstack/react-query';
import { saveSettings } from '#contract/settings.ts';
import type { SettingKey } from '#core/settings/definitions.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { settingsPreviewQuery } from '../../lib/screen-queries.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Modal } from '../../ui/modal.tsx';
import styles from './overview.module.css';
import { switchWords } from './words.ts';

/** An automatic sync that is off: its setting, and its documents as a sentence names them. */
export interface OffSwitch {
  readonly key: SettingKey;
  readonly what: string;
}

/** Says what turning on an automatic sync would do with the documents that wait, and asks for it. */
export function TurnOnDialog({ asked, onClose }: { asked: OffSwitch | null; onClose: () => void }) {
  const { accounting } = useEnvironment();
  const changes = asked === null ? {} : { [asked.key]: true };
  const preview = useQuery({ ...settingsPreviewQuery(changes), enabled: asked !== null });
  const save = useAction(saveSettings, {
    changes: ['subscription', 'settings'],
    onSuccess: () => {
      onClose();
      showMessage(switchWords.saved, 3_000);
    },
    onError: () => undefined,
  });
  const errors = preview.data?.errors.map(({ error }) => error) ?? [];
  return (
    <Modal
      opened={asked !== null}
      onClose={onClose}
      onExitTransitionEnd={() => save.reset()}
      title={switchWords.turnOnSync(asked?.what ?? 'documents')}
      size={520}
    >
      <DialogForm
        isConfirm
        submitLabel={switchWords.turnOn}
        error={save.error?.message ?? (errors.length > 0 ? errors.join(' ') : null)}
        isDisabled={preview.isPending || errors.length > 0}
        isBusy={save.isPending}
        onSubmit={() => save.mutate({ body: changes })}
        onCancel={onClose}
      >
        <div className={styles.turnOn} aria-live="polite" aria-busy={preview.isPending}>
          {preview.isPending ? (
            <Skeleton width="100%" height={40} />
          ) : (
            (preview.data?.effects ?? []).map((text) => <p key={text}>{text}</p>)
          )}
          <p>{switchWords.left(accounting.short_label)}</p>
        </div>
      </DialogForm>
    </Modal>
  );
}
