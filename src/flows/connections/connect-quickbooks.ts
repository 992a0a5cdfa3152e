import { createHash } from 'node:crypto';
import { Refusal } from '#core/refusal.ts';
import { problemOfService } from '#core/problems.ts';
import { needsAction, ServiceError } from '#core/service-error.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { keepOrder, assertOwner, spendConnectTicket, takeOrder, type Browser } from '../access/connect-ticket.ts';
import type { App } from '../context.ts';
import { adoptCompany } from './adopt-company.ts';

/** Time for the user on the consent page. */
const consentSeconds = 900;

const redirectUri = (app: App): string => `${app.config.appUrl}/connect/${app.descriptors.accounting.key}/callback`;

/**
 * Begins to connect QuickBooks: spends the ticket of the link and returns the URL of the consent page.
 *
 * @param cookie the browser's session cookie.
 * @returns `browserSecret` for a cookie that the callback must return.
 * @throws Refusal as `spendConnectTicket`; ServiceError when QuickBooks' endpoints cannot be read.
 */
export async function beginAccountingConnection(
  app: App,
  ticket: string | undefined,
  cookie: string | null,
): Promise<{ readonly consentUrl: string; readonly browserSecret: string }> {
  const order = await spendConnectTicket(app, 'accounting', ticket, cookie);
  const { code: state, browserSecret } = await keepOrder(app, order, {
    purpose: 'oauth_state',
    seconds: consentSeconds,
  });
  const consentUrl = await app.oauth.authorizeUrl({
    state,
    codeChallenge: createHash('sha256').update(codeVerifierOf(state, browserSecret)).digest('base64url'),
    redirectUri: redirectUri(app),
  });
  return { consentUrl, browserSecret };
}

/** Response of the consent page, as the browser returns it. */
export interface ConsentAnswer {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly realmId?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * Finishes connecting QuickBooks. The state works once, and only in the browser that began.
 *
 * @param browser its cookies: the one set at the beginning, and that of the session that requested the connection.
 * @throws Refusal as `takeOrder`, `consent_refused`, `not_accepted`, `company_taken`, `different_company`.
 */
export async function finishAccountingConnection(app: App, answer: ConsentAnswer, browser: Browser): Promise<void> {
  const order = await takeOrder(app, 'oauth_state', answer.state, browser);
  if (answer.error !== undefined)
    throw new Refusal('conflict', 'consent_refused', 'The connection was not allowed. Nothing was changed.');
  const { code, realmId } = answer;
  if (code === undefined || realmId === undefined || !/^\d{1,30}$/.test(realmId)) throw notAccepted();
  const context = app.forTenant(order.tenantId);
  let credentials: AccountingCredentials;
  let name: string;
  try {
    const codeVerifier = codeVerifierOf(answer.state ?? '', browser.browserSecret ?? '');
    credentials = await app.oauth.exchange({ code, codeVerifier, redirectUri: redirectUri(app), realmId });
    name = (await app.accountingFor(credentials).identify()).companyName;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    context.logger.warn({ ...error.about }, 'QuickBooks could not be connected');
    if (needsAction(error.about)) throw notAccepted(problemOfService(error.about, '').message);
    throw notAccepted();
  }
  // Unused consent is not revoked: that would also end the access of the tenant that has the company now.
  const { allowsDifferentCompany } = order;
  // QuickBooks may be slow. A user who was logged out or suspended meanwhile must not connect anything.
  await assertOwner(app, order, browser.sessionCookie);
  const company = { service: 'accounting', externalId: realmId, name, user: order.actor.username } as const;
  await adoptCompany(app, context, { ...company, credentials, allowsDifferentCompany }, order.actor);
}

/**
 * Returns the proof that the same browser began and finishes the connection (PKCE). It is derived from both halves of
 * the order, of which the database has only hashes, so a leaked database cannot redeem a code.
 */
const codeVerifierOf = (state: string, browserSecret: string): string =>
  createHash('sha256').update(`code verifier\n${state}\n${browserSecret}`).digest('base64url');

const notAccepted = (why = 'The service did not accept the connection.') =>
  new Refusal('conflict', 'not_accepted', `${why} Please try again.`);
