import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { TooManyCalls } from './rates.ts';

/** Limits the concurrent work per client, so that the calls of one client do not slow down the others. */
export interface FairQueue {
  /**
   * Waits until a call of this client may start.
   *
   * @param gone aborted when the caller has disconnected; the call then takes no slot.
   * @param slots share of the client's slots that the call takes, from 1; a higher number than the client has counts as
   * all.
   * @returns a function that releases the slots; it may be called twice. Its parameter is the maximum that counts as
   * work, in milliseconds: a call that waited for a connected service worked for a shorter time than it took.
   * @throws TooManyCalls when too many calls of the client are waiting.
   */
  enter(key: string, gone: AbortSignal, slots?: number): Promise<(maxWorkMs?: number) => void>;
}

export interface FairQueueRules {
  /** Calls of one client that run at once; the others wait. */
  readonly atOnce: number;
  /** Calls of one client that may wait; further calls are rejected. */
  readonly waiting: number;
  /** Recent calls count for about this long. */
  readonly memoryMs: number;
  readonly maxRestMs: number;
  /** A client counts as active for this long after its last call. */
  readonly presentMs: number;
}

/** A browser makes six calls at once. A person who reads a page is still active. */
const usualRules: FairQueueRules = {
  atOnce: 6,
  waiting: 200,
  memoryMs: 1_000,
  maxRestMs: 5_000,
  presentMs: 60_000,
};

interface Client {
  /** Slots in use or resting. */
  taken: number;
  /** Waiting calls, the earliest first. */
  readonly waiting: { readonly slots: number; readonly begin: () => void }[];
  /**
   * Recent demand at `at`: the average number of calls that the client had here, waiting or working. One program that
   * makes one call after another has 1, twenty of them have 20, and a person has nearly 0.
   */
  demand: number;
  at: number;
}

/** Seconds after which a rejected caller may try again. */
const fullForSeconds = 2;
/** Maximum clients whose demand is known; the one that called last is dropped last. */
const maxClients = 10_000;

/**
 * While another client is active, a slot rests after each call, the longer the more the client demands: all slots of a
 * client together do at most one call's work per `demand`. So one sequential program never waits, two in parallel get
 * the half of that, and twenty get a twentieth. There is no number of calls from which this begins.
 *
 * Counts in the memory of this process.
 *
 * @param nowMs a monotonic clock, in milliseconds.
 * @param pause resolves after the given number of milliseconds.
 */
export function createFairQueue(
  rules: FairQueueRules = usualRules,
  nowMs: () => number = () => performance.now(),
  pause: (ms: number) => Promise<unknown> = (ms) => delay(ms, undefined, { ref: false }),
): FairQueue {
  const clients = new LRUCache<string, Client>({ max: maxClients });
  // The two clients with the latest calls: enough to know if another client than a given one is active.
  let latest: readonly { readonly key: string; readonly at: number }[] = [];

  const note = (key: string): void => {
    latest = [{ key, at: nowMs() }, ...latest.filter((one) => one.key !== key).slice(0, 1)];
  };
  const isAlone = (key: string): boolean =>
    !latest.some((one) => one.key !== key && nowMs() - one.at < rules.presentMs);

  /** Adds a call that was here for this time, and returns the demand. */
  function demandWith(client: Client, workedMs: number): number {
    const now = nowMs();
    client.demand = client.demand * Math.exp((client.at - now) / rules.memoryMs) + workedMs / rules.memoryMs;
    client.at = now;
    return client.demand;
  }

  /** Starts the first waiting calls that fit into the free slots. */
  function advance(client: Client): void {
    for (let [first] = client.waiting; first !== undefined; [first] = client.waiting) {
      if (client.taken + first.slots > rules.atOnce) return;
      client.waiting.shift();
      client.taken += first.slots;
      first.begin();
    }
  }

  function releaseOf(key: string, client: Client, slots: number, arrivedAt: number): (maxWorkMs?: number) => void {
    const beganAt = nowMs();
    let isReleased = false;
    const free = (): void => {
      client.taken -= slots;
      advance(client);
    };
    return (maxWorkMs = Number.POSITIVE_INFINITY) => {
      if (isReleased) return;
      isReleased = true;
      const workedMs = Math.min(maxWorkMs, nowMs() - beganAt);
      const demand = demandWith(client, beganAt - arrivedAt + workedMs);
      const restMs = Math.min(rules.maxRestMs, workedMs * (rules.atOnce * demand - 1));
      if (restMs <= 0 || isAlone(key)) free();
      else void pause(restMs).then(free);
    };
  }

  return {
    async enter(key, gone, slots = 1) {
      if (gone.aborted) throw new TooManyCalls(fullForSeconds);
      note(key);
      const arrivedAt = nowMs();
      const client = clients.get(key) ?? { taken: 0, waiting: [], demand: 0, at: arrivedAt };
      clients.set(key, client);
      const wanted = Math.min(Math.max(1, slots), rules.atOnce);
      if (client.waiting.length === 0 && client.taken + wanted <= rules.atOnce) {
        client.taken += wanted;
        return releaseOf(key, client, wanted, arrivedAt);
      }
      if (client.waiting.length >= rules.waiting) throw new TooManyCalls(fullForSeconds);
      return new Promise((enter, refuse) => {
        const call = { slots: wanted, begin: () => enter(releaseOf(key, client, wanted, arrivedAt)) };
        client.waiting.push(call);
        const leave = (): void => {
          const at = client.waiting.indexOf(call);
          if (at < 0) return;
          client.waiting.splice(at, 1);
          refuse(new TooManyCalls(fullForSeconds));
          advance(client);
        };
        gone.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
