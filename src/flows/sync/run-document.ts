import { hasEnded, type Attempt } from '#core/attempt.ts';
import { never } from '#core/values/assert.ts';
import type { Ready } from './meeting.ts';
import { planning } from './plan-document.ts';
import { refusing } from './refuse.ts';
import type { Road } from './road.ts';
import type { Run } from './run.ts';
import { posting, send } from './send.ts';
import { unsure } from './settle.ts';
import { posted } from './write-back.ts';

/**
 * Brings one document as far as it will go from wherever it stands: gather, plan, post, write back. Every outcome is
 * saved before this returns; recovery after a crash is this same function, called again.
 *
 * @returns the attempt as it is saved, and whether it was kept from going on.
 * @throws ServiceError when a service cannot be used at all: the run stops, the attempt waits or has ended.
 * @throws LeaseLost when another worker has taken over.
 */
export const runDocument = (run: Run, road: Road, attempt: Attempt): Promise<Arrival> =>
  run.context.about({ kind: attempt.kind, psaIds: [attempt.psaId] }, () => walk(run, road, attempt));

/** How far a document came: the attempt as it is saved, and whether it was kept from going on. */
interface Arrival {
  readonly attempt: Attempt;
  readonly isWithheld: boolean;
}

async function walk(run: Run, road: Road, attempt: Attempt): Promise<Arrival> {
  let current = attempt;
  let isDecidedNow = false;
  try {
    while (!hasEnded(current) && !isWaiting(run, current)) {
      const before = current;
      if (!maySend(before)) road.seat.leave(false);
      const next = await step(run, road, before, isDecidedNow);
      if (next === null) return { attempt: before, isWithheld: true };
      current = next;
      isDecidedNow = before.state === 'planning' || (isUnsent(before) && isUnsent(current));
    }
    return { attempt: current, isWithheld: false };
  } finally {
    road.seat.leave(current.state === 'unsure');
  }
}

const isUnsent = (attempt: Attempt): boolean => attempt.state === 'posting' && attempt.sentAt === null;

const maySend = ({ state }: Attempt): boolean => state === 'planning' || state === 'posting' || state === 'unsure';

const isWaiting = (run: Run, attempt: Attempt): boolean =>
  attempt.notBefore !== null && attempt.notBefore > run.context.clock.now();

/** One step; null when something was to be sent and did not leave, or the run was stopped before this was begun. */
async function step(run: Run, road: Road, attempt: Attempt, isDecidedNow: boolean): Promise<Attempt | null> {
  switch (attempt.state) {
    case 'planning':
      return sendIfReady(run, road, await planning(run, road, attempt));
    case 'posting':
      return sendIfReady(run, road, await posting(run, road, attempt, isDecidedNow));
    case 'unsure':
      return unsure(run, road, attempt);
    case 'posted':
      return posted(run, road, attempt);
    case 'refusing':
      return refusing(run, road, attempt);
    case 'done':
    case 'simulated':
    case 'skipped':
    case 'refused':
    case 'postponed':
      return attempt;
    default:
      return never(attempt);
  }
}

const sendIfReady = (run: Run, road: Road, next: Attempt | Ready | null): Promise<Attempt | null> | Attempt | null =>
  next !== null && 'from' in next ? send(run, road, next) : next;
