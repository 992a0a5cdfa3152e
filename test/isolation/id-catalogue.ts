import type { RouteDefinition } from '#contract/define.ts';
import type { RouteName } from '#contract/routes.ts';
import { harmless } from './harmless.ts';
import type { RequestValue } from './request-values.ts';

/**
 * The meaning of the open values of requests. A value that no line here knows stops the matrix: whoever adds a
 * parameter says whether it can name something of another client.
 */

/** Kinds of things of one client that a request can name by id. */
export const ownedThings = [
  'tenants',
  'closes',
  'drafts',
  'jobs',
  'mappings',
  'logs',
  'users',
  'sessions',
  'invitations',
] as const;
export type OwnedThing = (typeof ownedThings)[number];

const ownedPlaces: readonly (readonly [path: RegExp, at: RegExp, thing: OwnedThing])[] = [
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
  [/^\/api\/my\/sessions\/:/, /^params\.id$/, 'sessions'],
];

/** Things that belong to one person, who need not act for a client to have them. */
export const personalThings: readonly OwnedThing[] = ['sessions'];

/**
 * Finds the kind of thing that the id at a place names.
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

/** Of closed values the first one is sent, unless the rest of the request goes with another one. */
const chosen: Readonly<Record<string, unknown>> = { 'params.namespace': 'ItemBilling' };

/** Places whose schema lets them be left out although the call refuses a request without them. */
export const sentAlways: readonly string[] = ['filter[].value'];

/**
 * Makes a sample to send at a value.
 *
 * @throws Error that says what to do when the place is open and not known.
 */
export function sampleAt(name: RouteName, definition: RouteDefinition, value: RequestValue): unknown {
  if (value.isClosed) return chosen[value.at] ?? value.sample;
  const whole = `${definition.method} ${definition.path} ${value.at}`;
  if (definition.tenantIds.includes(value.at) || crossTenant[whole] === true) return undefined;
  const known = harmless[name];
  if (known !== undefined && Object.hasOwn(known, value.at)) return known[value.at];
  throw new Error(
    `The isolation matrix does not know what ${value.at} of ${definition.method} ${definition.path} means. If it can name something of one client, put it into tenantIds of the route; otherwise give it a sample under its route in test/isolation/harmless.ts.`,
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
  changePassword: [409, 422, 429],
  mailEmailProof: [409],
  saveAlertWish: [409],
  changeClientStatus: [404],
  deleteClient: [404],
  readClient: [404],
  exportData: [409, 429],
  clearSyncErrors: [404, 409, 422],
  inviteUser: [409],
  reactivateUser: [409],
  endSession: [404],
  prepareClose: [409, 422],
  signClose: [409, 422],
  decideException: [404],
  settleException: [404],
  // A run that nobody has seen, or drafts beside it.
  approveDrafts: [400, 409],
  rejectDrafts: [409],
  // The id of a change counts only as the newest of the caller's own: the one made up never is.
  undoMappingChange: [409],
};
