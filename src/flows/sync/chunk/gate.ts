import { type Attempt, hasEnded } from '#core/attempt.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { isWantedAgain, type KindFlow, type StaleDecision, type StateInPsa } from '../kinds/kind.ts';
import { missingInPsa } from '../kinds/missing.ts';
import type { Run } from '../run.ts';
import { type Chunk, halt, type Preflight, type Sending } from './rows.ts';

/**
 * Seconds for which a check is valid. A call of 30 documents takes nine, so every second call needs a check. A document
 * that changes within this time counts as changed while being sent; the next cycle voids it.
 */
const validSeconds = 15;

/** Creates the check for documents of one kind. Calls sent in close succession share one reading of the PSA. */
export function createPreflight(run: Run, { kind, statusField }: KindFlow<unknown>, settings: Settings): Preflight {
  if (statusField === undefined) return () => Promise.resolve(new Map());
  interface Look {
    readonly at: Instant;
    readonly psaIds: ReadonlySet<number>;
    readonly seen: Promise<ReadonlyMap<number, StateInPsa>>;
  }
  /** One for each chunk in progress. */
  let looks: readonly Look[] = [];
  const notes = [note('info', `Changed in ${run.psa.describe.label} since it was read: not sent`)];

  const look = (psaIds: readonly number[]): Look => {
    const seen = run.context.withLogContext({ kind, psaIds }, () => statusField.read(run, settings, psaIds));
    const taken = { at: run.context.clock.now(), psaIds: new Set(psaIds), seen };
    looks = [...looks, taken];
    return taken;
  };

  /** Returns the latest check that covers all these documents and is still valid. */
  function latestOf(psaIds: readonly number[]): Look | undefined {
    looks = looks.filter(({ at }) => run.context.clock.now() < addSeconds(at, validSeconds));
    return looks.findLast((one) => psaIds.every((psaId) => one.psaIds.has(psaId)));
  }

  function staleDecision(state: StateInPsa | undefined, document: Attempt): StaleDecision | null {
    if (state === undefined) return { ...missingInPsa(run, kind, document.psaId), notes };
    const message = state.stale ?? (isWantedAgain(document) ? null : state.alreadySynced);
    if (message === null) return null;
    return { outcome: 'skip', reason: 'changed_in_psa', message, isLoggedOnce: false, notes };
  }

  return async (leaving, waiting) => {
    if (leaving.length === 0) return new Map();
    const ids = leaving.map(({ psaId }) => psaId);
    const { seen } = latestOf(ids) ?? look([...new Set([...ids, ...waiting.map(({ psaId }) => psaId)])]);
    const states = await seen;
    return new Map(
      leaving.flatMap((document): [number, StaleDecision][] => {
        const decision = staleDecision(states.get(document.psaId), document);
        return decision === null ? [] : [[document.psaId, decision]];
      }),
    );
  };
}

/** Which commands of a call may be sent. The others are deferred. */
interface Admission {
  readonly leaving: readonly Sending[];
  /** Commands of documents that changed in the PSA since they were read, and what happens to them instead. */
  readonly stale: ReadonlyMap<Sending, StaleDecision>;
}

const none: Admission = { leaving: [], stale: new Map() };

/** Decides which commands of a call may be sent, right before sending. */
export async function admit(chunk: Chunk, call: readonly Sending[]): Promise<Admission> {
  const { run, rules } = chunk;
  const isClosed = () => rules.progress.isHalted || run.signal.aborted || (rules.isOrdered && chunk.isInDoubt);
  if (isClosed()) return none;
  const isUnstarted = ({ ready }: Sending) => ready.from.state === 'planning';
  const isCancelled =
    rules.jobId !== null && call.some(isUnstarted) && (await run.context.store.isCancelRequested(rules.jobId));
  const going = isCancelled ? call.filter((one) => !isUnstarted(one)) : call;
  const decisions = await findStale(chunk, going);
  if (decisions === null || isClosed()) return none;
  const stale = new Map(
    going.flatMap((one) => {
      const instead = decisions.get(one.ready.from.psaId);
      return instead === undefined ? [] : [[one, instead] as const];
    }),
  );
  return { leaving: going.filter((one) => !stale.has(one)), stale };
}

/** Returns stale documents by PSA id; null if the PSA does not respond, then nothing is sent. */
async function findStale(
  { rules, rows }: Chunk,
  going: readonly Sending[],
): Promise<ReadonlyMap<number, StaleDecision> | null> {
  try {
    return await rules.preflight(
      going.map(({ ready }) => ready.from),
      rows.flatMap(({ attempt }) => (hasEnded(attempt) ? [] : [attempt])),
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    halt(rules.progress, error);
    return null;
  }
}
