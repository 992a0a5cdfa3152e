import { issueConnectTicket } from '#flows/access/connect-ticket.ts';
import { login } from '#flows/access/login.ts';
import { endMasquerade, masquerade } from '#flows/access/masquerade.ts';
import { serve, type Serving } from '../serve.ts';
import { serviceOf } from './wire.ts';

export function authRoutes(serving: Serving): void {
  const { app, sessions } = serving;

  serve(serving, 'login', async ({ body: { username, password, code }, request, reply }) => {
    const knownDevice = sessions.knownDevice(request, username);
    const signedIn = await login(app, { username, password, code, address: request.ip, knownDevice });
    return { data: { token: await sessions.begin(signedIn, request, reply) } };
  });

  serve(serving, 'logout', async ({ principal, reply }) => {
    await sessions.end(principal, reply);
    // What the browser kept of answers goes; its storage the screens empty themselves, before anybody else can sign in.
    void reply.header('clear-site-data', '"cache"');
    return { data: null };
  });

  serve(serving, 'masquerade', async ({ principal, body, request, reply }) => {
    const signedIn = await masquerade(app, principal, body.client_id);
    return { data: { token: await sessions.begin(signedIn, request, reply) } };
  });

  serve(serving, 'endMasquerade', async ({ principal, request, reply }) => {
    const signedIn = await endMasquerade(app, principal);
    return { data: { token: await sessions.begin(signedIn, request, reply) } };
  });

  serve(serving, 'connectTicket', async ({ principal, context, body }) => {
    const wish = { service: serviceOf(body.service), allowsDifferentCompany: body.allow_different_company };
    return { data: { ticket: await issueConnectTicket(app, principal, context.tenantId, wish) } };
  });
}
