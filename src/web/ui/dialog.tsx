import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import styles from './dialog.module.css';
import { Modal } from './modal.tsx';

/**
 * The inside of a dialog that asks for something: its fields, why it was refused, and its two buttons.
 *
 * @param error what the server said of the last try; null when there is nothing to say.
 */
export function DialogForm({
  children,
  error = null,
  progress = null,
  submitLabel,
  cancelLabel = 'Cancel',
  isDanger = false,
  isConfirm = isDanger,
  isDisabled = false,
  isBusy,
  onSubmit,
  onCancel,
}: {
  children: ReactNode;
  error?: string | null;
  /** How far something long has come. */
  progress?: string | null;
  submitLabel: string;
  cancelLabel?: string;
  isDanger?: boolean;
  /** The dialog only confirms an action, without fields: the Cancel button has the focus when it opens. */
  isConfirm?: boolean;
  /** There is nothing to submit yet. */
  isDisabled?: boolean;
  isBusy: boolean;
  onSubmit: () => void;
  onCancel: () => void;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate aria-busy={isBusy}>
      {children}
      {error !== null && (
        <Notice tone="bad" role="alert">
          {error}
        </Notice>
      )}
      {progress !== null && <p role="status">{progress}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onCancel} data-autofocus={isConfirm || undefined}>
          {cancelLabel}
        </Button>
        <Button type="submit" color={isDanger ? 'red' : 'accent'} loading={isBusy} disabled={isDisabled}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

/** A question before something ends. */
export interface Question {
  readonly title: string;
  /** The consequence, in a sentence. */
  readonly text: string;
  /** The verb, e.g. “Deactivate”. */
  readonly confirmLabel: string;
}

/**
 * Asks before something ends, where a button that is clicked twice has no room to say what will happen.
 *
 * @param question null keeps the dialog closed.
 */
export function ConfirmDialog({
  question,
  error,
  isBusy,
  onConfirm,
  onClose,
}: {
  question: Question | null;
  error: string | null;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  // While the dialog closes it still shows what it was about.
  const [shown, setShown] = useState<Question>({ title: '', text: '', confirmLabel: '' });
  if (question !== null && question !== shown) setShown(question);
  return (
    <Modal opened={question !== null} onClose={onClose} title={shown.title} size={440}>
      <DialogForm
        error={error}
        submitLabel={shown.confirmLabel}
        isDanger
        isBusy={isBusy}
        onSubmit={onConfirm}
        onCancel={onClose}
      >
        <p>{shown.text}</p>
      </DialogForm>
    </Modal>
  );
}
