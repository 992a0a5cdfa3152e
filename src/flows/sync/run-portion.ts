import type { Attempt } from '#core/attempt.ts';
import type { JobResult } from '#core/ports/jobs.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { resultOf } from './end.ts';
import { openMeeting, type MeetingRules } from './meeting.ts';
import type { Road } from './road.ts';
import { runDocument } from './run-document.ts';
import type { Run } from './run.ts';
import { isStop } from './stop.ts';

/** Documents that go side by side: few enough to be fresh when their turn comes, enough to fill several batches. */
export const portionSize = 300;

/** A document that is to be brought forward: where it stands, and what was read for it. */
export interface Traveller {
  readonly attempt: Attempt;
  readonly road: Omit<Road, 'seat'>;
}

/** Documents that go side by side. */
export interface Portion {
  /** Resolves once nothing more of them will be sent to the books; never rejects. */
  readonly sent: Promise<void>;
  /** Something stands against all of them, and against whatever would come after: {@link ended} says what. */
  readonly isStopped: () => boolean;
  /**
   * Resolves once each has gone as far as it will go.
   *
   * @throws ServiceError when a service cannot be used at all: the first one that says so, after the others have come
   *   as far as they could.
   * @throws RunStopped when something stands against all of them.
   * @throws LeaseLost when another worker has taken over.
   */
  readonly ended: Promise<PortionEnd>;
}

export interface PortionEnd {
  /** Of each document that was not kept from going on. */
  readonly results: readonly JobResult[];
  /** PSA ids of documents that were not begun after all. */
  readonly withheld: readonly number[];
  /** Some stay behind a document of which it is not known whether it was made. */
  readonly isHeldUp: boolean;
}

/**
 * Brings documents forward side by side. They meet before something is sent, so that few calls carry many; apart from
 * that, none waits for another, and what becomes of one touches no other.
 */
export function runPortion(run: Run, travellers: readonly Traveller[], rules: MeetingRules): Portion {
  const meeting = openMeeting(run, rules);
  const seated = travellers.map((one) => ({ ...one, seat: meeting.join(one.attempt) }));
  const journeys = seated.map(({ attempt, road, seat }) =>
    runDocument(run, { ...road, seat }, attempt).catch((error: unknown) => {
      meeting.halt();
      throw error;
    }),
  );
  return {
    sent: travellers.length === 0 ? Promise.resolve() : meeting.over,
    isStopped: () => meeting.stoppedBy() !== null,
    ended: ending(),
  };

  async function ending(): Promise<PortionEnd> {
    const outcomes = await Promise.allSettled(journeys);
    const failures = outcomes.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
    const lost = failures.find((error) => error instanceof LeaseLost);
    if (lost !== undefined) throw lost;
    const defect = failures.find((error) => !isStop(error));
    if (defect !== undefined) throw defect;
    const arrived = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const unbegun = arrived.filter(({ attempt, isWithheld }) => isWithheld && attempt.state === 'planning');
    const ids = unbegun.map(({ attempt }) => attempt.id);
    await run.context.store.withdrawAttempts(run.lease, ids);
    const failure = failures[0] ?? meeting.stoppedBy();
    if (failure !== null) throw failure;
    return {
      results: arrived.filter(({ isWithheld }) => !isWithheld).map(({ attempt }) => resultOf(attempt)),
      withheld: unbegun.map(({ attempt }) => attempt.psaId),
      isHeldUp: meeting.isHeldUp(),
    };
  }
}
