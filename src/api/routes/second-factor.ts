import { secondFactor } from '#contract/second-factor.ts';
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
import { toWire } from '../to-wire.ts';

export function secondFactorRoutes(serving: Serving): void {
  const { app, sessions } = serving;
  const after = afterResponse(serving.server, app);

  serve(serving, 'readSecondFactor', async ({ principal }) => ({
    data: toWire(secondFactor, await readSecondFactorView(app, principal)),
  }));

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
