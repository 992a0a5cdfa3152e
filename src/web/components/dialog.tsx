import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Form, FormError } from './form.tsx';
import styles from './dialog.module.css';
import { Modal } from './modal.tsx';

/**
 * The content of a dialog with input: its fields, the error and its two buttons.
 *
 * @param error the server's error for the last attempt; null without one.
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
  error?: Error | string | null;
  /** Progress of a long action. */
  progress?: string | null;
  submitLabel: string;
  cancelLabel?: string;
  isDanger?: boolean;
  /** The dialog only confirms an action, without fields: the Cancel button has the focus when it opens. */
  isConfirm?: boolean;
  /** The form is incomplete. */
  isDisabled?: boolean;
  isBusy: boolean;
  onSubmit: () => void;
  onCancel: () => void;
}) {
  return (
    <Form className={styles.form ?? ''} onSubmit={onSubmit} isBusy={isBusy}>
      {children}
      <FormError error={error} />
      {progress !== null && <p role="status">{progress}</p>}
      <DialogButtons>
        <Button variant="default" onClick={onCancel} data-autofocus={isConfirm || undefined}>
          {cancelLabel}
        </Button>
        <Button type="submit" color={isDanger ? 'red' : 'accent'} loading={isBusy} disabled={isDisabled}>
          {submitLabel}
        </Button>
      </DialogButtons>
    </Form>
  );
}

/** The buttons of a dialog, the most important one last. */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className={styles.buttons}>{children}</div>
);

/** A question before a destructive action. */
export interface Question {
  readonly title: string;
  /** The consequence, in a sentence. */
  readonly text: string;
  /** The verb, e.g. “Deactivate”. */
  readonly confirmLabel: string;
}

interface ConfirmDialogProps {
  question: Question | null;
  error: string | null;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks before a destructive action, where a confirm button has no room to explain the effect.
 *
 * @param question null keeps the dialog closed.
 */
export function ConfirmDialog({ question, error, isBusy, onConfirm, onClose }: ConfirmDialogProps) {
  // While the dialog closes, it still shows the last question.
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
