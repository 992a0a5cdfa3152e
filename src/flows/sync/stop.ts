import { problemOfService, type Problem } from '#core/problems.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { StoreUnavailable } from '#core/records/unavailable.ts';
import { Refusal } from '#core/refusal.ts';
import {
  isUnreadableRecord,
  needsAction,
  ServiceError,
  stopsOneKind,
  type ServiceFailure,
} from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { addSeconds, momentText } from '#core/values/dates.ts';
import { never } from '#core/values/assert.ts';
import { withoutTrailing } from '#core/values/text.ts';
import { ProcessEnded } from '../context.ts';
import { type Run, RunStopped, type Stop } from './run.ts';

export const isStop = (error: unknown): error is Stop => error instanceof ServiceError || error instanceof RunStopped;

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

/** Returns the cause of a stop and its fix, for users. */
export function stopSentence(run: Run, stop: Stop): string {
  if (stop instanceof RunStopped) return problemSentence(stop.problem);
  return needsAction(stop.about) || stopsOneKind(stop.about)
    ? problemSentence(problemOf(run, stop))
    : sentenceOf(run, stop);
}

/** Returns the cause as codes, ours and those of the service; equal for equal causes. */
export const stopCode = (stop: Stop): string =>
  stop instanceof RunStopped
    ? stop.problem.code
    : [stop.about.code, stop.about.vendorCode, stop.about.status].filter((one) => one !== undefined).join(' ');

const problemOf = (run: Run, { about }: ServiceError): Problem => problemOfService(about, run.psa.describe.label);

const problemSentence = ({ message, remedy }: Problem): string => (remedy === null ? message : `${message} ${remedy}`);

/**
 * Records the state of the connection after a stop. A connection that was rejected for good is shown as lost until a
 * user reconnects it. One that needs an action in the service shows that action until it works again.
 */
export async function noteConnection(run: Run, stop: Stop): Promise<void> {
  const { store, logger } = run.context;
  if (stop instanceof RunStopped) {
    logger.warn({ code: stop.problem.code }, 'a problem of every document stopped the run');
    return;
  }
  const error = stop;
  logger.warn({ ...error.about }, 'a service stopped the run');
  const { service, next } = error.about;
  if (next === 'reconnect')
    await store.markConnection(service, { status: 'inactive', problem: sentenceOf(run, error) });
  if (needsAction(error.about))
    await store.markConnection(service, { status: 'active', problem: problemSentence(problemOf(run, error)) });
}

/**
 * Checks once whether QuickBooks accepts calls again, so that no document has to fail to find out.
 *
 * @returns the failure that still prevents syncs; null if the connection works.
 */
export async function remainingFailure(run: Run): Promise<ServiceFailure | null> {
  const { store, logger } = run.context;
  try {
    await run.accounting.identify();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    logger.warn({ ...error.about }, 'the connection to QuickBooks still does not work');
    await noteConnection(run, error);
    return error.about;
  }
  await store.markConnection('accounting', { status: 'active' });
  return null;
}

/**
 * Autotask rejects a wrong API user and a wrong tracking identifier with the same error; only the operator can fix the
 * latter.
 */
const operatorHint = ({ about: { service } }: ServiceError): string =>
  service === 'psa' ? ' If the login is rejected again, ask the operator to check the tracking identifier.' : '';

/** Waits of at most this many seconds end before a user has read about them. */
const shortWaitSeconds = 60;

/** Returns when the service accepts calls again, if that is known and not soon. */
function pauseSentence({ context, tenant }: Run, { about: { waitMs = 0 } }: ServiceError): string {
  const seconds = Math.ceil(waitMs / 1_000);
  if (seconds <= shortWaitSeconds) return '';
  return ` Calls are possible again after ${momentText(addSeconds(context.clock.now(), seconds), tenant.timeZone)}.`;
}

function sentenceOf(run: Run, error: ServiceError): string {
  const label = error.about.service === 'psa' ? run.psa.describe.label : run.accounting.describe.label;
  const detail = withoutTrailing(error.about.detail, '.');
  switch (error.about.next) {
    case 'reconnect':
      return `${label} needs to be reconnected. Open Connections, connect it again, then sync again.${operatorHint(error)}`;
    case 'try_again':
      return `${detail}.${pauseSentence(run, error)} The next sync retries the remaining work.`;
    case 'refuse':
    case 'stop_run':
      return `${label} refused: ${detail}.`;
    default:
      return never(error.about.next);
  }
}
