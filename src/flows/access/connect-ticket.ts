import type { Actor } from '#core/ports/audit.ts';
import type { OneTimeToken } from '#core/ports/one-time-tokens.ts';
import { Refusal } from '#core/refusal.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { App } from '../context.ts';
import { actorOf, refuseSuspended, type Principal } from './principal.ts';
import { hashOf, matches } from './secrets.ts';

/** The link that connects a service is followed at once. */
const ticketSeconds = 60;
const ticketBytes = 24;

/** Content of a spent ticket: the tenant and service it is for, and the person who asked. */
export interface ConnectOrder {
  readonly tenantId: string;
  readonly userId: string;
  /** The session that asked: every step counts only in its browser and while it lives. */
  readonly jti: string;
  readonly actor: Actor;
  /** The person confirmed that another company than before is to be connected. */
  readonly allowsDifferentCompany: boolean;
}

const purposes = { psa: 'connect_psa', accounting: 'connect_accounting' } as const;

/** Hands out a one-time ticket that stands for the session in a link, so that no token is ever part of an address. */
export async function issueConnectTicket(
  app: App,
  principal: Principal,
  tenantId: string,
  wish: { readonly service: Service; readonly allowsDifferentCompany: boolean },
): Promise<string> {
  const ticket = app.randomToken(ticketBytes);
  await app.store.addOneTimeToken({
    hash: hashOf(ticket),
    purpose: purposes[wish.service],
    userId: principal.userId,
    tenantId,
    data: {
      step: 'ticket',
      ...orderData({
        jti: principal.jti,
        actor: actorOf(principal),
        allowsDifferentCompany: wish.allowsDifferentCompany,
      }),
    },
    endsAt: addSeconds(app.clock.now(), ticketSeconds),
  });
  return ticket;
}

/**
 * Spends the ticket of a link.
 *
 * @param cookie the session cookie of the browser that follows the link; must be that of the session that asked.
 * @throws Refusal `link_expired` when unknown, spent or over, and as {@link proveOwner}.
 */
export async function spendConnectTicket(
  app: App,
  service: Service,
  ticket: string | undefined,
  cookie: string | null,
): Promise<ConnectOrder> {
  const order = orderOf(await spend(app, ticket, purposes[service], 'ticket'));
  await proveOwner(app, order, cookie);
  return order;
}

/**
 * Proves that a step of connecting is made in the browser of whoever asked, while their session lives and their client's
 * subscription stands. Without it a link that a program fetched would connect the company of whoever is lured onto it.
 *
 * @throws Refusal `wrong_browser`, `session_ended`, `subscription_suspended`.
 */
export async function proveOwner(app: App, order: ConnectOrder, cookie: string | null): Promise<void> {
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

/** The browser's proofs at a later step. */
export interface Browser {
  /** Secret of the cookie that was set when it began. */
  readonly browserSecret: string | null;
  readonly sessionCookie: string | null;
}

/** Keeps an order for the next step of the same browser; answers the code for it and the secret for its cookie. */
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
 * Takes up a kept order, once.
 *
 * @throws Refusal `link_expired`, and as {@link proveOwner}.
 */
export async function takeOrder(
  app: App,
  purpose: OneTimeToken['purpose'],
  code: string | undefined,
  browser: Browser,
): Promise<ConnectOrder> {
  const spent = await spend(app, code, purpose, 'kept');
  const { browserHash } = spent.data;
  if (typeof browserHash !== 'string') throw new Error('Impossible: a kept order without its browser');
  if (!matches(browser.browserSecret, browserHash)) throw wrongBrowser();
  const order = orderOf(spent);
  await proveOwner(app, order, browser.sessionCookie);
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
    'The connection must be finished in the browser in which it was begun. Please try again.',
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
