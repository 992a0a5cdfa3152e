import { hasEnded, type Attempt } from '#core/attempt.ts';
import { never } from '#core/values/assert.ts';
import type { Ready } from '../batching/coordinator.ts';
import { planning } from './planning.ts';
import { refusing } from './refuse.ts';
import type { DocumentContext } from './context.ts';
import type { Run } from '../run.ts';
import { posting, send } from './posting.ts';
import { unsure } from './reconcile.ts';
import { posted } from './write-back.ts';

/**
 * Brings one document as far as it will go from wherever it stands: gather, plan, post, write back. Every outcome is
 * saved before this returns; recovery after a crash is this same function, called again.
 *
 * @returns the attempt as it is saved, and whether it was kept from going on.
 * @throws ServiceError when a service cannot be used at all: the run stops, the attempt waits or has ended.
 * @throws LeaseLost when another worker has taken over.
 */
export const runDocument = (run: Run, doc: DocumentContext, attempt: Attempt): Promise<DocumentResult> =>
  run.context.withLogContext({ kind: attempt.kind, psaIds: [attempt.psaId] }, () => walk(run, doc, attempt));

/** How far a document came: the attempt as it is saved, and whether it was kept from going on. */
interface DocumentResult {
  readonly attempt: Attempt;
  readonly isDeferred: boolean;
}

async function walk(run: Run, doc: DocumentContext, attempt: Attempt): Promise<DocumentResult> {
  let current = attempt;
  let isDecidedNow = false;
  try {
    while (!hasEnded(current) && !isWaiting(run, current)) {
      const before = current;
      if (!maySend(before)) doc.slot.leave(false);
      const next = await step(run, doc, before, isDecidedNow);
      if (next === null) return { attempt: before, isDeferred: true };
      current = next;
      isDecidedNow = before.state === 'planning' || (isUnsent(before) && isUnsent(current));
    }
    return { attempt: current, isDeferred: false };
  } finally {
    doc.slot.leave(current.state === 'unsure');
  }
}

const isUnsent = (attempt: Attempt): boolean => attempt.state === 'posting' && attempt.sentAt === null;

const maySend = ({ state }: Attempt): boolean => state === 'planning' || state === 'posting' || state === 'unsure';

const isWaiting = (run: Run, attempt: Attempt): boolean =>
  attempt.notBefore !== null && attempt.notBefore > run.context.clock.now();

/** One step; null when something was to be sent and did not leave, or the run was stopped before this was begun. */
async function step(run: Run, doc: DocumentContext, attempt: Attempt, isDecidedNow: boolean): Promise<Attempt | null> {
  switch (attempt.state) {
    case 'planning':
      return sendIfReady(run, doc, await planning(run, doc, attempt));
    case 'posting':
      return sendIfReady(run, doc, await posting(run, doc, attempt, isDecidedNow));
    case 'unsure':
      return unsure(run, doc, attempt);
    case 'posted':
      return posted(run, doc, attempt);
    case 'refusing':
      return refusing(run, doc, attempt);
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

const sendIfReady = (
  run: Run,
  doc: DocumentContext,
  next: Attempt | Ready | null,
): Promise<Attempt | null> | Attempt | null => (next !== null && 'from' in next ? send(run, doc, next) : next);
