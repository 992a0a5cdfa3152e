import type { ActionFunctionArgs } from 'react-router';
import { logout } from '#contract/calls/auth.ts';
import { call } from './call.ts';
import { endSession } from './current-session.ts';
import { forgetPath, rememberPath } from './requested-path.ts';

/**
 * Logs the user out; the router then shows the login. Without a connection, the server ends the session later. The form
 * may name a `path` to open for the user who logs in next.
 */
export async function logOut({ request }: ActionFunctionArgs): Promise<null> {
  const path = (await request.formData()).get('path');
  void call(logout, {}).catch(() => undefined);
  if (typeof path === 'string') rememberPath(path);
  else forgetPath();
  endSession();
  return null;
}
