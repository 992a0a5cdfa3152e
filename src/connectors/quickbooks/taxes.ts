import { z } from 'zod';
import type { AccountingTaxes, ReportPeriod } from '#core/documents/accounting-report.ts';
import { inParallel } from '#core/in-parallel.ts';
import { ServiceError } from '#core/service-error.ts';
import type { QuickbooksApi } from './api.ts';
import { firstPages } from './documents.ts';
import { select } from './query.ts';
import { readTaxSummary } from './reports.ts';
import { idText, readShape, reference, text } from './wire.ts';

const qboRate = z.object({ Id: idText, Name: text, AgencyRef: reference });
const qboAgency = z.object({ Id: idText, DisplayName: text });

/**
 * Maximum agencies whose summaries are read, with one call each: it limits the cost of a month with hundreds of
 * agencies.
 */
const maxAgencies = 5;

/**
 * Reads rates and agencies of sales tax, and QuickBooks' summary of each agency. The report is documented for companies
 * outside the United States [Q72]: if it is refused, the QuickBooks side is unknown.
 */
export async function readTaxes(
  api: QuickbooksApi,
  period: ReportPeriod,
  rateIds: readonly string[],
): Promise<AccountingTaxes> {
  if (rateIds.length === 0) return { rates: [], summaries: [] };
  const operation = 'read tax rates';
  const pages = await firstPages(api, operation, [
    { type: 'TaxRate', where: [], pages: 1 },
    { type: 'TaxAgency', where: [], pages: 1 },
  ]);
  const rowsOf = (type: 'TaxAgency' | 'TaxRate') => select(api, type, { operation, first: pages(type) });
  const [rateRows, agencyRows] = await inParallel([rowsOf('TaxRate'), rowsOf('TaxAgency')]);
  const agencies = new Map(
    agencyRows
      .map((row) => readShape('read TaxAgency', qboAgency, row))
      .map((one) => [one.Id, one.DisplayName ?? one.Id]),
  );
  const rates = rateRows
    .map((row) => readShape('read TaxRate', qboRate, row))
    .map(({ Id, Name, AgencyRef }) => {
      const agencyId = AgencyRef?.value ?? null;
      return {
        id: Id,
        name: Name ?? Id,
        agencyId,
        agency: agencyId === null ? null : (agencies.get(agencyId) ?? null),
      };
    });
  const used = [...new Set(rates.flatMap(({ id, agencyId }) => (rateIds.includes(id) ? (agencyId ?? []) : [])))];
  const summaries = await inParallel(
    used.slice(0, maxAgencies).map(async (agencyId) => {
      const found = await orNull(() => readTaxSummary(api, agencyId, period));
      return found === null ? [] : [{ agencyId, ...found }];
    }),
  );
  return { rates, summaries: summaries.flat() };
}

async function orNull<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.about.next === 'refuse') return null;
    throw error;
  }
}
