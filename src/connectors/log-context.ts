import { AsyncLocalStorage } from 'node:async_hooks';

/** Whom and what outside calls are made for, for whoever reads the log. */
export interface LogContext {
  readonly tenantId?: string;
  readonly kind?: string;
  readonly psaIds?: readonly number[];
}

const subjects = new AsyncLocalStorage<LogContext>();
/** A line does not list the documents of a whole portion. */
const mostTold = 20;

/** Does something whose outside calls are made for this; calls further in may say it more exactly. */
export const withLogContext = <T>(subject: LogContext, work: () => Promise<T>): Promise<T> =>
  subjects.run({ ...subjects.getStore(), ...subject }, work);

/** How a log line names what the present call is made for; nothing when nobody said. */
export function logContextFields(): object {
  const { psaIds, ...rest } = subjects.getStore() ?? {};
  if (psaIds === undefined) return rest;
  return psaIds.length === 1 ? { ...rest, psaId: psaIds[0] } : { ...rest, psaIds: psaIds.slice(0, mostTold) };
}
