import { changePassword } from '#flows/access/change-password.ts';
import { mailEmailProofAgain, proveEmail } from '#flows/access/prove-email.ts';
import { afterResponse } from '../after-response.ts';
import { acceptForms, refuseForeignForm } from '../forms.ts';
import { confirmEmailPage, emailConfirmedPage } from '../pages.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';

const html = 'text/html; charset=utf-8';

/** Routes for the user's own account. */
export function accountRoutes(serving: Serving): void {
  const { app, sessions } = serving;
  const after = afterResponse(serving.server, app);

  serve(serving, 'readAccount', async ({ principal }) => ({
    data: { username: principal.username, email_proved: principal.emailIsProved },
  }));

  serve(serving, 'changePassword', async ({ principal, body, request, reply }) => {
    const change = { present: body.password, wanted: body.new_password, code: body.code };
    const { signedIn, mail } = await changePassword(app, principal, change);
    after(reply, 'mail that a password was changed', mail);
    return { data: { token: await sessions.begin(signedIn, request, reply) } };
  });

  serve(serving, 'mailEmailProof', async ({ principal }) => {
    await mailEmailProofAgain(app, principal);
    return { data: null, message: `An email with a new link is on its way to ${principal.username}.` };
  });

  serveRaw(serving, 'confirmEmailPage', async ({ query, reply }) =>
    reply.type(html).send(confirmEmailPage(query.token)),
  );

  void serving.server.register(async (scope) => {
    acceptForms(scope);
    serveRaw({ ...serving, server: scope }, 'confirmEmail', async ({ body, request, reply }) => {
      refuseForeignForm(request);
      await proveEmail(app, body.token);
      return reply.type(html).send(emailConfirmedPage);
    });
  });
}
