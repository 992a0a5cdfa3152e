import type { ControlHooks } from '../kit/definition.ts';
import {
  BadInput,
  type JsonObject,
  objectWith,
  optionalBoolean,
  optionalDate,
  optionalNumber,
  optionalText,
} from '../kit/input.ts';
import { controlLedger } from './ledger/control-ledger.ts';
import { merge } from './merge.ts';
import { type QuickBooksState, type StateData, chosen } from './state.ts';

/** Returns the calls of the control API besides the usual ones. */
export function controlCalls(state: QuickBooksState): NonNullable<ControlHooks['calls']> {
  const { connections, webhooks, chats, events } = state;
  const realmIn = (body: JsonObject) => {
    const realmId = optionalText(body['realmId'], 'realmId');
    if (realmId !== undefined) chosen(state, realmId);
    return realmId;
  };
  return {
    'POST /revoke': (body) => {
      objectWith(body, ['realmId', 'how'], 'revoke');
      const how = optionalText(body['how'], 'how') ?? 'disconnect';
      if (how !== 'disconnect' && how !== 'user-left') throw new BadInput('how must be one of: disconnect, user-left.');
      const realmId = realmIn(body);
      return { connections: how === 'disconnect' ? connections.revokeAll(realmId) : connections.removeUser(realmId) };
    },
    'POST /expire-tokens': (body) => {
      objectWith(body, ['realmId', 'what'], 'expire-tokens');
      const what = optionalText(body['what'], 'what') ?? 'access';
      if (what !== 'access' && what !== 'refresh' && what !== 'both')
        throw new BadInput('what must be one of: access, refresh, both.');
      return { access_tokens: connections.expire(what, realmIn(body)) };
    },
    'POST /merge': (body) => merge(chosen(state, realmIn(body)), body),
    'POST /webhooks': (body) => {
      objectWith(body, ['url'], 'webhooks');
      const url = optionalText(body['url'] ?? undefined, 'url');
      if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
        throw new BadInput('url must be an http or https address.');
      webhooks.setUrl(url);
      return { url: url ?? null };
    },
    'GET /webhooks': () => ({ url: webhooks.url ?? null, deliveries: webhooks.deliveries }),
    'GET /chats': () => ({ messages: chats.messages }),
    'GET /events': () => ({ events: events.events }),
    'POST /event-secrets': (body) => {
      const { secrets } = objectWith(body, ['secrets'], 'event-secrets');
      if (!Array.isArray(secrets) || !secrets.every((one) => typeof one === 'string'))
        throw new BadInput('secrets must be a list of texts.');
      events.trust(secrets);
      return {};
    },
    'GET /mails': (_body, request) => {
      const realmId = request.params.get('realmId') ?? undefined;
      const from = realmId === undefined ? state.companies : [chosen(state, realmId)];
      return { items: from.flatMap((company) => company.mails) };
    },
    'GET /ledger': (_body, request) =>
      controlLedger(chosen(state, request.params.get('realmId') ?? undefined), request.params),
    'GET /connections': () => ({
      items: connections.living().map(({ realmId, scopes, connectedAt, refreshExpiresAt }) => ({
        realmId,
        scopes,
        connectedAt: new Date(connectedAt).toISOString(),
        refreshExpiresAt: new Date(refreshExpiresAt).toISOString(),
      })),
    }),
  };
}

/** Reads the body of a reset. */
export function parseReset(body: JsonObject): StateData {
  const allowed = [
    'seed',
    'today',
    'companies',
    'invoices',
    'lines_per_invoice',
    'purchase_orders',
    'expense_reports',
    'empty',
  ];
  objectWith(body, allowed, 'reset');
  const whole = (key: string, max: number, min = 0) => optionalNumber(body[key], key, { min, max, whole: true });
  const data: Record<string, unknown> = {
    seed: optionalNumber(body['seed'], 'seed', { whole: true }),
    today: optionalDate(body['today'], 'today'),
    empty: optionalBoolean(body['empty'], 'empty'),
    companies: whole('companies', 100_000),
    invoices: whole('invoices', 200_000),
    linesPerInvoice: whole('lines_per_invoice', 200, 1),
    purchaseOrders: whole('purchase_orders', 100_000),
    expenseReports: whole('expense_reports', 100_000),
  };
  // Every value was checked above; missing ones are dropped.
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
