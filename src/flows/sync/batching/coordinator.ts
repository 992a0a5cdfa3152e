import type { Attempt, In } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Kind } from '#core/kinds.ts';
import type { Plan } from '#core/planning/plan.ts';
import { createSemaphore } from '#core/semaphore.ts';
import type { Problem } from '#core/problems.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import { ServiceError } from '#core/service-error.ts';
import { batches } from './compose-calls.ts';
import type { StaleDecision, Preflight } from './preflight.ts';
import { postTogether, type Sent } from './send-call.ts';
import { nextCommand } from '../document/context.ts';
import type { Run } from '../run.ts';
import { RunStopped, type Stop } from '../stop.ts';

/** A command that may leave: the attempt as it is saved, and as it will be once it is sent. */
export interface Ready {
  readonly from: Attempt;
  readonly to: In<'posting'>;
  readonly effects?: AdvanceEffects;
}

/**
 * What came of a command that was ready. `deferred`: it was not sent, and the attempt is as it was. `stale`: it
 * must not leave any more, because the PSA's document has changed.
 */
export type Outcome =
  | Sent
  | { readonly came: 'deferred' }
  | { readonly came: 'stale'; readonly instead: StaleDecision };

/** A document's participation in the batches of its chunk. */
export interface BatchSlot {
  /** Sends the next command together with those of the others. */
  send(ready: Ready): Promise<Outcome>;
  /**
   * Reserves the keys of the shared records that a plan creates, until the first command that creates none is sent.
   *
   * @returns the reservation of another document that creates one of them: once it is released, the plan is made anew.
   */
  reserve(plan: Plan): KeyReservation | null;
  /** Waits for another document to be through; meanwhile the others need not wait for this one. */
  awaitReservation(reservation: KeyReservation): Promise<void>;
  /**
   * Something was found out that stands against every document: nothing is sent any more.
   *
   * @returns false when another one has said so first, which is enough.
   */
  stop(problem: Problem): boolean;
  /**
   * Nothing more will be sent.
   *
   * @param isUnsure it is not known whether what was sent was made.
   */
  leave(isUnsure: boolean): void;
}

/** Keys of shared records that one document of a chunk creates for all of them (single flight). */
interface KeyReservation {
  readonly keys: readonly string[];
  readonly through: PromiseWithResolvers<void>;
  followers: number;
}

/** Collects the commands of a chunk's documents until all that may send are ready, so that few calls carry many. */
export interface BatchCoordinator {
  join(attempt: Attempt): BatchSlot;
  /** Nothing new is sent: a service cannot be used, or something broke. */
  halt(): void;
  /** Resolves once every slot was left. */
  readonly over: Promise<void>;
  /** A document of which it is not known whether it was made keeps those behind it waiting. */
  readonly isHeldUp: () => boolean;
  /** Why nothing was sent any more, when that is known of all documents alike. */
  readonly stoppedBy: () => Stop | null;
}

export interface BatchRules {
  readonly kind: Kind;
  /** Documents of the whole job, which decides how large batches are. */
  readonly total: number;
  /** Documents are made one call after another, in the order of their PSA ids: the books number them. */
  readonly isOrdered: () => Promise<boolean>;
  /** Asked before each call; what was begun is brought to its end all the same. */
  readonly isCancelled: () => Promise<boolean>;
  /** Asked before each call for those that would leave with it. */
  readonly preflight: Preflight;
}

/** Calls that write to the books side by side; the connector keeps two of its places for reading. */
const callsAtOnce = 6;

