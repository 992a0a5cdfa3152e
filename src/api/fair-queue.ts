import { setTimeout as delay } from 'node:timers/promises';
import { TooManyCalls } from './rates.ts';

/** A limit of work under way per client, so that one client's calls cannot crowd out the calls of others. */
export interface FairQueue {
  /**
   * Waits until a call of this client may begin.
   *
   * @param gone raised when the caller has left; a call that no caller waits for takes no slot.
   * @param slots how much of the client's share the call takes, from 1; more than the share counts as all of it.
   * @returns releases the slots; may be called twice.
   * @throws TooManyCalls when too many of the client's calls wait already.
   */
  enter(key: string, gone: AbortSignal, slots?: number): Promise<() => void>;
}

export interface FairQueueRules {
  /** Calls of one client that are served at once; the others wait. */
  readonly atOnce: number;
  /** Calls of one client that may wait; one more is refused. */
  readonly waiting: number;
  /**
   * Number of waiting calls at which it is a program that asks, and a slot cools down between two calls while others
   * are there.
   */
  readonly crowd: number;
  /** A slot cools down so many times as long as the call before it. */
  readonly cooldown: number;
  readonly longestCooldownMs: number;
}

/**
 * A browser asks for six things at once and has few in line. Six slots that serve one part and cool down 23 take a
 * quarter of one slot, whatever a program asks for.
 */
const usualRules: FairQueueRules = { atOnce: 6, waiting: 200, crowd: 6, cooldown: 23, longestCooldownMs: 5_000 };

interface Client {
  /** Slots in use. */
  underWay: number;
  /** Calls that wait, the earliest first. */
  readonly waiting: { readonly slots: number; readonly begin: (release: () => void) => void }[];
}

/** Seconds after which a caller that was refused may try again. */
const fullForSeconds = 2;

/** A client that has asked for nothing for so long is not kept from anything. */
const presentMs = 1_000;

/**
 * Counts in the memory of this process.
 *
 * @param nowMs a clock that only goes forward, in milliseconds.
 * @param pause resolves after so many milliseconds.
 */
export function createFairQueue(
  rules: FairQueueRules = usualRules,
  nowMs: () => number = () => performance.now(),
  pause: (ms: number) => Promise<unknown> = (ms) => delay(ms, undefined, { ref: false }),
): FairQueue {
  const clients = new Map<string, Client>();
  // The two clients that asked last: of any one, whether another was there.
  let latest: readonly { readonly key: string; readonly at: number }[] = [];

  const note = (key: string): void => {
    latest = [{ key, at: nowMs() }, ...latest.filter((one) => one.key !== key).slice(0, 1)];
  };
  const isAlone = (key: string): boolean => !latest.some((one) => one.key !== key && nowMs() - one.at < presentMs);

  /** Begins the calls at the head of the line that fit into the free slots. */
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
      else void pause(Math.min(rules.longestCooldownMs, (nowMs() - began) * rules.cooldown)).then(free);
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
