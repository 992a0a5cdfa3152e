import type { AuditFilter, AuditPage } from '#core/records/audit.ts';
import type { LogEntry, LogFilter, LogPage } from '#core/records/log.ts';
import { Refusal } from '#core/refusal.ts';
import { addDays, instant, isCalendarDate, startOfDay, type Instant } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/**
 * Filter of the Logs screen. Days are calendar dates in the tenant's time zone and include the whole day; instants are
 * also allowed.
 */
export type LogSearch = Omit<LogFilter, 'after' | 'before'> & { readonly after?: string; readonly before?: string };

/** Returns a page of the log; the days `after` and `before` are included. */
export async function listLogs(context: TenantContext, { after, before, ...rest }: LogSearch): Promise<LogPage> {
  const needsZone = [after, before].some((text) => text !== undefined && isCalendarDate(text));
  const zone = needsZone ? (await context.store.readTenant()).timeZone : 'UTC';
  return context.store.listLogs({
    ...rest,
    ...(after === undefined ? {} : { after: edge(after, zone, 0) }),
    ...(before === undefined ? {} : { before: edge(before, zone, 1) }),
  });
}

const edge = (text: string, zone: string, daysLater: number): Instant =>
  isCalendarDate(text) ? startOfDay(addDays(text, daysLater), zone) : instant(text);

/** @throws Refusal `not_found` (404). */
export async function readLog({ store }: TenantContext, key: string): Promise<LogEntry> {
  const log = await store.readLog(key);
  if (log === null) throw new Refusal('not_found', 'not_found', 'Log entry not found.');
  return log;
}

/** Returns a page of the audit trail, newest first. */
export const listAudit = ({ store }: TenantContext, filter: AuditFilter): Promise<AuditPage> => store.listAudit(filter);