/** A coordinator for the documents of one chunk. All of them join before the first one sends. */
export function createBatchCoordinator(run: Run, rules: BatchRules): BatchCoordinator {
  interface Waiting {
    readonly ready: Ready;
    readonly done: PromiseWithResolvers<Outcome>;
  }
  const over = Promise.withResolvers<void>();
  const reservations = new Map<string, KeyReservation>();
  let waiting: Waiting[] = [];
  /** Documents of which something may still be sent. */
  const open = new Set<Attempt>();
  let absent = 0;
  /** Some documents left without knowing whether they were made. */
  let isInDoubt = false;
  let isHeldUp = false;
  let isHalted = false;
  let stoppedBy: Stop | null = null;

  /** Sends once everyone who may still send is there. */
  function look(): void {
    if (open.size === 0) over.resolve();
    if (waiting.length === 0 || waiting.length + absent < open.size) return;
    const making = waiting.filter(({ ready }) => makesRecord(ready));
    // Records come first: documents refer to them, and those that wait for one are to be among the others in order.
    const now = making.length > 0 ? making : waiting;
    waiting = making.length > 0 ? waiting.filter((one) => !makesRecord(one.ready)) : [];
    void flush(now);
  }

  async function flush(now: readonly Waiting[]): Promise<void> {
    try {
      const isOrdered = await rules.isOrdered();
      const most = run.accounting.mostPerBatch;
      const calls = batches(now, { total: rules.total, isSingleFile: isOrdered, most });
      if (isOrdered) {
        // What became of the first call is known to its documents before the next one leaves.
        const [first = [], ...later] = calls;
        waiting.push(...later.flat());
        await send(first, true);
        return;
      }
      const inTurn = createSemaphore(callsAtOnce);
      await inParallel(calls.map((call) => inTurn(() => send(call, false))));
    } catch (error) {
      for (const { done } of now) done.reject(error);
    }
  }

  async function send(call: readonly Waiting[], isOrdered: boolean): Promise<void> {
    try {
      const leaving = await admitted(call, isOrdered);
      if (leaving.length === 0) return;
      const ready = leaving.map((one) => one.ready);
      const psaIds = ready.map(({ from }) => from.psaId);
      const outcomes = await run.context.withLogContext({ kind: rules.kind, psaIds }, () => postTogether(run, ready));
      for (const [index, { done }] of leaving.entries()) done.resolve(outcomes[index] ?? { came: 'deferred' });
    } catch (error) {
      // Whoever has its outcome already is not met by this.
      for (const { done } of call) done.reject(error);
    }
  }

  /** Those of a call that may leave now; the others are told that they do not. */
  async function admitted(call: readonly Waiting[], isOrdered: boolean): Promise<readonly Waiting[]> {
    const defer = (some: readonly Waiting[]) => {
      for (const { done } of some) done.resolve({ came: 'deferred' });
      return call.filter((one) => !some.includes(one));
    };
    isHeldUp ||= isOrdered && isInDoubt;
    const mayNotSend = () => isHalted || run.signal.aborted || isHeldUp;
    if (mayNotSend()) return defer(call);
    const unbegun = call.filter(({ ready }) => ready.from.state === 'planning');
    const going = unbegun.length > 0 && (await rules.isCancelled()) ? defer(unbegun) : call;
    const stale = await lookAt(going);
    if (stale === null || mayNotSend()) return defer(call);
    return going.filter(({ ready, done }) => {
      const instead = stale.get(ready.from.psaId);
      if (instead !== undefined) done.resolve({ came: 'stale', instead });
      return instead === undefined;
    });
  }

  /** Null when the PSA does not say: then nothing leaves. */
  async function lookAt(going: readonly Waiting[]): Promise<ReadonlyMap<number, StaleDecision> | null> {
    try {
      return await rules.preflight(
        going.map(({ ready }) => ready.from),
        [...open],
      );
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      stoppedBy ??= error;
      isHalted = true;
      return null;
    }
  }

  return {
    over: over.promise,
    isHeldUp: () => isHeldUp,
    stoppedBy: () => stoppedBy,
    halt() {
      isHalted = true;
    },
    join(attempt) {
      open.add(attempt);
      let isThere = true;
      let held: KeyReservation | undefined;
      const release = () => {
        if (held === undefined) return;
        for (const key of held.keys) reservations.delete(key);
        // They are waited for from now on: they are to come before anything more is sent.
        absent -= held.followers;
        held.through.resolve();
        held = undefined;
      };
      return {
        send(ready) {
          if (!makesRecord(ready)) release();
          const done = Promise.withResolvers<Outcome>();
          waiting.push({ ready, done });
          look();
          return done.promise;
        },
        reserve(plan) {
          const keys = recordsOf(plan);
          // All of them or none: nobody keeps one while waiting for another.
          for (const key of keys) {
            const taken = reservations.get(key);
            if (taken !== undefined) return taken;
          }
          held = { keys, through: Promise.withResolvers<void>(), followers: 0 };
          for (const key of keys) reservations.set(key, held);
          return null;
        },
        stop(problem) {
          if (stoppedBy !== null) return false;
          stoppedBy = new RunStopped(problem);
          isHalted = true;
          return true;
        },
        awaitReservation(reservation) {
          reservation.followers += 1;
          absent += 1;
          look();
          return reservation.through.promise;
        },
        leave(isUnsure) {
          if (!isThere) return;
          isThere = false;
          isInDoubt ||= isUnsure;
          open.delete(attempt);
          release();
          look();
        },
      };
    },
  };
}

const listRecords: ReadonlySet<string> = new Set(['create_customer', 'create_vendor', 'create_item']);

const makesRecord = ({ to }: Ready): boolean => listRecords.has(nextCommand(to).do);

/** What a plan makes that other documents may need too. */
const recordsOf = (plan: Plan): readonly string[] =>
  plan.commands.flatMap((command) => {
    switch (command.do) {
      case 'create_customer':
        return [`customer ${command.customer.displayName.toLowerCase()}`];
      case 'create_vendor':
        return [`vendor ${command.vendor.displayName.toLowerCase()}`];
      case 'create_item':
        return [`item ${command.item.name.toLowerCase()}`];
      default:
        return [];
    }
  });
