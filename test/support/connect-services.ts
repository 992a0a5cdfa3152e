import type { App, TenantContext } from '#flows/context.ts';
import type { Sandboxes } from '#main/sandboxes.ts';

/**
 * Connects a tenant to both sandbox services.
 *
 * @param realmId the company; default: the first one.
 * @param databaseId the identity of Autotask's database, which only one tenant may have; default: the sandbox's.
 */
export async function connectServices(
  app: App,
  tenant: TenantContext,
  sandboxes: Pick<Sandboxes, 'autotaskUrl' | 'quickbooksUrl'>,
  realmId?: string,
  databaseId?: string,
): Promise<void> {
  const answer = await fetch(`${sandboxes.autotaskUrl}/__sandbox/credentials`);
  const { users } = (await answer.json()) as { users: { userName: string; secret: string }[] };
  const user = users[0];
  if (user === undefined) throw new Error('Autotask has no API user');
  const psa = { userName: user.userName, secret: user.secret };
  const identity = await app.psaFor(psa).identify();
  const connection = { status: 'active', connectedAt: app.clock.now(), problem: null } as const;
  await tenant.store.saveConnection(
    {
      ...connection,
      service: 'psa',
      name: identity.companyName,
      user: psa.userName,
      externalId: databaseId ?? identity.databaseId,
    },
    psa,
  );
  await connectAccounting(app, tenant, realmId);
}

/** Connects or reconnects a tenant to QuickBooks. */
export async function connectAccounting(app: App, tenant: TenantContext, realmId?: string): Promise<void> {
  const tokens = await consent(app, realmId);
  const { companyName: name } = await app.accountingFor(tokens).identify();
  const connection = { status: 'active', connectedAt: app.clock.now(), problem: null } as const;
  await tenant.store.saveConnection(
    { ...connection, service: 'accounting', name, user: null, externalId: tokens.realmId },
    tokens,
  );
}

/**
 * Gives consent on the consent page, without a browser.
 *
 * @param realmId the company; default: the first one.
 */
export async function consent(app: App, realmId?: string): Promise<Awaited<ReturnType<App['oauth']['exchange']>>> {
  const codeVerifier = app.randomToken(32);
  const codeChallenge = Buffer.from(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier)),
  ).toString('base64url');
  const redirectUri = 'http://localhost:3000/connect/qbo/callback';
  const page = await app.oauth.authorizeUrl({ state: 'test-state-0123456789', codeChallenge, redirectUri });
  const html = await (await fetch(page)).text();
  const form = new URLSearchParams({ decision: 'connect' });
  for (const [, name = '', value = ''] of html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    form.set(name, value.replaceAll('&amp;', '&'));
  form.set('realm_id', realmId ?? /name="realm_id" value="(\d+)"/.exec(html)?.[1] ?? '');
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '';
  const answer = await fetch(new URL(action.replaceAll('&amp;', '&'), page), {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  const back = new URL(answer.headers.get('location') ?? '');
  return app.oauth.exchange({
    code: back.searchParams.get('code') ?? '',
    codeVerifier,
    redirectUri,
    realmId: back.searchParams.get('realmId') ?? '',
  });
}
