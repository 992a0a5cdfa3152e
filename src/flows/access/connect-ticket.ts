import type { Actor } from '#core/records/audit.ts';
import type { OneTimeToken } from '#core/records/one-time-tokens.ts';
import { Refusal } from '#core/refusal.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { App } from '../context.ts';
import { actorOf, refuseSuspended, type Principal } from './principal.ts';
import { hashOf, matches } from './secrets.ts';

/** Short: the browser follows a link that connects a service immediately. */
const ticketSeconds = 60;
const ticketBytes = 24;

/** Content of a spent ticket: the tenant and service it is for, and the user who requested it. */
export interface ConnectOrder {
  readonly tenantId: string;
  readonly userId: string;
  /** The session that requested the ticket. Every step must come from its browser, before the session ends. */
  readonly jti: string;
  readonly actor: Actor;
  /** The user confirmed that a different company may be connected. */
  readonly allowsDifferentCompany: boolean;
}

const purposes = { psa: 'connect_psa', accounting: 'connect_accounting' } as const;

/** Issues a one-time ticket that represents the session in a link. This keeps session tokens out of URLs. */
export async function issueConnectTicket(
  app: App,
  principal: Principal,
  tenantId: string,
  request: { readonly service: Service; readonly allowsDifferentCompany: boolean },
): Promise<string> {
  const ticket = app.randomToken(ticketBytes);
  await app.store.addOneTimeToken({
    hash: hashOf(ticket),
    purpose: purposes[request.service],
    userId: principal.userId,
    tenantId,
    data: {
      step: 'ticket',
      ...orderData({
        jti: principal.jti,
        actor: actorOf(principal),
        allowsDifferentCompany: request.allowsDifferentCompany,
      }),
    },
    endsAt: addSeconds(app.clock.now(), ticketSeconds),
  });
  return ticket;
}

/**
 * Spends the ticket of a link.
 *
 * @param cookie session cookie of the browser that follows the link; must belong to the session that requested the
 *   ticket.
 * @throws Refusal `link_expired` when the ticket is unknown, spent or expired, and as {@link assertOwner}.
 */
export async function spendConnectTicket(
  app: App,
  service: Service,
  ticket: string | undefined,
  cookie: string | null,
): Promise<ConnectOrder> {
  const order = orderOf(await spend(app, ticket, purposes[service], 'ticket'));
  await assertOwner(app, order, cookie);
  return order;
}

/**
 * Proves that a step of connecting comes from the browser of the user who requested it, while their session and their
 * client's subscription are active. Without this check, an attacker could send a link to a victim and connect the
 * victim's company to the attacker's account.
 *
 * @throws Refusal `wrong_browser`, `session_ended`, `subscription_suspended`.
 */
export async function assertOwner(app: App, order: ConnectOrder, cookie: string | null): Promise<void> {
  const session = await app.store.readSession(order.jti, app.clock.now());
  if (session === null)
    throw new Refusal(
      'invalid',
      'session_ended',
      'Your session ended before the connection was finished. Log in and connect again.',
    );
  if (session.cookieHash === null || !matches(cookie, session.cookieHash)) throw wrongBrowser();
  await refuseSuspended(app, order.tenantId);
}

/** Proofs that the browser sends in a later step. */
export interface Browser {
  /** Secret from the cookie that was set in the first step. */
  readonly browserSecret: string | null;
  readonly sessionCookie: string | null;
}

/** Stores an order for the browser's next step. Returns the order's code and the secret for the cookie. */
export async function keepOrder(
  app: App,
  order: ConnectOrder,
  next: { readonly purpose: OneTimeToken['purpose']; readonly seconds: number },
): Promise<{ readonly code: string; readonly browserSecret: string }> {
  const code = app.randomToken(32);
  const browserSecret = app.randomToken(32);
  await app.store.addOneTimeToken({
    hash: hashOf(code),
    purpose: next.purpose,
    userId: order.userId,
    tenantId: order.tenantId,
    data: { step: 'kept', ...orderData(order), browserHash: hashOf(browserSecret) },
    endsAt: addSeconds(app.clock.now(), next.seconds),
  });
  return { code, browserSecret };
}

/**
 * Returns a stored order and deletes it.
 *
 * @throws Refusal `link_expired`, and as {@link assertOwner}.
 */
export async function takeOrder(
  app: App,
  purpose: OneTimeToken['purpose'],
  code: string | undefined,
  browser: Browser,
): Promise<ConnectOrder> {
  const spent = await spend(app, code, purpose, 'kept');
  const { browserHash } = spent.data;
  if (typeof browserHash !== 'string') throw new Error('Impossible: a stored order without its browser');
  if (!matches(browser.browserSecret, browserHash)) throw wrongBrowser();
  const order = orderOf(spent);
  await assertOwner(app, order, browser.sessionCookie);
  return order;
}

async function spend(
  app: App,
  code: string | undefined,
  purpose: OneTimeToken['purpose'],
  step: string,
): Promise<OneTimeToken> {
  const spent =
    code === undefined || code === ''
      ? null
      : await app.store.spendOneTimeToken(hashOf(code), purpose, app.clock.now());
  if (spent === null || spent.data['step'] !== step)
    throw new Refusal('invalid', 'link_expired', 'The link to connect has expired. Please try again.');
  return spent;
}

const wrongBrowser = () =>
  new Refusal(
    'invalid',
    'wrong_browser',
    'Finish the connection in the browser in which you started it. Please try again.',
  );

const orderData = (order: Pick<ConnectOrder, 'jti' | 'actor' | 'allowsDifferentCompany'>): JsonObject => ({
  jti: order.jti,
  username: order.actor.username,
  masquerader: order.actor.masquerader ?? null,
  allowsDifferentCompany: order.allowsDifferentCompany,
});

function orderOf({ tenantId, userId, data }: OneTimeToken): ConnectOrder {
  const { jti, username, masquerader } = data;
  if (tenantId === null || userId === null || typeof jti !== 'string' || typeof username !== 'string')
    throw new Error('Impossible: a connect ticket without its owner');
  return {
    tenantId,
    userId,
    jti,
    actor: { username, ...(typeof masquerader === 'string' ? { masquerader } : {}) },
    allowsDifferentCompany: data['allowsDifferentCompany'] === true,
  };
}
