import type { RouteDefinition } from '#contract/define.ts';
import type { RouteName } from '#contract/routes.ts';
import { sampleValues } from './sample-values.ts';
import type { RequestValue } from './request-values.ts';

/** The meaning of request values. An unknown value fails the matrix, so a new parameter must be added here. */

/** Kinds of records that belong to a client and have an id. */
export const idKinds = [
  'tenants',
  'closes',
  'drafts',
  'jobs',
  'mappings',
  'logs',
  'users',
  'sessions',
  'invitations',
  'api_keys',
  'notices',
  'chats',
  'webhook_endpoints',
  'webhook_deliveries',
] as const;
export type IdKind = (typeof idKinds)[number];

const idPlaces: readonly (readonly [path: RegExp, at: RegExp, thing: IdKind])[] = [
  [/^\/api\/my\/jobs\/:id/, /^params\.id$/, 'jobs'],
  [/^\/api\/my\/xrefs\/:id/, /^params\.id$/, 'mappings'],
  [/^\/api\/my\/xrefs\//, /^body\.xrefs\[\]\.id$/, 'mappings'],
  [/^\/api\/my\/logs$/, /^query\.key$/, 'logs'],
  [/\/sync\/submit$/, /^body\.subscription_id$/, 'tenants'],
  [/\/(sync\/submit|settle)$/, /^body\.reviewed$/, 'jobs'],
  [/^\/api\/my\/users\/:/, /^params\.id$/, 'users'],
  [/^\/api\/my\/users\/invitations\/:/, /^params\.id$/, 'invitations'],
  [/^\/api\/my\/closes\/:month/, /^(body|query)\.close_id$/, 'closes'],
  [/^\/api\/my\/drafts\//, /^(params\.id|body\.draft_ids\[\])$/, 'drafts'],
  [/^\/api\/my\/api-keys\/:/, /^params\.id$/, 'api_keys'],
  [/^\/api\/my\/sessions\/:/, /^params\.id$/, 'sessions'],
  [/^\/api\/my\/notices\/:/, /^params\.id$/, 'notices'],
  [/^\/api\/my\/webhook-endpoints\/:/, /^params\.id$/, 'webhook_endpoints'],
  [/^\/api\/my\/webhook-deliveries\/:/, /^params\.id$/, 'webhook_deliveries'],
  [/^\/api\/my\/webhooks\/:/, /^params\.id$/, 'chats'],
];

/** Kinds that belong to a user, who needs no client. */
export const personalIdKinds: readonly IdKind[] = ['sessions'];

/**
 * Returns the kind of record that an id names.
 *
 * @throws Error for an unknown place in the contract.
 */
export function idKindAt(definition: RouteDefinition, at: string): IdKind {
  const found = idPlaces.find(([path, place]) => path.test(definition.path) && place.test(at));
  if (found === undefined)
    throw new Error(
      `${definition.method} ${definition.path}: ${at} belongs to one client. Add its kind of record to idPlaces in test/isolation/id-catalogue.ts.`,
    );
  return found[2];
}

/** Ids that work across clients. Only system administrators may send them. */
const crossTenant: Readonly<Record<string, true>> = {
  'POST /auth/masquerade body.client_id': true,
  'POST /auth/force-password-reset/:id params.id': true,
  'GET /api/clients/:id params.id': true,
  'PUT /api/clients/:id/status params.id': true,
  'POST /api/clients/:id/delete params.id': true,
};

/** Instead of the first value of an enumeration. */
const defaultSamples: Readonly<Record<string, unknown>> = { 'params.namespace': 'ItemBilling' };

/** Optional places without which the call fails. */
export const alwaysSent: readonly string[] = [
  'filter[].value',
  // A request has either these or `changes`.
  ...['entity', 'value', 'value_label'].flatMap((part) => [`xrefs[].source_${part}`, `xrefs[].target_${part}`]),
];

/**
 * Returns a sample value.
 *
 * @throws Error for an unknown place.
 */
export function sampleAt(name: RouteName, definition: RouteDefinition, value: RequestValue): unknown {
  if (value.isClosed) return defaultSamples[value.at] ?? value.sample;
  const whole = `${definition.method} ${definition.path} ${value.at}`;
  if (definition.tenantIds.includes(value.at) || crossTenant[whole] === true) return undefined;
  // Values that the caller saw are compared with stored ones; they select no record.
  if (/^body\.was\b/.test(value.at)) return null;
  const known = sampleValues[name];
  if (known !== undefined && Object.hasOwn(known, value.at)) return known[value.at];
  throw new Error(
    `Unknown value ${value.at} of ${definition.method} ${definition.path}. If it can name a record of a client, add it to tenantIds of the route. Otherwise add a sample to test/isolation/sample-values.ts.`,
  );
}

/** Status codes by which calls reject generated requests. */
export const expectedRejections: Partial<Readonly<Record<string, readonly number[]>>> = {
  // The endpoint got a test event seconds ago.
  testWebhookEndpoint: [429],
  masquerade: [409],
  endMasquerade: [409],
  forcePasswordReset: [404],
  beginSecondFactor: [409, 422, 429],
  confirmSecondFactor: [409, 422, 429],
  replaceRecoveryCodes: [409, 422, 429],
  turnOffSecondFactor: [409, 422, 429],
  requireSecondFactor: [409],
  createApiKey: [409],
  saveSignInProvider: [409, 422],
  removeSignInProvider: [404, 409],
  testSignInProvider: [404, 409],
  requireSignInProvider: [404, 409],
  changePassword: [409, 422, 429],
  mailEmailProof: [409],
  saveNoticePreferences: [409],
  changeClientStatus: [404],
  deleteClient: [404],
  readClient: [404],
  exportData: [409, 429],
  clearSyncErrors: [404, 409, 422],
  inviteUser: [409],
  reactivateUser: [409],
  endSession: [404],
  listAskable: [409],
  askUsers: [409, 422],
  // The notice belongs to another user of the client.
  readNotice: [404],
  prepareClose: [409, 422],
  signClose: [409, 422],
  decideException: [404],
  decideExceptions: [404],
  settleException: [404],
  // The run is unknown.
  approveDrafts: [400, 409],
  rejectDrafts: [409],
  // Only the caller's newest change can be undone.
  undoMappingChange: [409],
};
