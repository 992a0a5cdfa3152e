import { type ReactNode, useState } from 'react';
import {
  deactivateUser,
  endUserSessions,
  type PersonReply,
  reactivateUser,
  removeUser,
  resendInvitation,
  withdrawInvitation,
} from '#contract/users.ts';
import { showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { ConfirmDialog, type Question } from '../../ui/dialog.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';

export interface UserActions {
  /** Actions that are open for a person in their present state. */
  readonly actionsFor: (person: PersonReply) => readonly RowAction[];
  /** The question that is being asked; stands somewhere on the screen. */
  readonly dialog: ReactNode;
}

interface Asked extends Question {
  readonly carryOut: () => void;
}

/** Actions on the people of the list; each one that ends something asks first. */
export function useUserActions(): UserActions {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const done = (words: string) => ({
    changes: ['users'] as const,
    onSuccess: () => {
      setAsked(null);
      showMessage(words);
    },
    onError: (error: Error) => setRefusal(error.message),
  });
  const resend = useAction(resendInvitation, { changes: ['users'] });
  const withdraw = useAction(withdrawInvitation, done('The invitation was withdrawn.'));
  const signOut = useAction(endUserSessions, done('They are logged out everywhere.'));
  const deactivate = useAction(deactivateUser, done('They are logged out and cannot log in any more.'));
  const reactivate = useAction(reactivateUser, {
    changes: ['users'],
    onSuccess: () => showMessage('They can log in again.'),
  });
  const remove = useAction(removeUser, done('The user was removed.'));

  const ask = (question: Asked) => {
    setRefusal(null);
    setAsked(question);
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
              text: `The link in the mail to ${email} stops working.`,
              confirmLabel: 'Withdraw',
              carryOut: () => withdraw.mutate(one),
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
              text: `${email} disappears from this list. What they did stays in the audit trail, and they can be invited again.`,
              confirmLabel: 'Remove',
              carryOut: () => remove.mutate(one),
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
          text: `${email} has to log in again in every browser. Do this when a device was lost.`,
          confirmLabel: 'Log out',
          carryOut: () => signOut.mutate(one),
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
            text: `${email} is logged out everywhere at once and cannot log in until you reactivate them.`,
            confirmLabel: 'Deactivate',
            carryOut: () => deactivate.mutate(one),
          }),
      },
    ];
  };
  return {
    actionsFor,
    dialog: (
      <ConfirmDialog
        question={asked}
        error={refusal}
        isBusy={withdraw.isPending || signOut.isPending || deactivate.isPending || remove.isPending}
        onConfirm={() => asked?.carryOut()}
        onClose={() => setAsked(null)}
      />
    ),
  };
}
