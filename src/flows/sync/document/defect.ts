import { LeaseLost } from '#core/records/leases.ts';
import { StoreUnavailable } from '#core/records/unavailable.ts';
import { Refusal } from '#core/refusal.ts';
import { isUnreadableRecord } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { ProcessEnded } from '../../context.ts';
import { isStop } from '../stop.ts';

/** Returns true for an error caused by a bug, not by a service, the database, a lost lease or a stop. */
export const isDefect = (error: unknown): boolean =>
  !notOurs.some((one) => error instanceof one) && !isStop(error) && !isPassing(error);

const notOurs = [LeaseLost, StoreUnavailable, Refusal, ProcessEnded, ProcessStopping] as const;

/**
 * Returns true for database shutdowns and conflicting transactions, which may succeed next time (PostgreSQL error
 * classes).
 */
const isPassing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(40|53|55|57)/.test(error.code);

/** Returns true for an error that concerns one document, so that the others continue. */
export const isOfOneDocument = (error: unknown): boolean => isDefect(error) || isUnreadableRecord(error);
