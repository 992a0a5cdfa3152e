import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RouteDefinition } from './define.ts';
import { routeNames, routes, type RouteName } from './routes.ts';

/** Checks that every list in a request or a reply has a maximum length. */

const asMany = (names: readonly RouteName[], as: string) => Object.fromEntries(names.map((name) => [name, as]));

/** Lists without paging, each with the reason why its length is limited. */
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
    ],
    'what there is by definition: settings, fields, kinds, zones',
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
  listAttention: '2,000 documents, the newest of what is not through',
  listEligible: 'what one search of the PSA finds',
  describeDocuments: '1,000 in a call',
  listUnderWay: 'what one worker has taken up',
  readMonth: 'the currencies of one month',
  ...asMany(['readRun', 'readDraft', 'approveDrafts'], '5,000 drafts of a run'),
  listCloses: 'a month each',
  readClose: 'the documents of one month',
  listJobs: '50 jobs, without their results',
  ...asMany(['listMappings', 'readMappingTable', 'suggestMappings'], '20,000 mappings of a kind'),
  saveMappings: '1,000 in a call',
  searchMappingTargets: 'its limit',
  ...asMany(
    ['readBooks', 'readAccounts', 'readClasses', 'searchCustomers', 'searchVendors', 'searchItems'],
    'a list of the books, as the service bounds it',
  ),
  readLinesOfBusiness: 'a list of the PSA, as the service bounds it',
  queryPsa: '500 records, as the PSA bounds it',
  clearSyncErrors: '500 in a call',
  ...asMany(['confirmSecondFactor', 'replaceRecoveryCodes'], '10 codes'),
  listSessions: 'the sessions of one person, which end after 12 hours',
  readMeteredReads: 'the 100 clients with the most reads',
  listClients: 'the clients of a deployment, for its system administrators',
};

/** Returns every list inside a schema with its path. */
function listsIn(schema: unknown, at: string): readonly { readonly at: string; readonly most: number | null }[] {
  if (schema instanceof z.ZodArray) {
    const checks = schema.def.checks ?? [];
    const limits = checks.flatMap(({ _zod }) => {
      const { check, maximum } = _zod.def as { readonly check: string; readonly maximum?: number };
      return check === 'max_length' && maximum !== undefined ? [maximum] : [];
    });
    return [{ at, most: limits[0] ?? null }, ...listsIn(schema.element, `${at}[]`)];
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

describe('the contract', () => {
  test('bounds every list that a call takes', () => {
    const endless = routeNames.flatMap((name) => {
      const { body, query } = definitionOf(name);
      return [...listsIn(body, 'body'), ...listsIn(query, 'query')].flatMap(({ at, most }) =>
        most === null ? [`${name} ${at}`] : [],
      );
    });
    expect(endless).toEqual([]);
  });

  test('answers no list without pages but those of which it is known what bounds them', () => {
    const unpaged = routeNames.filter((name) => {
      const { reply, query } = definitionOf(name);
      const hasPages = query instanceof z.ZodObject && 'page_size' in query.shape;
      return !hasPages && listsIn(reply, 'data').length > 0;
    });
    expect(unpaged.toSorted()).toEqual(Object.keys(bounded).toSorted());
  });
});
