import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RouteDefinition } from './define.ts';
import { routeNames, routes, type RouteName } from './routes.ts';

/** Checks that every list in a request or response has a maximum length. */

const asMany = (names: readonly RouteName[], as: string) => Object.fromEntries(names.map((name) => [name, as]));

/** Lists without paging, with the reason for their limited length. */
const bounded: Partial<Readonly<Record<RouteName, string>>> = {
  ...asMany(
    [
      'readSettings',
      'saveSettings',
      'resetSettings',
      'previewSettings',
      'readSubscription',
      'readEnvironment',
      'readFieldInfo',
      'readTimeZone',
      'readDetected',
      'summarizeMappings',
      'readNoticePreferences',
      'saveNoticePreferences',
    ],
    'fixed by definition: settings, fields, kinds, zones, groups of notices',
  ),
  ...asMany(
    [
      'readJob',
      'readReview',
      'watchJob',
      'cancelJob',
      'submitAll',
      'submitInvoices',
      'submitPurchaseOrders',
      'submitExpenseReports',
      'submitPayments',
      'submitVoids',
      'submitDifferences',
      'settleException',
    ],
    'the documents of one job',
  ),
  listAttention: 'the latest 2,000 failed documents',
  readCurrentDocument: 'the lines of one document, 30 payments and credits',
  listEligible: 'what one search of the PSA finds',
  describeDocuments: '1,000 in a call',
  listUnderWay: 'running documents of one worker',
  readMonth: 'the currencies of one month',
  readMoney: 'two months of days, and 24 hours',
  ...asMany(['readRun', 'readDraft', 'approveDrafts'], '5,000 drafts of a run'),
  ...asMany(
    [
      'listWebhookEndpoints',
      'addWebhookEndpoint',
      'changeWebhookEndpoint',
      'pauseWebhookEndpoint',
      'rotateWebhookSecret',
    ],
    '10 endpoints of a client, with 5 events each',
  ),
  ...asMany(['listChats', 'addChat', 'changeChat'], '5 chats of a client'),
  listOwned: '20 keys, 10 endpoints, 5 chats and the open invitations of a client',
  listCloses: 'a month each',
  readClose: 'the documents of one month',
  decideExceptions: '1,000 in a call',
  listJobs: '50 jobs, without their results',
  ...asMany(['listMappings', 'readMappingTable', 'suggestMappings'], '20,000 mappings of a kind'),
  saveMappings: '1,000 in a call',
  searchMappingTargets: 'its limit',
  ...asMany(
    ['readAccounting', 'readAccounts', 'readClasses', 'searchCustomers', 'searchVendors', 'searchItems'],
    'a list of QuickBooks, limited by the service',
  ),
  readLinesOfBusiness: 'a list of the PSA, as the service bounds it',
  queryPsa: '500 records, as the PSA bounds it',
  clearSyncErrors: '500 in a call',
  ...asMany(['confirmSecondFactor', 'replaceRecoveryCodes'], '10 codes'),
  listAskable: 'at most 200 users of a client',
  askUsers: 'at most 200 users of a client',
  readSignInProvider: '20 domains, and at most 200 administrators of a client',
  listApiKeys: 'the API keys of a client, at most 20',
  listSessions: 'the sessions of one person, which end after 12 hours',
  readMeteredReads: 'the 100 clients with the most reads',
  listClients: 'the clients of a deployment, for its system administrators',
  readDeployment: 'the processes of a deployment, and the migrations of a release',
};

/** Returns every list inside a schema with its path. */
function listsIn(schema: unknown, at: string): readonly { readonly at: string; readonly maxLength: number | null }[] {
  if (schema instanceof z.ZodArray) {
    const checks = schema.def.checks ?? [];
    const limits = checks.flatMap(({ _zod }) => {
      const { check, maximum } = _zod.def as { readonly check: string; readonly maximum?: number };
      return check === 'max_length' && maximum !== undefined ? [maximum] : [];
    });
    return [{ at, maxLength: limits[0] ?? null }, ...listsIn(schema.element, `${at}[]`)];
  }
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([key, inner]) => listsIn(inner, `${at}.${key}`));
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => listsIn(one, at));
  if (schema instanceof z.ZodPipe) return listsIn(schema.in, at);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return listsIn(schema.unwrap(), at);
  return [];
}

const definitionOf = (name: RouteName): RouteDefinition => routes[name];

describe('the API contract', () => {
  test('limits every list in a request', () => {
    const unlimited = routeNames.flatMap((name) => {
      const { body, query } = definitionOf(name);
      return [...listsIn(body, 'body'), ...listsIn(query, 'query')].flatMap(({ at, maxLength }) =>
        maxLength === null ? [`${name} ${at}`] : [],
      );
    });
    expect(unlimited).toEqual([]);
  });

  test('returns lists without paging only if their length is limited', () => {
    const unpaged = routeNames.filter((name) => {
      const { reply, query } = definitionOf(name);
      const hasPages = query instanceof z.ZodObject && 'page_size' in query.shape;
      return !hasPages && listsIn(reply, 'data').length > 0;
    });
    expect(unpaged.toSorted()).toEqual(Object.keys(bounded).toSorted());
  });
});
