import { AsyncLocalStorage } from 'node:async_hooks';

/** Tenant and documents of outgoing calls, for log lines. */
export interface LogContext {
  readonly tenantId?: string;
  readonly kind?: string;
  readonly psaIds?: readonly number[];
}

const subjects = new AsyncLocalStorage<LogContext>();
/** Maximum documents in a log line, so that it does not list a whole chunk. */
const maxIds = 20;

/** Runs `work`, adding `subject` to the log lines of its outgoing calls; nested calls may refine it. */
export const withLogContext = <T>(subject: LogContext, work: () => Promise<T>): Promise<T> =>
  subjects.run({ ...subjects.getStore(), ...subject }, work);

/** Returns the log fields for the current context; none if it is not set. */
export function logContextFields(): object {
  const { psaIds, ...rest } = subjects.getStore() ?? {};
  if (psaIds === undefined) return rest;
  return psaIds.length === 1 ? { ...rest, psaId: psaIds[0] } : { ...rest, psaIds: psaIds.slice(0, maxIds) };
}
