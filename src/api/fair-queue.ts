import { setTimeout as delay } from 'node:timers/promises';
import { TooManyCalls } from './rates.ts';

/** Limits the concurrent work per client, so that the calls of one client do not slow down the others. */
export interface FairQueue {
  /**
   * Waits until a call of this client may start.
   *
   * @param gone aborted when the caller has disconnected; the call then takes no slot.
   * @param slots share of the client's slots that the call takes, from 1; a higher number than the client has counts as
   * all.
   * @returns a function that releases the slots; it may be called twice.
   * @throws TooManyCalls when too many calls of the client are waiting.
   */
  enter(key: string, gone: AbortSignal, slots?: number): Promise<() => void>;
}

export interface FairQueueRules {
  /** Calls of one client that run at once; the others wait. */
  readonly atOnce: number;
  /** Calls of one client that may wait; further calls are rejected. */
  readonly waiting: number;
  /**
   * With this many waiting calls, the caller is a program. Its slots then cool down between two calls while other
   * clients are active.
   */
  readonly crowd: number;
  /** A slot cools down for this multiple of the duration of the last call. */
  readonly cooldown: number;
  readonly maxCooldownMs: number;
}

/**
 * A browser makes six calls at once and has few waiting. Six slots that work 1 part and cool down 23 parts use a
 * quarter of one slot, no matter how many calls a program makes.
 */
const usualRules: FairQueueRules = { atOnce: 6, waiting: 200, crowd: 6, cooldown: 23, maxCooldownMs: 5_000 };

interface Client {
  /** Slots in use. */
  underWay: number;
  /** Waiting calls, the earliest first. */
  readonly waiting: { readonly slots: number; readonly begin: (release: () => void) => void }[];
}

/** Seconds after which a rejected caller may try again. */
const fullForSeconds = 2;

/** A client counts as active for this long after its last call. */
const presentMs = 1_000;

/**
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
  const clients = new Map<string, Client>();
  // The two clients with the latest calls: enough to know if another client than a given one is active.
  let latest: readonly { readonly key: string; readonly at: number }[] = [];

  const note = (key: string): void => {
    latest = [{ key, at: nowMs() }, ...latest.filter((one) => one.key !== key).slice(0, 1)];
  };
  const isAlone = (key: string): boolean => !latest.some((one) => one.key !== key && nowMs() - one.at < presentMs);

  /** Starts the first waiting calls that fit into the free slots. */
  function advance(key: string, client: Client): void {
    for (let [first] = client.waiting; first !== undefined; [first] = client.waiting) {
      if (client.underWay + first.slots > rules.atOnce) return;
      client.waiting.shift();
      client.underWay += first.slots;
      first.begin(releaseOf(key, client, first.slots));
    }
    if (client.underWay === 0) clients.delete(key);
  }

  function releaseOf(key: string, client: Client, slots: number): () => void {
    const began = nowMs();
    let isReleased = false;
    const free = (): void => {
      client.underWay -= slots;
      advance(key, client);
    };
    return () => {
      if (isReleased) return;
      isReleased = true;
      const isCrowd = client.waiting.length >= rules.crowd || (slots > 1 && client.waiting.length > 0);
      if (!isCrowd || isAlone(key)) free();
      else void pause(Math.min(rules.maxCooldownMs, (nowMs() - began) * rules.cooldown)).then(free);
    };
  }

  return {
    async enter(key, gone, slots = 1) {
      if (gone.aborted) throw new TooManyCalls(fullForSeconds);
      note(key);
      const client = clients.get(key) ?? { underWay: 0, waiting: [] };
      clients.set(key, client);
      const wanted = Math.min(Math.max(1, slots), rules.atOnce);
      if (client.waiting.length === 0 && client.underWay + wanted <= rules.atOnce) {
        client.underWay += wanted;
        return releaseOf(key, client, wanted);
      }
      if (client.waiting.length >= rules.waiting) throw new TooManyCalls(fullForSeconds);
      return new Promise((begin, refuse) => {
        const call = { slots: wanted, begin };
        client.waiting.push(call);
        const leave = (): void => {
          const at = client.waiting.indexOf(call);
          if (at < 0) return;
          client.waiting.splice(at, 1);
          refuse(new TooManyCalls(fullForSeconds));
          advance(key, client);
        };
        gone.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
