import { logout } from '#contract/calls/auth.ts';
import { call } from './call.ts';
import { endSession } from './current-session.ts';
import { forgetPath, rememberPath } from './requested-path.ts';
import { leave } from './router.tsx';

/**
 * Logs the user out, and asks first if a form has unsaved input. Without a connection, the server ends the session
 * later.
 */
export const logOut = (): void => end(forgetPath);

/** Logs the user out, and opens a path for the user who logs in next. */
export const switchUser = (path: string): void => end(() => rememberPath(path));

function end(prepareLogin: () => void): void {
  leave(() => {
    void call(logout, {}).catch(() => undefined);
    prepareLogin();
    endSession();
  });
}
