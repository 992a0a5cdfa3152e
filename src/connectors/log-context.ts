import { AsyncLocalStorage } from 'node:async_hooks';

/** Tenant and documents that outside calls are made for, for the reader of the log. */
export interface LogContext {
  readonly tenantId?: string;
  readonly kind?: string;
  readonly psaIds?: readonly number[];
}

const subjects = new AsyncLocalStorage<LogContext>();
/** A line does not list the documents of a whole chunk. */
const mostIds = 20;

/** Does something whose outside calls are made for this; calls further in may say it more exactly. */
export const withLogContext = <T>(subject: LogContext, work: () => Promise<T>): Promise<T> =>
  subjects.run({ ...subjects.getStore(), ...subject }, work);

/** Fields of a log line that name what the present call is made for; none when nobody said. */
export function logContextFields(): object {
  const { psaIds, ...rest } = subjects.getStore() ?? {};
  if (psaIds === undefined) return rest;
  return psaIds.length === 1 ? { ...rest, psaId: psaIds[0] } : { ...rest, psaIds: psaIds.slice(0, mostIds) };
}
