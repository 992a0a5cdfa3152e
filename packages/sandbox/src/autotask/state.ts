import { createClock } from '../kit/clock.ts';
import type { SandboxRequest } from '../kit/definition.ts';
import { BadInput, objectWith, optionalBoolean, optionalDate, optionalNumber, type JsonObject } from '../kit/input.ts';
import { createGauge, createLimitSettings, createSlidingWindow } from '../kit/limits.ts';
import { createAttachments } from './attachments.ts';
import { createAutotaskBehaviour } from './behaviour.ts';
import { localDate, localInstant } from './calendar.ts';
import { createInvoiceSettings } from './invoice-settings.ts';
import { createSecondTenant, createTables, type SeedOptions } from './seed.ts';
import type { Tables } from './table.ts';
import { createApiUsers, databases, type ApiUser } from './users.ts';

/** Optional settings of a reset. */
export interface AutotaskResetOptions extends Partial<Omit<SeedOptions, 'today'>> {
  /** The calendar date (YYYY-MM-DD) that 2025-03-03 becomes; by default the real date. Also moves the clock. */
  readonly today?: string | undefined;
}

/** The data of one tenant. */
interface Tenant {
  tables: Tables;
  readonly attachments: ReturnType<typeof createAttachments>;
  readonly invoiceSettings: ReturnType<typeof createInvoiceSettings>;
}

const countKeys = ['companies', 'invoices', 'lines_per_invoice', 'purchase_orders', 'expense_reports'] as const;
/** The published quota, which the service also reports when limits are not enforced. */
export const publishedPerHour = 10_000;
const maxCount = 1_000_000;
const hourSeconds = 3600;

/** Reads the body of a reset. */
export function parseReset(body: JsonObject): AutotaskResetOptions {
  const wanted = objectWith(body, ['seed', 'today', 'empty', 'month_end', ...countKeys], 'reset');
  const counts = Object.fromEntries(
    countKeys.map((key) => [key, optionalNumber(wanted[key], key, { min: 0, max: maxCount, whole: true })]),
  );
  return {
    ...counts,
    seed: optionalNumber(wanted.seed, 'seed', { whole: true }),
    today: optionalDate(wanted.today, 'today'),
    empty: optionalBoolean(wanted.empty, 'empty'),
    month_end: optionalBoolean(wanted.month_end, 'month_end'),
  };
}

/** The time of day (Chicago) at which a given day begins, so that it is the same day in every American time zone. */
const startOfWork = '12:00:00';

/** The state of a running sandbox. */
export interface AutotaskState extends ReturnType<typeof createTools> {
  /** Address to which the zone service sends clients of a moved tenant; undefined for this sandbox. */
  movedTo: string | undefined;
}

function createTools() {
  const clock = createClock();
  const behaviour = createAutotaskBehaviour();
  const limits = createLimitSettings({
    requests_per_hour: publishedPerHour,
    threads_per_endpoint: 3,
    requests_per_minute: null,
    concurrent: null,
  });
  const hour = createSlidingWindow(clock, hourSeconds);
  const minute = createSlidingWindow(clock, 60);
  const threads = createGauge();
  const users = createApiUsers();
  const tenants = new Map<number, Tenant>(
    Object.values(databases).map((database) => [
      database,
      { tables: new Map(), attachments: createAttachments(clock), invoiceSettings: createInvoiceSettings() },
    ]),
  );
  /** Callers found by `admitRequest`, until `handle` needs them. */
  const callers = new WeakMap<SandboxRequest, ApiUser>();
  return { clock, behaviour, limits, hour, minute, threads, users, tenants, callers };
}

/** Creates the state of a sandbox without data. */
export const createState = (): AutotaskState => ({ ...createTools(), movedTo: undefined });

/** Returns a tenant. @throws BadInput if it does not exist. */
export function tenantOf({ tenants }: AutotaskState, database: number): Tenant {
  const tenant = tenants.get(database);
  if (tenant === undefined) throw new BadInput(`There is no tenant ${database}.`);
  return tenant;
}

/** Replaces all data by fresh data. @throws BadInput if an option is invalid. */
export function reset(state: AutotaskState, wanted: AutotaskResetOptions): void {
  const { clock, users, tenants, hour, minute, threads } = state;
  const { port: _port, host: _host, ...body } = { port: undefined, host: undefined, ...wanted };
  const parsed = parseReset(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)));
  const today = parsed.today ?? localDate(Date.now());
  tenantOf(state, databases.northwind).tables = createTables({ ...parsed, today });
  tenantOf(state, databases.lakeside).tables = createSecondTenant(today);
  clock.restart(parsed.today === undefined ? undefined : Date.parse(localInstant(today, startOfWork)));
  users.reset();
  for (const { attachments, invoiceSettings } of tenants.values()) {
    attachments.reset();
    invoiceSettings.reset();
  }
  hour.clear();
  minute.clear();
  threads.clear();
  state.movedTo = undefined;
}
