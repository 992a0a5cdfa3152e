import { useState } from 'react';
import { deactivateUser, removeUser } from '#contract/calls/users.ts';
import { showSuccess } from '../../components/flash.ts';
import type { RowAction } from '../../components/row-menu.tsx';
import { useAction } from '../../data/queries.ts';
import { LeaveDialog, type Leaving } from './leave-dialog.tsx';

/**
 * The actions that end a user's access.
 *
 * @returns `asking`: such an action; `dialog`: asks what happens to everything that the user owns, then makes the call
 */
export function useLeaving() {
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const left = (text: string) => ({
    changes: ['users', 'api-keys', 'webhooks', 'webhook-endpoints'] as const,
    onSuccess: () => {
      setLeaving(null);
      showSuccess(text);
    },
    onError: () => undefined,
  });
  const deactivate = useAction(deactivateUser, left('The user is logged out and cannot log in.'));
  const remove = useAction(removeUser, left('The user was removed.'));
  const leave = leaving?.person.state === 'deactivated' ? remove : deactivate;
  const asking = (icon: RowAction['icon'], asked: Leaving): RowAction => ({
    label: asked.confirmLabel,
    icon,
    onChoose: () => {
      deactivate.reset();
      remove.reset();
      setLeaving(asked);
    },
  });
  return {
    asking,
    dialog: (
      <LeaveDialog
        leaving={leaving}
        error={leave.error}
        isBusy={leave.isPending}
        onConfirm={(body) => {
          if (leaving !== null) leave.mutate({ params: { id: leaving.person.id }, body });
        }}
        onClose={() => setLeaving(null)}
      />
    ),
  };
}
