import { addressOf, type DataOf, type RouteDefinition } from '#contract/define.ts';
import {
  countCompanies as countCompaniesRoute,
  queryPsa as queryPsaRoute,
  readFieldInfo as readFieldInfoRoute,
  type clearableEntities,
} from '#contract/psa.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import type { PsaCondition, PsaOperator, PsaQuery } from '#core/ports/psa.ts';
import { actorOf } from '#flows/access/principal.ts';
import { loadModules, loadPsaReference, renewPsaLists } from '#flows/connections/reference-data.ts';
import { countCompanies, queryPsa, readFieldInfo } from '#flows/connections/screen-queries.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import type { z } from 'zod';
import { serve, type Serving } from '../serve.ts';

/** Maximum age of lists on screens. */
const freshness = { maxAgeSeconds: 900 };
/** The modules decide what a form offers; settings are checked with data of the same age. */
const modulesFreshness = { maxAgeSeconds: 300 };

export function psaRoutes(serving: Serving): void {
  serve(serving, 'queryPsa', async ({ context, params, query, body }) => {
    const response = await queryPsa(context, params.entity, pageOf(toQuery(body.query), query.after_id));
    const { response: answer } = passedOn(queryPsaRoute, { response });
    return { data: { response: withOwnLinks(answer, params.entity) } };
  });

  serve(serving, 'countCompanies', async ({ context, body }) => {
    const response = await countCompanies(context, toQuery(body.query));
    return { data: passedOn(countCompaniesRoute, { response }) };
  });

  serve(serving, 'readFieldInfo', async ({ context, params }) => {
    const response = await readFieldInfo(context, params.entity);
    return { data: passedOn(readFieldInfoRoute, { response }) };
  });

  serve(serving, 'clearSyncErrors', async ({ context, params, body, principal }) => {
    const cleared = await clearSyncStatus(context, kindOfEntity[params.entity], body.ids, actorOf(principal));
    return { data: { cleared } };
  });

  serve(serving, 'readLinesOfBusiness', async ({ context, query }) => {
    const { linesOfBusiness: lines } = await (query.refresh
      ? renewPsaLists(context)
      : loadPsaReference(context, freshness));
    return {
      data: { lines_of_business: lines.map(({ id, fullyQualifiedName }) => ({ id, fullyQualifiedName })) },
    };
  });

  serve(serving, 'readModules', async ({ context, query }) => {
    const { procurement, multiCurrency } = query.refresh
      ? (await renewPsaLists(context)).modules
      : await loadModules(context, modulesFreshness);
    return { data: { modules: { procurement, multi_currency: multiCurrency } } };
  });
}

/** The PSA's entity names of the kinds whose status can be cleared. */
const kindOfEntity = {
  Invoices: 'invoice',
  PurchaseOrders: 'purchase_order',
  ExpenseReports: 'expense_report',
} as const satisfies Record<(typeof clearableEntities)[number], SubmittableKind>;

interface WireQuery {
  readonly filter: readonly {
    readonly field: string;
    readonly op: PsaOperator;
    readonly value?: PsaCondition['value'] | undefined;
  }[];
  readonly includeFields?: readonly string[] | undefined;
  readonly MaxRecords?: number | undefined;
}

const toQuery = ({ filter, includeFields, MaxRecords }: WireQuery): PsaQuery => ({
  filter: filter.map(({ field, op, value }) => ({ field, op, ...(value === undefined ? {} : { value }) })),
  ...(includeFields === undefined ? {} : { includeFields }),
  ...(MaxRecords === undefined ? {} : { maxRecords: MaxRecords }),
});

/** Returns the query for the rows after an id. Rows are sorted by id, which makes the id the page position. */
function pageOf(query: PsaQuery, afterId: number | undefined): PsaQuery {
  const { includeFields: fields } = query;
  const hasId = fields === undefined || fields.some((name) => name.toLowerCase() === 'id');
  return {
    ...query,
    filter: afterId === undefined ? query.filter : [...query.filter, { field: 'id', op: 'gt', value: afterId }],
    ...(fields !== undefined && { includeFields: hasId ? fields : ['id', ...fields] }),
  };
}

/** Replaces the PSA's link to the next page with a Tallybridge link, because the caller cannot access the PSA. */
function withOwnLinks(
  answer: DataOf<typeof queryPsaRoute>['response'],
  entity: string,
): DataOf<typeof queryPsaRoute>['response'] {
  const { pageDetails } = answer;
  if (pageDetails === null || pageDetails === undefined) return answer;
  const last = answer.items.at(-1)?.['id'];
  const hasNext = typeof pageDetails['nextPageUrl'] === 'string' && typeof last === 'number';
  const next = hasNext ? addressOf(queryPsaRoute, { params: { entity }, query: { after_id: last } }) : null;
  return { ...answer, pageDetails: { ...pageDetails, prevPageUrl: null, nextPageUrl: next } };
}

/** Returns the PSA's response, checked against the contract. */
function passedOn<R extends RouteDefinition>(definition: R, data: unknown): DataOf<R> {
  const schema: z.ZodType = definition.reply;
  return schema.parse(data) as DataOf<R>;
}
