import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog, type Question } from './dialog.tsx';
import type { RowAction } from './row-menu.tsx';

/** A question, and the call that follows. */
interface Asked extends Question {
  readonly run: () => Promise<unknown>;
}

/**
 * Row actions that ask before their call.
 *
 * @returns `asking`: such an action, named as its confirm button by default; `dialog`: asks, and shows the error of the call
 */
export function useAsking() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: async () => asked?.run(),
    onSuccess: () => setAsked(null),
  });
  const asking = (icon: RowAction['icon'], question: Asked, label = question.confirmLabel): RowAction => ({
    label,
    icon,
    onChoose: () => {
      reset();
      setAsked(question);
    },
  });
  return {
    asking,
    dialog: (
      <ConfirmDialog
        question={asked}
        error={error?.message ?? null}
        isBusy={isPending}
        onConfirm={() => mutate()}
        onClose={() => setAsked(null)}
      />
    ),
  };
}
