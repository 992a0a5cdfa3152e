import { callerOf } from '#core/caller.ts';
import type { FastifyReply } from 'fastify';
import { signInProvider } from '#contract/sign-in-provider.ts';
import { Refusal, type RefusalKind } from '#core/refusal.ts';
import {
  beginProviderSignIn,
  beginProviderTest,
  finishProviderSignIn,
  providerRedirectUri,
} from '#flows/access/provider-sign-in.ts';
import {
  readSignInProvider,
  removeSignInProvider,
  requireSignInProvider,
  saveSignInProvider,
} from '#flows/access/sign-in-provider.ts';
import { proveSecondStep, type BrowserCode } from '#flows/access/sign-on.ts';
import { acceptForms, refuseForeignForm } from '../forms.ts';
import { providerCodePage, providerFailurePage } from '../pages.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';

const html = 'text/html; charset=utf-8';

/** Statuses of failed sign-ins; others are 400. */
const failureStatus: Readonly<Partial<Record<RefusalKind, number>>> = {
  overloaded: 503,
  unauthorized: 401,
  conflict: 409,
};

export function signInProviderRoutes(serving: Serving): void {
  const { app, jar } = serving;

  serve(serving, 'readSignInProvider', async ({ context }) => {
    const { provider, administrators } = await readSignInProvider(context);
    return {
      data: {
        provider: provider === null ? null : toWire(signInProvider, provider),
        administrators,
        redirect_uri: providerRedirectUri(app),
      },
    };
  });

  serve(serving, 'saveSignInProvider', async ({ context, principal, body }) => {
    const { kind, issuer, client_id: clientId, client_secret: clientSecret, domains, was } = body;
    const input = { kind, issuer, clientId, clientSecret, domains, coversSecondStep: body.covers_second_step };
    await saveSignInProvider(app, context, principal, input, was);
    return { data: null };
  });

  serve(serving, 'removeSignInProvider', async ({ context, principal, body }) => {
    await removeSignInProvider(app, context, principal, body?.was);
    return { data: null };
  });

  serve(serving, 'requireSignInProvider', async ({ context, principal, body }) => {
    const { is_required: isRequired, break_glass: breakGlass, was } = body;
    await requireSignInProvider(app, context, principal, { isRequired, breakGlass }, was);
    return { data: null };
  });

  serve(serving, 'testSignInProvider', async ({ context, principal, reply }) => {
    const { url, browserSecret } = await beginProviderTest(app, principal, context.tenantId);
    jar.set(reply, 'provider', browserSecret);
    return { data: { url } };
  });

  serve(serving, 'beginProviderSignIn', async ({ body, request, reply }) => {
    const { url, browserSecret } = await beginProviderSignIn(app, body.username, callerOf(request.ip));
    jar.set(reply, 'provider', browserSecret);
    return { data: { url } };
  });
  browserRoutes(serving);
}

/** The steps that the browser makes without the application. */
function browserRoutes(serving: Serving): void {
  const { app, jar, events } = serving;

  /** Redirects to the application with the code in the URL and its other half in a cookie. */
  const enter = (reply: FastifyReply, { code, browserSecret }: BrowserCode) => {
    jar.set(reply, 'sign-on', browserSecret);
    return reply.redirect(`/my?kiss=${code}`, 303);
  };

  serveRaw(serving, 'providerCallback', async ({ query, request, reply }) => {
    const browserSecret = jar.read(request, 'provider');
    jar.clear(reply, 'provider');
    try {
      const finished = await finishProviderSignIn(app, query, browserSecret);
      if (finished.do === 'tested') return await reply.redirect('/security', 303);
      if (finished.do === 'enter') return await enter(reply, finished.code);
      jar.set(reply, 'sign-on', finished.code.browserSecret);
      return await reply.type(html).send(providerCodePage({ question: finished.code.code, error: null }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      events.noteFailure(error, request);
      return reply
        .code(failureStatus[error.kind] ?? 400)
        .type(html)
        .send(providerFailurePage(error.message));
    }
  });

  void serving.server.register(async (scope) => {
    acceptForms(scope);
    serveRaw({ ...serving, server: scope }, 'providerCode', async ({ body, request, reply }) => {
      refuseForeignForm(request);
      try {
        return await enter(reply, await proveSecondStep(app, body.question, jar.read(request, 'sign-on'), body.code));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        events.noteFailure(error, request);
        const isWrong = error.code === 'code_wrong';
        return reply
          .code(error.kind === 'throttled' ? 429 : isWrong ? 422 : 401)
          .type(html)
          .send(
            isWrong
              ? providerCodePage({ question: body.question, error: error.message })
              : providerFailurePage(error.message),
          );
      }
    });
  });
}
