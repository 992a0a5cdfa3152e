import type { Actor } from '#core/ports/audit.ts';
import type { Ticket } from '#core/ports/tickets.ts';
import { Refusal } from '#core/refusal.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { App } from '../context.ts';
import { actorOf, type Principal } from './principal.ts';
import { hashOf, matches } from './secrets.ts';

/** The link that connects a service is followed at once. */
const ticketSeconds = 60;
const ticketBytes = 24;

/** What a spent ticket says: for whom, and who asked. */
export interface ConnectOrder {
  readonly tenantId: string;
  readonly userId: string;
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
  await app.store.addTicket({
    hash: hashOf(ticket),
    purpose: purposes[wish.service],
    userId: principal.userId,
    tenantId,
    data: {
      step: 'ticket',
      ...orderData({ actor: actorOf(principal), allowsDifferentCompany: wish.allowsDifferentCompany }),
      cookieHash: principal.cookieHash,
    },
    endsAt: addSeconds(app.clock.now(), ticketSeconds),
  });
  return ticket;
}

/**
 * Spends the ticket of a link.
 *
 * @param cookie the session cookie of the browser that follows the link; must be the one that asked.
 * @throws Refusal `link_expired` when unknown, spent or over; `wrong_browser`.
 */
export async function spendConnectTicket(
  app: App,
  service: Service,
  ticket: string | undefined,
  cookie: string | null,
): Promise<ConnectOrder> {
  const spent = await spend(app, ticket, purposes[service], 'ticket');
  const cookieHash = spent.data['cookieHash'];
  if (typeof cookieHash === 'string' && !matches(cookie, cookieHash)) throw wrongBrowser();
  return orderOf(spent);
}

/** Keeps an order for the next step of the same browser; answers the code for it and the secret for its cookie. */
export async function keepOrder(
  app: App,
  order: ConnectOrder,
  next: { readonly purpose: Ticket['purpose']; readonly seconds: number },
): Promise<{ readonly code: string; readonly browserSecret: string }> {
  const code = app.randomToken(32);
  const browserSecret = app.randomToken(32);
  await app.store.addTicket({
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
 * @throws Refusal `link_expired`, `wrong_browser`.
 */
export async function takeOrder(
  app: App,
  purpose: Ticket['purpose'],
  code: string | undefined,
  browserSecret: string | null,
): Promise<ConnectOrder> {
  const spent = await spend(app, code, purpose, 'kept');
  const { browserHash } = spent.data;
  if (typeof browserHash !== 'string') throw new Error('Impossible: a kept order without its browser');
  if (!matches(browserSecret, browserHash)) throw wrongBrowser();
  return orderOf(spent);
}

async function spend(app: App, code: string | undefined, purpose: Ticket['purpose'], step: string): Promise<Ticket> {
  const spent =
    code === undefined || code === '' ? null : await app.store.spendTicket(hashOf(code), purpose, app.clock.now());
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

const orderData = (order: Pick<ConnectOrder, 'actor' | 'allowsDifferentCompany'>): JsonObject => ({
  username: order.actor.username,
  masquerader: order.actor.masquerader ?? null,
  allowsDifferentCompany: order.allowsDifferentCompany,
});

function orderOf({ tenantId, userId, data }: Ticket): ConnectOrder {
  const { username, masquerader } = data;
  if (tenantId === null || userId === null || typeof username !== 'string')
    throw new Error('Impossible: a connect ticket without its owner');
  return {
    tenantId,
    userId,
    actor: { username, ...(typeof masquerader === 'string' ? { masquerader } : {}) },
    allowsDifferentCompany: data['allowsDifferentCompany'] === true,
  };
}
