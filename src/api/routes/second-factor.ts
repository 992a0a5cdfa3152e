import {
  beginSecondFactor,
  confirmSecondFactor,
  readSecondFactorView,
  replaceRecoveryCodes,
  requireSecondFactor,
  turnOffSecondFactor,
} from '#flows/access/totp-setup.ts';
import { afterResponse } from '../after-response.ts';
import { serve, type Serving } from '../serve.ts';

export function secondFactorRoutes(serving: Serving): void {
  const { app, sessions } = serving;
  const after = afterResponse(serving.server, app);

  serve(serving, 'readSecondFactor', async ({ principal }) => {
    const view = await readSecondFactorView(app, principal);
    return {
      data: {
        is_on: view.isOn,
        since: view.since,
        recovery_codes_left: view.recoveryCodesLeft,
        required_by: view.requiredBy,
        client_requires: view.clientRequires,
      },
    };
  });

  serve(serving, 'beginSecondFactor', async ({ principal, body }) => ({
    data: await beginSecondFactor(app, principal, body.password),
  }));

  serve(serving, 'confirmSecondFactor', async ({ principal, body, request, reply }) => {
    const { recoveryCodes, signedIn, mail } = await confirmSecondFactor(app, principal, body.code);
    after(reply, 'mail that a second factor is on', mail);
    return { data: { recovery_codes: recoveryCodes, token: await sessions.begin(signedIn, request, reply) } };
  });

  serve(serving, 'replaceRecoveryCodes', async ({ principal, body, reply }) => {
    const { recoveryCodes, mail } = await replaceRecoveryCodes(app, principal, body);
    after(reply, 'mail that recovery codes were replaced', mail);
    return { data: { recovery_codes: recoveryCodes } };
  });

  serve(serving, 'turnOffSecondFactor', async ({ principal, body, reply }) => {
    const { mail } = await turnOffSecondFactor(app, principal, body);
    after(reply, 'mail that a second factor is off', mail);
    return { data: null };
  });

  serve(serving, 'requireSecondFactor', async ({ principal, body }) => {
    await requireSecondFactor(app, principal, body.is_required);
    return { data: null };
  });
}
