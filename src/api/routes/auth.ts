import { callerOf } from '#core/caller.ts';
import { underMaintenance } from '#core/records/maintenance.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import { issueConnectTicket } from '#flows/access/connect-ticket.ts';
import { login } from '#flows/access/login.ts';
import { noteFailedSignIn, noteSignIn } from '#flows/access/sign-ins.ts';
import { endMasquerade, masquerade } from '#flows/access/masquerade.ts';
import { afterResponse } from '../after-response.ts';
import { serve, type Serving } from '../serve.ts';
import { serviceOf } from './wire.ts';

export function authRoutes(serving: Serving): void {
  const { app, sessions, maintenance } = serving;
  const afterRandomDelay = afterResponse(serving.server, app, serving.mailWithinMs);

  serve(serving, 'login', async ({ body: { username, password, code }, request, reply }) => {
    const knownDevice = sessions.knownDevice(request, username);
    const credentials = { username, password, code, address: callerOf(request.ip), knownDevice };
    const now = maintenance.current();
    const admit = ({ tenantId }: Pick<User, 'tenantId'>) => {
      if (now !== null && tenantId !== null) throw underMaintenance(now);
    };
    const signedIn = await login(app, credentials, admit).catch((error: unknown) => {
      // Runs later, so that the response time does not reveal that the user exists.
      if (error instanceof Refusal && error.kind !== 'maintenance')
        afterRandomDelay(reply, 'note a login that failed', () => noteFailedSignIn(app, credentials, error));
      throw error;
    });
    const token = await sessions.begin(signedIn, request, reply);
    await noteSignIn(app, signedIn, request.ip);
    return { data: { token } };
  });

  serve(serving, 'logout', async ({ principal, reply }) => {
    await sessions.end(principal, reply);
    // Makes the browser delete its cached responses. The screens clear their own storage before another user can log
    // in.
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
    const request = { service: serviceOf(body.service), allowsDifferentCompany: body.allow_different_company };
    return { data: { ticket: await issueConnectTicket(app, principal, context.tenantId, request) } };
  });
}
