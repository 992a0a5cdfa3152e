import type { RouteDefinition } from '#contract/define.ts';
import type { RouteName } from '#contract/routes.ts';
import { settingKeys } from '#core/settings/definitions.ts';
import type { RequestValue } from './request-values.ts';

/**
 * What the open values of requests mean. A value that no line here knows stops the matrix: whoever adds a parameter
 * says whether it can name something of another client.
 */

/** Kinds of things of one client that a request can name by id. */
export const ownedThings = ['tenants', 'jobs', 'mappings', 'logs', 'users', 'sessions', 'invitations'] as const;
export type OwnedThing = (typeof ownedThings)[number];

const ownedPlaces: readonly (readonly [path: RegExp, at: RegExp, thing: OwnedThing])[] = [
  [/^\/api\/my\/jobs\/:id/, /^params\.id$/, 'jobs'],
  [/^\/api\/my\/xrefs\/:id/, /^params\.id$/, 'mappings'],
  [/^\/api\/my\/xrefs\//, /^body\.xrefs\[\]\.id$/, 'mappings'],
  [/^\/api\/my\/logs$/, /^query\.key$/, 'logs'],
  [/\/sync\/submit$/, /^body\.subscription_id$/, 'tenants'],
  [/^\/api\/my\/users\/:/, /^params\.id$/, 'users'],
  [/^\/api\/my\/users\/invitations\/:/, /^params\.id$/, 'invitations'],
  [/^\/api\/my\/sessions\/:/, /^params\.id$/, 'sessions'],
];

/** Things that belong to one person, who need not act for a client to have them. */
export const personalThings: readonly OwnedThing[] = ['sessions'];

/**
 * Whose the id at a place is.
 *
 * @throws Error that says what to do when the contract names a place that the matrix does not know.
 */
export function thingAt(definition: RouteDefinition, at: string): OwnedThing {
  const found = ownedPlaces.find(([path, place]) => path.test(definition.path) && place.test(at));
  if (found === undefined)
    throw new Error(
      `${definition.method} ${definition.path} says that ${at} belongs to one client: tell the isolation matrix in test/isolation/id-catalogue.ts (ownedPlaces) which things these are.`,
    );
  return found[2];
}

/** Places whose ids name something across clients by right: only system administrators may send them. */
const crossTenant: Readonly<Record<string, true>> = {
  'POST /auth/masquerade body.client_id': true,
  'POST /auth/force-password-reset/:id params.id': true,
  'GET /api/clients/:id params.id': true,
  'PUT /api/clients/:id/status params.id': true,
  'POST /api/clients/:id/delete params.id': true,
};

const nobodysCode = 'a-code-that-nobody-was-given';
const mappedEntity = 'BillingCode';

/**
 * Values that name nothing of a client of ours: free text, credentials of the caller, records of the caller's own
 * services, and one-time codes (whose own tests are in codes.test.ts). The longest ending of a place that matches
 * counts; the sample is what the matrix sends where a value is needed.
 */
const harmless: Readonly<Record<string, unknown>> = {
  username: 'nobody@nowhere.example',
  password: 'Wrong-Horse-9!',
  email: 'nobody@nowhere.example',
  name: 'Nobody',
  reason: 'A sentence.',
  first_name: 'No',
  last_name: 'Body',
  api_user: 'nobody',
  api_secret: 'nothing',
  'company.id': 1,
  'company.companyName': 'Nowhere',
  time_zone: 'UTC',
  // One-time codes and what comes back from the consent page.
  token: nobodysCode,
  form: nobodysCode,
  question: nobodysCode,
  'query.state': nobodysCode,
  'query.code': nobodysCode,
  'body.code': '000000',
  'query.error': 'access_denied',
  'query.realmId': '1',
  // Who somebody says to be in the PSA; proves nothing, and is asked about in public.
  tenant_id: 'nowhere',
  resource_id: '999999',
  referrer: '/settings',
  // Ids in the caller's own PSA and books: they are asked of the connection of the session's client.
  'invoice_ids[]': 48213,
  'po_ids[]': 3310,
  'expense_report_ids[]': 1207,
  'body.ids[]': 48213,
  'body.confirmed': 1,
  'xrefs[].source_entity': mappedEntity,
  'xrefs[].source_value': '29',
  'xrefs[].source_value_label': 'Labour',
  'xrefs[].target_entity': 'Item',
  'xrefs[].target_value': '21',
  'xrefs[].target_value_label': 'Services',
  'xrefs[].was': '21',
  'body.change': '0',
  'query.source_entity': mappedEntity,
  'query.source_value': '29',
  'query.target_value': '21',
  'filter[].field': 'id',
  'filter[].value': 1,
  'filter[].value[]': 1,
  'includeFields[]': 'id',
  MaxRecords: 10,
  // Searching and turning pages.
  DisplayName: 'a',
  Name: 'a',
  attributes: 'Id|Name',
  q: 'a',
  person: 'a',
  'query.after': '2025-03-01',
  'query.before': '2025-03-31',
  page: '1',
  page_size: '10',
  // Bodies of others, refused by their signature.
  'booksWebhook body': {},
  ...Object.fromEntries(
    settingKeys.flatMap((key) => [[`body.${key}`, null] as const, [`body.${key}[]`, null] as const]),
  ),
};

/** Of closed values the first one is sent, unless the rest of the request goes with another one. */
const chosen: Readonly<Record<string, unknown>> = { 'params.namespace': 'ItemBilling' };

/** Places whose schema lets them be left out although the call refuses a request without them. */
export const sentAlways: readonly string[] = ['filter[].value'];

/**
 * What to send at a value.
 *
 * @throws Error that says what to do when the place is open and not known.
 */
export function sampleAt(name: RouteName, definition: RouteDefinition, value: RequestValue): unknown {
  if (value.isClosed) return chosen[value.at] ?? value.sample;
  const whole = `${definition.method} ${definition.path} ${value.at}`;
  if (definition.tenantIds.includes(value.at) || crossTenant[whole] === true) return undefined;
  const parts = value.at.split('.');
  for (let from = 0; from < parts.length; from += 1) {
    const ending = parts.slice(from).join('.');
    for (const key of from === 0 ? [`${name} ${ending}`, ending] : [ending])
      if (Object.hasOwn(harmless, key)) return harmless[key];
  }
  throw new Error(
    `The isolation matrix does not know what ${value.at} of ${definition.method} ${definition.path} means. If it can name something of one client, put it into tenantIds of the route; otherwise give it a sample in test/isolation/id-catalogue.ts (harmless).`,
  );
}

/** Calls of a client that refuse what the matrix makes up, with the status by which they do: they want more than a form. */
export const refusedAnyway: Partial<Readonly<Record<string, readonly number[]>>> = {
  masquerade: [409],
  endMasquerade: [409],
  forcePasswordReset: [404],
  beginSecondFactor: [409, 422, 429],
  confirmSecondFactor: [409, 422, 429],
  replaceRecoveryCodes: [409, 422, 429],
  turnOffSecondFactor: [409, 422, 429],
  requireSecondFactor: [409],
  saveAlertWish: [409],
  changeClientStatus: [404],
  deleteClient: [404],
  readClient: [404],
  exportData: [409, 429],
  clearSyncErrors: [404, 409, 422],
  inviteUser: [409],
  reactivateUser: [409],
  endSession: [404],
};
