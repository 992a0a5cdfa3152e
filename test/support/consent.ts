import type { AccountingOAuth } from '#core/ports/oauth.ts';
import type { AccountingCredentials } from '#core/tenant.ts';

const redirectUri = 'http://localhost:3000/connect/qbo/callback';
const state = 'test-state-0123456789';
const codeVerifier = 'test-verifier-'.padEnd(43, 'x');

/** Gives consent on the consent page for the first company, without a browser. */
export async function giveConsent(oauth: AccountingOAuth): Promise<AccountingCredentials> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const codeChallenge = Buffer.from(digest).toString('base64url');
  const page = await oauth.authorizeUrl({ state, codeChallenge, redirectUri });
  const html = await (await fetch(page)).text();
  const form = new URLSearchParams({ decision: 'connect' });
  for (const [, name = '', value = ''] of html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    form.set(name, value.replaceAll('&amp;', '&'));
  form.set('realm_id', /name="realm_id" value="(\d+)"/.exec(html)?.[1] ?? '');
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '';
  const target = new URL(action.replaceAll('&amp;', '&'), page);
  const answer = await fetch(target, { method: 'POST', body: form, redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '').searchParams;
  return oauth.exchange({
    code: back.get('code') ?? '',
    codeVerifier,
    redirectUri,
    realmId: back.get('realmId') ?? '',
  });
}
