import type { ReactNode } from 'react';
import { endUserSessions, reactivateUser, resendInvitation, withdrawInvitation } from '#contract/calls/users.ts';
import type { PersonReply } from '#contract/users.ts';
import { showSuccess } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import type { RowAction } from '../../components/row-menu.tsx';
import { useAsking } from '../../components/use-asking.tsx';
import { useLeaving } from './use-leaving.tsx';

export interface UserActions {
  /** Returns the actions that a user’s state allows. */
  readonly actionsFor: (person: PersonReply) => readonly RowAction[];
  /** The confirmation dialog to render. */
  readonly dialog: ReactNode;
}

/** Actions on the users of the list; destructive ones ask for confirmation first. */
export function useUserActions(): UserActions {
  const { asking, dialog } = useAsking();
  const leaving = useLeaving();
  const changes = ['users'] as const;
  const done = (text: string) => ({ changes, onSuccess: () => showSuccess(text), onError: () => undefined });
  const resend = useAction(resendInvitation, { changes });
  const withdraw = useAction(withdrawInvitation, done('The invitation was withdrawn.'));
  const logOut = useAction(endUserSessions, done('The user is logged out everywhere.'));
  const reactivate = useAction(reactivateUser, { changes, onSuccess: () => showSuccess('The user can log in again.') });
  const actionsFor = (person: PersonReply): readonly RowAction[] => {
    const { id, email, state, sessions, is_you: isYou } = person;
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
        leaving.asking('cross', {
          person,
          title: 'Remove this user?',
          text: `${email} is removed from this list. The audit trail stays unchanged. You can invite the user again.`,
          confirmLabel: 'Remove',
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
      leaving.asking('pause', {
        person,
        title: 'Deactivate this user?',
        text: `${email} is logged out everywhere and cannot log in until reactivated.`,
        confirmLabel: 'Deactivate',
      }),
    ];
  };
  return {
    actionsFor,
    dialog: (
      <>
        {dialog}
        {leaving.dialog}
      </>
    ),
  };
}
