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
import { usersWords } from './words.ts';

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
    onSuccess: () => showMessage(usersWords.canLogInAgain),
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
        { label: usersWords.sendAgain, icon: 'mail', onChoose: () => resend.mutate(one) },
        {
          label: usersWords.withdraw,
          icon: 'cross',
          onChoose: () =>
            ask({
              title: usersWords.withdrawTheInvitation,
              text: usersWords.withdrawing(email),
              confirmLabel: 'Withdraw',
              carryOut: () => withdraw.mutate(one),
            }),
        },
      ];
    if (state === 'deactivated')
      return [
        { label: usersWords.reactivate, icon: 'check', onChoose: () => reactivate.mutate(one) },
        {
          label: usersWords.remove,
          icon: 'cross',
          onChoose: () =>
            ask({
              title: usersWords.removeThisUser,
              text: usersWords.removing(email),
              confirmLabel: 'Remove',
              carryOut: () => remove.mutate(one),
            }),
        },
      ];
    if (isYou) return [];
    const everywhere: RowAction = {
      label: usersWords.logOutEverywhere,
      icon: 'logout',
      onChoose: () =>
        ask({
          title: usersWords.askLogOutEverywhere,
          text: usersWords.loggingOut(email),
          confirmLabel: 'Log out',
          carryOut: () => signOut.mutate(one),
        }),
    };
    return [
      ...(sessions > 0 ? [everywhere] : []),
      {
        label: usersWords.deactivate,
        icon: 'pause',
        onChoose: () =>
          ask({
            title: usersWords.deactivateThisUser,
            text: usersWords.deactivating(email),
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
