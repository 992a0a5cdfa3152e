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

  const actionsFor = ({ id, email, state, sessions, is_you: isYou }: PersonReply): readonly RowAction[] => {
    const one = { params: { id } };
    /** An action that asks first. */
    const asking = (
      label: string,
      icon: RowAction['icon'],
      call: { mutate: (request: typeof one) => void },
      question: Omit<Question, 'confirmLabel'> & Partial<Question>,
    ): RowAction => ({
      label,
      icon,
      onChoose: () => {
        setError(null);
        setConfirmation({ confirmLabel: label, ...question, run: () => call.mutate(one) });
      },
    });
    if (state === 'invited')
      return [
        { label: 'Send again', icon: 'mail', onChoose: () => resend.mutate(one) },
        asking('Withdraw', 'cross', withdraw, {
          title: 'Withdraw the invitation?',
          text: `The link sent to ${email} stops working.`,
        }),
      ];
    if (state === 'deactivated')
      return [
        { label: 'Reactivate', icon: 'check', onChoose: () => reactivate.mutate(one) },
        asking('Remove', 'cross', remove, {
          title: 'Remove this user?',
          text: `${email} is removed from this list. The audit trail stays unchanged. You can invite the user again.`,
        }),
      ];
    if (isYou) return [];
    const everywhere = asking('Log out everywhere', 'logout', logOut, {
      title: 'Log out everywhere?',
      text: `${email} must log in again on every device. Use this for a lost device.`,
      confirmLabel: 'Log out',
    });
    return [
      ...(sessions > 0 ? [everywhere] : []),
      asking('Deactivate', 'pause', deactivate, {
        title: 'Deactivate this user?',
        text: `${email} is logged out everywhere and cannot log in until reactivated.`,
      }),
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
