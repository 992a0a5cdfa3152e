import { setTimeout as delay } from 'node:timers/promises';
import { TooManyCalls } from './rates.ts';

/** A limit of calls under way per client, so that one client's calls cannot crowd out everybody else's. */
export interface FairQueue {
  /**
   * Waits until a call of this client may begin.
   *
   * @param gone raised when the caller has left; a call that nobody waits for takes no slot.
   * @returns releases the slot; may be called twice.
   * @throws TooManyCalls when so many of the client's calls wait already.
   */
  enter(key: string, gone: AbortSignal): Promise<() => void>;
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
  underWay: number;
  /** Functions that begin the calls that wait, the earliest first. */
  readonly waiting: ((release: () => void) => void)[];
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

  /** Passes a free slot to the next call that waits, or returns it. */
  function next(key: string, client: Client): void {
    const begin = client.waiting.shift();
    if (begin !== undefined) return begin(releaseOf(key, client));
    client.underWay -= 1;
    if (client.underWay === 0) clients.delete(key);
  }

  function releaseOf(key: string, client: Client): () => void {
    const began = nowMs();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      if (client.waiting.length < rules.crowd || isAlone(key)) next(key, client);
      else
        void pause(Math.min(rules.longestCooldownMs, (nowMs() - began) * rules.cooldown)).then(() => next(key, client));
    };
  }

  return {
    async enter(key, gone) {
      if (gone.aborted) throw new TooManyCalls(fullForSeconds);
      note(key);
      const client = clients.get(key) ?? { underWay: 0, waiting: [] };
      clients.set(key, client);
      if (client.underWay < rules.atOnce) {
        client.underWay += 1;
        return releaseOf(key, client);
      }
      if (client.waiting.length >= rules.waiting) throw new TooManyCalls(fullForSeconds);
      return new Promise((begin, refuse) => {
        client.waiting.push(begin);
        const leave = (): void => {
          const at = client.waiting.indexOf(begin);
          if (at < 0) return;
          client.waiting.splice(at, 1);
          refuse(new TooManyCalls(fullForSeconds));
        };
        gone.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
