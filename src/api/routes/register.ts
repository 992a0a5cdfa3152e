import type { FastifyRequest } from 'fastify';
import { callerOf } from '#core/caller.ts';
import { Refusal } from '#core/refusal.ts';
import { defaultTimeZone } from '#core/tenant.ts';
import { completeRegistration, validateAccess, validateResource } from '#flows/access/register.ts';
import { afterResponse } from '../after-response.ts';
import { serve, type Serving } from '../serve.ts';

export function registerRoutes(serving: Serving): void {
  const { app } = serving;
  const after = afterResponse(serving.server, app);
  const refuseWhenClosed = () => {
    if (!app.config.isRegistrationOpen)
      throw new Refusal('forbidden', 'registration_closed', 'Registration is closed. Ask the operator to open it.');
  };

  serve(serving, 'validatePsaAccess', async ({ body, request }) => {
    refuseWhenClosed();
    const { companyId, companyName, isRegistered } = await validateAccess(app, accessOf(body, request));
    return {
      data: { company: { id: companyId, companyName }, ...(isRegistered && { is_registered: true as const }) },
    };
  });

  serve(serving, 'validatePsaResource', async ({ body, request }) => {
    refuseWhenClosed();
    const { id, firstName, lastName, email } = await validateResource(app, accessOf(body, request), personOf(body));
    return { data: { resource: { id, firstName, lastName, email } } };
  });

  serve(serving, 'completeRegistration', async ({ body, request, reply }) => {
    refuseWhenClosed();
    const { mail } = await completeRegistration(app, {
      ...accessOf(body, request),
      ...personOf(body),
      password: body.password,
      timeZone: body.time_zone ?? defaultTimeZone,
    });
    after(reply, 'mail the proof of an address', mail);
    return { data: null };
  });
}

const accessOf = (body: { readonly api_user: string; readonly api_secret: string }, { ip }: FastifyRequest) => ({
  apiUser: body.api_user,
  apiSecret: body.api_secret,
  address: callerOf(ip),
});

const personOf = (body: { readonly first_name: string; readonly last_name: string; readonly email: string }) => ({
  firstName: body.first_name,
  lastName: body.last_name,
  email: body.email,
});
