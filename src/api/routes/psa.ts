import type { DataOf, RouteDefinition } from '#contract/define.ts';
import { countCompanies, queryPsa, readFieldInfo } from '#contract/psa.ts';
import type { PsaCondition, PsaOperator, PsaQuery } from '#core/ports/psa.ts';
import { loadLinesOfBusiness, loadModules } from '#flows/connections/reference-data.ts';
import type { z } from 'zod';
import { serve, type Serving } from '../serve.ts';

/** Lists on screens may be this old. */
const freshness = { maxAgeSeconds: 900 };

export function psaRoutes(serving: Serving): void {
  serve(serving, 'queryPsa', async ({ context, params, body }) => {
    const response = await (await context.psa()).query(params.entity, toQuery(body.query));
    return { data: passedOn(queryPsa, { response }) };
  });

  serve(serving, 'countCompanies', async ({ context, body }) => {
    const response = await (await context.psa()).count('Companies', toQuery(body.query));
    return { data: passedOn(countCompanies, { response }) };
  });

  serve(serving, 'readFieldInfo', async ({ context, params }) => {
    const response = await (await context.psa()).fieldInfo(params.entity);
    return { data: passedOn(readFieldInfo, { response }) };
  });

  serve(serving, 'readLinesOfBusiness', async ({ context }) => {
    const lines = await loadLinesOfBusiness(context, freshness);
    return {
      data: { lines_of_business: lines.map(({ id, fullyQualifiedName }) => ({ id, fullyQualifiedName })) },
    };
  });

  serve(serving, 'readModules', async ({ context }) => {
    const { procurement, multiCurrency } = await loadModules(context, freshness);
    return { data: { modules: { procurement, multi_currency: multiCurrency } } };
  });
}

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

/** The PSA's own answer, held against the shape that the contract promises. */
function passedOn<R extends RouteDefinition>(definition: R, data: unknown): DataOf<R> {
  const schema: z.ZodType = definition.reply;
  return schema.parse(data) as DataOf<R>;
}
