import { type ReactNode, useState } from 'react';
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
import { ConfirmDialog, type Question } from '../../components/dialog.tsx';
import type { RowAction } from '../../components/row-menu.tsx';

export interface UserActions {
  /** Returns the actions that a user’s state allows. */
  readonly actionsFor: (person: PersonReply) => readonly RowAction[];
  /** The confirmation dialog to render. */
  readonly dialog: ReactNode;
}

interface Confirmation extends Question {
  readonly run: () => void;
}

/** Actions on the users of the list; destructive ones ask for confirmation first. */
export function useUserActions(): UserActions {
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const [error, setError] = useState<string | null>(null);
  const done = (text: string) => ({
    changes: ['users'] as const,
    onSuccess: () => {
      setConfirmation(null);
      showMessage(text);
    },
    onError: (reason: Error) => setError(reason.message),
  });
  const resend = useAction(resendInvitation, { changes: ['users'] });
  const withdraw = useAction(withdrawInvitation, done('The invitation was withdrawn.'));
  const logOut = useAction(endUserSessions, done('The user is logged out everywhere.'));
  const deactivate = useAction(deactivateUser, done('The user is logged out and cannot log in.'));
  const reactivate = useAction(reactivateUser, {
    changes: ['users'],
    onSuccess: () => showMessage('The user can log in again.'),
  });
  const remove = useAction(removeUser, done('The user was removed.'));

  const ask = (question: Confirmation) => {
    setError(null);
    setConfirmation(question);
  };
  const actionsFor = ({ id, email, state, sessions, is_you: isYou }: PersonReply): readonly RowAction[] => {
    const one = { params: { id } };
    if (state === 'invited')
      return [
        { label: 'Send again', icon: 'mail', onChoose: () => resend.mutate(one) },
        {
          label: 'Withdraw',
          icon: 'cross',
          onChoose: () =>
            ask({
              title: 'Withdraw the invitation?',
              text: `The link sent to ${email} stops working.`,
              confirmLabel: 'Withdraw',
              run: () => withdraw.mutate(one),
            }),
        },
      ];
    if (state === 'deactivated')
      return [
        { label: 'Reactivate', icon: 'check', onChoose: () => reactivate.mutate(one) },
        {
          label: 'Remove',
          icon: 'cross',
          onChoose: () =>
            ask({
              title: 'Remove this user?',
              text: `${email} is removed from this list. The audit trail stays unchanged. You can invite the user again.`,
              confirmLabel: 'Remove',
              run: () => remove.mutate(one),
            }),
        },
      ];
    if (isYou) return [];
    const everywhere: RowAction = {
      label: 'Log out everywhere',
      icon: 'logout',
      onChoose: () =>
        ask({
          title: 'Log out everywhere?',
          text: `${email} must log in again on every device. Use this for a lost device.`,
          confirmLabel: 'Log out',
          run: () => logOut.mutate(one),
        }),
    };
    return [
      ...(sessions > 0 ? [everywhere] : []),
      {
        label: 'Deactivate',
        icon: 'pause',
        onChoose: () =>
          ask({
            title: 'Deactivate this user?',
            text: `${email} is logged out everywhere and cannot log in until reactivated.`,
            confirmLabel: 'Deactivate',
            run: () => deactivate.mutate(one),
          }),
      },
    ];
  };
  return {
    actionsFor,
    dialog: (
      <ConfirmDialog
        question={confirmation}
        error={error}
        isBusy={withdraw.isPending || logOut.isPending || deactivate.isPending || remove.isPending}
        onConfirm={() => confirmation?.run()}
        onClose={() => setConfirmation(null)}
      />
    ),
  };
}
