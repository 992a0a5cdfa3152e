import { logout } from '#contract/auth.ts';
import { call } from './call.ts';
import { endSession } from './current-session.ts';
import { forgetPath } from './requested-path.ts';

/** Ends the session here, also when the server cannot be told; there it ends by itself. */
export function logOut(): void {
  void call(logout, {}).catch(() => undefined);
  forgetPath();
  endSession();
}
