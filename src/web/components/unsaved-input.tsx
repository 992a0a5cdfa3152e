import { type ReactNode, useCallback, useEffect } from 'react';
import { type BlockerFunction, useBeforeUnload, useBlocker } from 'react-router';
import { ConfirmDialog, type Question } from './dialog.tsx';
import { currentSession, onSessionChange } from '../data/current-session.ts';

const leaveQuestion: Question = {
  title: 'Leave without saving?',
  text: 'Your changes on this page are not saved.',
  confirmLabel: 'Leave without saving',
};

/**
 * Protects unsaved input: asks before the user leaves or reloads the screen, and stores the input in this tab when the
 * session ends, so that it is restored after the next login.
 *
 * @param name unique name of the form.
 * @param input what the user has entered; null while nothing is unsaved.
 * @returns the dialog to render.
 */
export function useUnsavedInput(name: string, input: object | null): { dialog: ReactNode } {
  const isUnsaved = input !== null;
  // Without a session, nothing can be saved.
  const blocks = useCallback<BlockerFunction>(
    ({ currentLocation, nextLocation }) =>
      isUnsaved && currentSession() !== null && currentLocation.pathname !== nextLocation.pathname,
    [isUnsaved],
  );
  const blocker = useBlocker(blocks);
  // A save that ended while the question was open leaves nothing to ask about.
  useEffect(() => {
    if (!isUnsaved && blocker.state === 'blocked') blocker.proceed();
  }, [isUnsaved, blocker]);
  const askBeforeReload = useCallback((event: BeforeUnloadEvent) => isUnsaved && event.preventDefault(), [isUnsaved]);
  useBeforeUnload(askBeforeReload);
  useEffect(() => {
    if (input === null) return undefined;
    const key = storageKey(name);
    return onSessionChange((why) => {
      if (currentSession() === null && why !== null && key !== null) sessionStorage.setItem(key, JSON.stringify(input));
    });
  }, [name, input]);
  return {
    dialog: (
      <ConfirmDialog
        question={blocker.state === 'blocked' ? leaveQuestion : null}
        error={null}
        isBusy={false}
        onConfirm={() => blocker.proceed?.()}
        onClose={() => blocker.reset?.()}
      />
    ),
  };
}

/** Returns and removes the input that was unsaved when the session of this user and client ended. */
export function takeUnsavedInput(name: string): unknown {
  const key = storageKey(name);
  const stored = key === null ? null : sessionStorage.getItem(key);
  if (key === null || stored === null) return null;
  sessionStorage.removeItem(key);
  return JSON.parse(stored);
}

function storageKey(name: string): string | null {
  const claims = currentSession()?.claims;
  return claims === undefined ? null : `unsaved ${name} ${claims.username} ${claims.client?.id ?? ''}`;
}
