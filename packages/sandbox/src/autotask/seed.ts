/** Creates fresh data: the sample world moved to another day, and generated documents. */
import { createRandom } from '../kit/random.ts';
import { addDays, daysBetween, localInstant, sampleToday } from './calendar.ts';
import { writeGeneratedDocuments, type Counts } from './generated-documents.ts';
import { writeMonthEnd } from './sample-month-end.ts';
import { writeDocuments, writeReferenceData } from './sample-world.ts';
import { writeSecondTenant } from './second-tenant.ts';
import { entityTypes } from './schema.ts';
import type { RecordBuilder } from './record-builder.ts';
import { Table, type Tables } from './table.ts';

/** Options of `POST /__sandbox/reset` and of the start. */
export interface SeedOptions extends Partial<Counts> {
  readonly seed?: number | undefined;
  /** The calendar date (YYYY-MM-DD) that 2025-03-03 becomes. */
  readonly today: string;
  /** Only reference data, companies and products; no documents of the sample world. */
  readonly empty?: boolean | undefined;
  /** Adds a realistic month's customers, taxes and invoices (48401 to 48410) to the documented sample world. */
  readonly month_end?: boolean | undefined;
}

/** Creates empty tables, and a builder that shifts dates so that 2025-03-03 becomes `today`. */
function createBuilder(today: string): { readonly tables: Tables; readonly builder: RecordBuilder } {
  const tables = new Map([...entityTypes.values()].map((type) => [type.name, new Table(type)]));
  const shift = daysBetween(sampleToday, today);
  const builder: RecordBuilder = {
    put(entity, fields) {
      const table = tables.get(entity);
      if (table === undefined) throw new Error(`no entity is called ${entity}`);
      table.put(fields);
    },
    day: (date) => `${addDays(date, shift)}T00:00:00Z`,
    at: (date, time) => localInstant(addDays(date, shift), time),
  };
  return { tables, builder };
}

/** Creates all tables of the second tenant. */
export function createSecondTenant(today: string): Tables {
  const { tables, builder } = createBuilder(today);
  writeSecondTenant(builder);
  return tables;
}

/** Creates all tables. The same options give the same records, byte for byte. */
export function createTables(options: SeedOptions): Tables {
  const { tables, builder } = createBuilder(options.today);
  writeReferenceData(builder);
  if (options.empty !== true) writeDocuments(builder);
  if (options.month_end === true) writeMonthEnd(builder);
  writeGeneratedDocuments(
    { put: builder.put, today: options.today, random: createRandom(options.seed ?? 1) },
    {
      companies: options.companies ?? 0,
      invoices: options.invoices ?? 0,
      lines_per_invoice: options.lines_per_invoice ?? 5,
      purchase_orders: options.purchase_orders ?? 0,
      expense_reports: options.expense_reports ?? 0,
    },
  );
  return tables;
}
