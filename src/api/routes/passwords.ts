import { callerOf } from '#core/caller.ts';
import {
  admitResetRequest,
  forcePasswordReset,
  mailPasswordChanged,
  mailResetLink,
  resetPassword,
} from '#flows/access/reset-password.ts';
import { afterResponse } from '../after-response.ts';
import { serve, type Serving } from '../serve.ts';

export function passwordRoutes(serving: Serving): void {
  const { app } = serving;
  const after = afterResponse(serving.server, app);
  const afterRandomDelay = afterResponse(serving.server, app, serving.mailWithinMs);

  serve(serving, 'forgotPassword', async ({ body, request, reply }) => {
    await admitResetRequest(app, callerOf(request.ip));
    afterRandomDelay(reply, 'mail a reset link', () => mailResetLink(app, body.email));
    return {
      data: null,
      message: 'If this address belongs to an account, an email with a link to set a new password is on its way.',
    };
  });

  serve(serving, 'resetPassword', async ({ body, reply }) => {
    const user = await resetPassword(app, body);
    after(reply, 'mail that a password was changed', () => mailPasswordChanged(app, user));
    return { data: null };
  });

  serve(serving, 'forcePasswordReset', async ({ principal, params, reply }) => {
    const { mail } = await forcePasswordReset(app, principal, params.id);
    after(reply, 'mail a forced reset', mail);
    return { data: null };
  });
}
