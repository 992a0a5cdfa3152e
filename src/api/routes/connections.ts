import { callerOf } from '#core/caller.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { connectAccountingCallback } from '#contract/connections.ts';
import { addressOf } from '#contract/define.ts';
import { psaSegment, accountingSegment } from '#contract/services.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import { actorOf } from '#flows/access/principal.ts';
import { beginPsaConnection, submitPsaForm, type PsaForm } from '#flows/connections/connect-psa.ts';
import { beginAccountingConnection, finishAccountingConnection } from '#flows/connections/connect-quickbooks.ts';
import { disconnect } from '#flows/connections/disconnect.ts';
import { findCompany } from '#flows/connections/find-company.ts';
import { testConnection } from '#flows/connections/test-connection.ts';
import { acceptForms, refuseForeignForm } from '../forms.ts';
import { onwardPage, psaFormPage } from '../pages.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';
import { serviceOf } from './wire.ts';

const html = 'text/html; charset=utf-8';

export function connectionRoutes(serving: Serving): void {
  const { app } = serving;

  for (const [name, service] of [
    ['disconnectAccounting', 'accounting'],
    ['disconnectPsa', 'psa'],
  ] as const)
    serve(serving, name, async ({ context, principal, body }) => {
      await disconnect(app, context, service, actorOf(principal), body?.was);
      return { data: null };
    });

  serve(serving, 'findAccountingCompany', async ({ context, principal, params }) => ({
    data: await findCompany(app, context, params.realm_id, principal.roles.includes('sysadmin')),
  }));

  serve(serving, 'testConnection', async ({ context, params }) => {
    const { isConnected, message, error } = await testConnection(app, context, serviceOf(params.service));
    return { data: { is_connected: isConnected, message, error } };
  });
  consentRoutes(serving);
  psaFormRoutes(serving);
}

/** Consent on QuickBooks' pages. */
function consentRoutes(serving: Serving): void {
  const { app, jar } = serving;

  serveRaw(serving, 'connectAccounting', async ({ query, request, reply }) =>
    orBackToConnections(serving, request, reply, accountingSegment, async () => {
      const { consentUrl, browserSecret } = await beginAccountingConnection(
        app,
        query.token,
        jar.read(request, 'session'),
      );
      jar.set(reply, 'consent', browserSecret);
      return consentUrl;
    }),
  );

  serveRaw(serving, 'connectAccountingCallback', async ({ query, request, reply }) => {
    // The browser does not send the session cookie after a redirect from another site; a redirect from a Tallybridge
    // page sends it.
    if (jar.read(request, 'session') === null && query.again === undefined)
      return reply
        .type(html)
        .send(onwardPage(addressOf(connectAccountingCallback, { query: { ...query, again: '1' } })));
    return orBackToConnections(serving, request, reply, accountingSegment, async () => {
      const browser = { browserSecret: jar.read(request, 'consent'), sessionCookie: jar.read(request, 'session') };
      jar.clear(reply, 'consent');
      await finishAccountingConnection(app, query, browser);
      return `/connections?reload=${accountingSegment}`;
    });
  });
}

/** The form for the PSA's credentials. */
function psaFormRoutes(serving: Serving): void {
  const { app, jar } = serving;

  serveRaw(serving, 'connectPsaPage', async ({ query, request, reply }) => {
    try {
      const form = await beginPsaConnection(app, query.token, jar.read(request, 'session'));
      return await showForm(reply, form, { values: {}, error: null, needsConfirmation: false });
    } catch (error) {
      return toErrorScreen(serving, request, reply, error);
    }
  });

  void serving.server.register(async (scope) => {
    acceptForms(scope);
    serveRaw({ ...serving, server: scope }, 'connectPsaForm', async ({ body, request, reply }) => {
      try {
        refuseForeignForm(request);
        const outcome = await submitPsaForm(
          app,
          {
            code: body.form,
            browserSecret: jar.read(request, 'form'),
            sessionCookie: jar.read(request, 'session'),
          },
          {
            address: callerOf(request.ip),
            values: body,
            isConfirmed: body.confirm === 'yes',
          },
        );
        if (!outcome.isConnected) return await showForm(reply.code(422), outcome.form, { ...outcome, values: body });
        jar.clear(reply, 'form');
        return await reply.redirect(`/connections?reload=${psaSegment}`, 303);
      } catch (error) {
        return toErrorScreen(serving, request, reply, error);
      }
    });
  });

  const showForm = (
    reply: FastifyReply,
    { code, browserSecret, client }: PsaForm,
    shown: {
      readonly values: Readonly<Record<string, string>>;
      readonly error: string | null;
      readonly needsConfirmation: boolean;
    },
  ) => {
    jar.set(reply, 'form', browserSecret);
    const { label, credentials: fields } = app.descriptors.psa;
    return reply
      .type(html)
      .send(psaFormPage({ ...shown, client, label, fields, action: `/connect/${psaSegment}`, code }));
  };
}

/** Redirects to the target of the step, or back to Connections with an error code that the screen explains. */
async function orBackToConnections(
  { app, events }: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  segment: string,
  step: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return await reply.redirect(await step(), 303);
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    app.logger.warn({ requestId: request.id, code }, 'a service was not connected');
    if (error instanceof Error) events.noteFailure(error, request);
    return reply.redirect(`/connections?${new URLSearchParams({ reload: segment, error: code }).toString()}`, 303);
  }
}

/** Redirects to the screen for a failed PSA connection, which shows the message as text. */
function toErrorScreen(
  { events }: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const code = codeOf(error);
  if (code === null || !(error instanceof Error)) throw error;
  const query = new URLSearchParams({ message: error.message, error: code });
  events.noteFailure(error, request);
  return reply.redirect(`/${psaSegment}-error?${query.toString()}`, 303);
}

/** Returns the error code for the screens; null for a bug. */
function codeOf(error: unknown): string | null {
  if (error instanceof Refusal) return error.code;
  return error instanceof ServiceError ? 'not_accepted' : null;
}
