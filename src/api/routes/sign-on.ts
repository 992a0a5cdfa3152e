import { callerOf } from '#core/caller.ts';
import { underMaintenance } from '#core/records/maintenance.ts';
import type { FastifyReply } from 'fastify';
import { authorizeSignOn } from '#contract/auth.ts';
import { addressOf } from '#contract/define.ts';
import { Refusal } from '#core/refusal.ts';
import { ownPathOf } from '#core/values/own-path.ts';
import {
  beginSignOn,
  confirmSignOn,
  isKnownLink,
  parseLink,
  proveSignOn,
  signOn,
  type BrowserCode,
} from '#flows/access/sign-on.ts';
import { noteSignIn } from '#flows/access/sign-ins.ts';
import { acceptForms, refuseForeignForm } from '../forms.ts';
import { continuePage, signOnPage } from '../pages.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';

const html = 'text/html; charset=utf-8';

export function signOnRoutes(serving: Serving): void {
  const { app, sessions, jar, events, maintenance } = serving;
  const { label } = app.descriptors.psa;

  serve(serving, 'verifySignOn', async ({ body, request }) => {
    const query = { tenant_id: body.tenant_id, resource_id: body.resource_id };
    const known = await isKnownLink(app, parseLink(query.tenant_id, query.resource_id), callerOf(request.ip));
    return { data: { known, authorize_url: `${app.config.appUrl}${addressOf(authorizeSignOn, { query })}` } };
  });

  serve(serving, 'signOn', async ({ body, request, reply }) => {
    const browser = { browserSecret: jar.read(request, 'sign-on'), sessionCookie: jar.read(request, 'session') };
    const signedIn = await signOn(app, body.token, browser);
    jar.clear(reply, 'sign-on');
    const now = maintenance.current();
    if (now !== null && signedIn.client !== null) throw underMaintenance(now);
    const token = await sessions.begin(signedIn, request, reply);
    await noteSignIn(app, signedIn, request.ip);
    return { data: { token } };
  });

  serveRaw(serving, 'authorizeSignOn', async ({ query, request, reply }) => {
    const link = parseLink(query.tenant_id, query.resource_id);
    const code = await beginSignOn(app, link, jar.read(request, 'session'));
    if (code !== null) return enter(reply, code, query.referrer);
    return reply.type(html).send(signOnPage({ label, ...query, error: null, username: '', needsCode: false }));
  });

  void serving.server.register(async (scope) => {
    acceptForms(scope);
    serveRaw({ ...serving, server: scope }, 'authorizeSignOnForm', async ({ body, request, reply }) => {
      refuseForeignForm(request);
      if ('question' in body)
        return enter(reply, await confirmSignOn(app, body.question, jar.read(request, 'sign-on')), body.referrer);
      const { username, password, tenant_id, resource_id, referrer } = body;
      // The browser sends empty fields too.
      const code = body.code === undefined || body.code.trim() === '' ? undefined : body.code;
      try {
        const knownDevice = sessions.knownDevice(request, username);
        const proof = await proveSignOn(
          app,
          parseLink(tenant_id, resource_id),
          { username, password, code, address: callerOf(request.ip), knownDevice },
          jar.read(request, 'session'),
        );
        if (proof.do === 'enter') return await enter(reply, proof.code, referrer);
        jar.set(reply, 'sign-on', proof.question.browserSecret);
        const { person, signedIn, question } = proof;
        return await reply.type(html).send(continuePage({ person, signedIn, question: question.code, referrer }));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        events.noteFailure(error, request);
        const shown = { label, tenant_id, resource_id, referrer, username, error: error.message, needsCode: true };
        return reply
          .code(error.kind === 'throttled' ? 429 : 401)
          .type(html)
          .send(signOnPage(shown));
      }
    });
  });

  /** Redirects to the application with the code in the URL and its other half in a cookie. */
  const enter = (reply: FastifyReply, { code, browserSecret }: BrowserCode, referrer: string | undefined) => {
    jar.set(reply, 'sign-on', browserSecret);
    const to = new URL(ownPathOf(referrer ?? '') ?? '/my', 'http://here');
    to.searchParams.set('kiss', code);
    return reply.redirect(`${to.pathname}${to.search}`, 303);
  };
}
