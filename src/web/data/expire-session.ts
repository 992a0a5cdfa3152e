import { endSession } from './current-session.ts';
import { rememberPath } from './requested-path.ts';

/** Ends a session that the server no longer accepts. The next login returns to the current screen. */
export function expireSession(): void {
  rememberPath(`${window.location.pathname}${window.location.search}`);
  endSession('Your session has ended. Please log in again.');
}
