import type { ReactNode } from 'react';
import {
  deactivateUser,
  endUserSessions,
  reactivateUser,
  removeUser,
  resendInvitation,
  withdrawInvitation,
} from '#contract/calls/users.ts';
import type { PersonReply } from '#contract/users.ts';
import { showMessage } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import type { RowAction } from '../../components/row-menu.tsx';
import { useAsking } from '../../components/use-asking.tsx';

export interface UserActions {
  /** Returns the actions that a user’s state allows. */
  readonly actionsFor: (person: PersonReply) => readonly RowAction[];
  /** The confirmation dialog to render. */
  readonly dialog: ReactNode;
}

/** Actions on the users of the list; destructive ones ask for confirmation first. */
export function useUserActions(): UserActions {
  const { asking, dialog } = useAsking();
  const changes = ['users'] as const;
  const done = (text: string) => ({ changes, onSuccess: () => showMessage(text), onError: () => undefined });
  const resend = useAction(resendInvitation, { changes });
  const withdraw = useAction(withdrawInvitation, done('The invitation was withdrawn.'));
  const logOut = useAction(endUserSessions, done('The user is logged out everywhere.'));
  const deactivate = useAction(deactivateUser, done('The user is logged out and cannot log in.'));
  const reactivate = useAction(reactivateUser, { changes, onSuccess: () => showMessage('The user can log in again.') });
  const remove = useAction(removeUser, done('The user was removed.'));

  const actionsFor = ({ id, email, state, sessions, is_you: isYou }: PersonReply): readonly RowAction[] => {
    const one = { params: { id } };
    if (state === 'invited')
      return [
        { label: 'Send again', icon: 'mail', onChoose: () => resend.mutate(one) },
        asking('cross', {
          title: 'Withdraw the invitation?',
          text: `The link sent to ${email} stops working.`,
          confirmLabel: 'Withdraw',
          run: () => withdraw.mutateAsync(one),
        }),
      ];
    if (state === 'deactivated')
      return [
        { label: 'Reactivate', icon: 'check', onChoose: () => reactivate.mutate(one) },
        asking('cross', {
          title: 'Remove this user?',
          text: `${email} is removed from this list. The audit trail stays unchanged. You can invite the user again.`,
          confirmLabel: 'Remove',
          run: () => remove.mutateAsync(one),
        }),
      ];
    if (isYou) return [];
    const everywhere = {
      title: 'Log out everywhere?',
      text: `${email} must log in again on every device. Use this for a lost device.`,
      confirmLabel: 'Log out',
      run: () => logOut.mutateAsync(one),
    };
    return [
      ...(sessions > 0 ? [asking('logout', everywhere, 'Log out everywhere')] : []),
      asking('pause', {
        title: 'Deactivate this user?',
        text: `${email} is logged out everywhere and cannot log in until reactivated.`,
        confirmLabel: 'Deactivate',
        run: () => deactivate.mutateAsync(one),
      }),
    ];
  };
  return { actionsFor, dialog };
}
