import type { Attempt, In } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Kind } from '#core/kinds.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Problem } from '#core/problems.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import { ServiceError } from '#core/service-error.ts';
import { batches } from './batches.ts';
import type { Instead, LastLook } from './last-look.ts';
import { postTogether, type Sent } from './post-together.ts';
import { nextCommand } from './road.ts';
import type { Run } from './run.ts';
import { RunStopped, type Stop } from './stop.ts';
import { atMost } from './together.ts';

/** A command that may leave: the attempt as it is saved, and as it will be once it is sent. */
export interface Ready {
  readonly from: Attempt;
  readonly to: In<'posting'>;
  readonly effects?: AdvanceEffects;
}

/**
 * What came of a command that was ready. `withheld`: it did not leave, and the attempt is as it was. `overtaken`: it
 * must not leave any more, because the PSA's document has changed.
 */
export type Outcome = Sent | { readonly came: 'withheld' } | { readonly came: 'overtaken'; readonly instead: Instead };

/** The place of one document in a meeting. */
export interface Seat {
  /** Sends the next command together with those of the others. */
  send(ready: Ready): Promise<Outcome>;
  /**
   * Keeps the records that a plan makes for this document alone, until its first command that makes none is sent.
   *
   * @returns the claim of another document that makes one of them: once it is through, the plan is to be made anew.
   */
  claim(plan: Plan): Claim | null;
  /** Waits for another document to be through; meanwhile the others need not wait for this one. */
  aside(claim: Claim): Promise<void>;
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

/** Records that one document of a portion makes for all of them. */
interface Claim {
  readonly keys: readonly string[];
  readonly through: PromiseWithResolvers<void>;
  followers: number;
}

/** Where the documents of a portion meet before something is sent, so that few calls carry many. */
export interface Meeting {
  join(attempt: Attempt): Seat;
  /** Nothing new is sent: a service cannot be used, or something broke. */
  halt(): void;
  /** Resolves once every seat was left. */
  readonly over: Promise<void>;
  /** A document of which it is not known whether it was made keeps those behind it waiting. */
  readonly isHeldUp: () => boolean;
  /** Why nothing was sent any more, when that is known of all documents alike. */
  readonly stoppedBy: () => Stop | null;
}

export interface MeetingRules {
  readonly kind: Kind;
  /** Documents of the whole job, which decides how large batches are. */
  readonly total: number;
  /** Documents are made one call after another, in the order of their PSA ids: the books number them. */
  readonly isOrdered: () => Promise<boolean>;
  /** Asked before each call; what was begun is brought to its end all the same. */
  readonly isCancelled: () => Promise<boolean>;
  /** Asked before each call for those that would leave with it. */
  readonly lastLook: LastLook;
}

/** Calls that write to the books side by side; the connector keeps two of its places for reading. */
const callsAtOnce = 6;

/** Opens a meeting for the documents of one portion. All of them join before the first one sends. */
export function openMeeting(run: Run, rules: MeetingRules): Meeting {
  interface Waiting {
    readonly ready: Ready;
    readonly done: PromiseWithResolvers<Outcome>;
  }
  const over = Promise.withResolvers<void>();
  const claims = new Map<string, Claim>();
  let waiting: Waiting[] = [];
  /** Documents of which something may still be sent. */
  const seated = new Set<Attempt>();
  let absent = 0;
  /** Some documents left without knowing whether they were made. */
  let isInDoubt = false;
  let isHeldUp = false;
  let isHalted = false;
  let stoppedBy: Stop | null = null;

  /** Sends once everyone who may still send is there. */
  function look(): void {
    if (seated.size === 0) over.resolve();
    if (waiting.length === 0 || waiting.length + absent < seated.size) return;
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
      const inTurn = atMost(callsAtOnce);
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
      const outcomes = await run.context.about({ kind: rules.kind, psaIds }, () => postTogether(run, ready));
      for (const [index, { done }] of leaving.entries()) done.resolve(outcomes[index] ?? { came: 'withheld' });
    } catch (error) {
      // Whoever has its outcome already is not met by this.
      for (const { done } of call) done.reject(error);
    }
  }

  /** Those of a call that may leave now; the others are told that they do not. */
  async function admitted(call: readonly Waiting[], isOrdered: boolean): Promise<readonly Waiting[]> {
    const withhold = (some: readonly Waiting[]) => {
      for (const { done } of some) done.resolve({ came: 'withheld' });
      return call.filter((one) => !some.includes(one));
    };
    isHeldUp ||= isOrdered && isInDoubt;
    const mayNotSend = () => isHalted || run.signal.aborted || isHeldUp;
    if (mayNotSend()) return withhold(call);
    const unbegun = call.filter(({ ready }) => ready.from.state === 'planning');
    const going = unbegun.length > 0 && (await rules.isCancelled()) ? withhold(unbegun) : call;
    const overtaken = await lookAt(going);
    if (overtaken === null || mayNotSend()) return withhold(call);
    return going.filter(({ ready, done }) => {
      const instead = overtaken.get(ready.from.psaId);
      if (instead !== undefined) done.resolve({ came: 'overtaken', instead });
      return instead === undefined;
    });
  }

  /** Null when the PSA does not say: then nothing leaves. */
  async function lookAt(going: readonly Waiting[]): Promise<ReadonlyMap<number, Instead> | null> {
    try {
      return await rules.lastLook(
        going.map(({ ready }) => ready.from),
        [...seated],
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
      seated.add(attempt);
      let isThere = true;
      let held: Claim | undefined;
      const release = () => {
        if (held === undefined) return;
        for (const key of held.keys) claims.delete(key);
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
        claim(plan) {
          const keys = recordsOf(plan);
          // All of them or none: nobody keeps one while waiting for another.
          for (const key of keys) {
            const taken = claims.get(key);
            if (taken !== undefined) return taken;
          }
          held = { keys, through: Promise.withResolvers<void>(), followers: 0 };
          for (const key of keys) claims.set(key, held);
          return null;
        },
        stop(problem) {
          if (stoppedBy !== null) return false;
          stoppedBy = new RunStopped(problem);
          isHalted = true;
          return true;
        },
        aside(claim) {
          claim.followers += 1;
          absent += 1;
          look();
          return claim.through.promise;
        },
        leave(isUnsure) {
          if (!isThere) return;
          isThere = false;
          isInDoubt ||= isUnsure;
          seated.delete(attempt);
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
