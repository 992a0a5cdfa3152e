import { setTimeout as delay } from 'node:timers/promises';
import { TooManyCalls } from './rates.ts';

/** Who may be served at once, so that one client's calls cannot take the place of everybody else's. */
export interface Turns {
  /**
   * Waits until a call of this client may begin.
   *
   * @param gone raised when the caller has left; a call that nobody waits for takes no turn.
   * @returns ends the turn; may be called twice.
   * @throws TooManyCalls when so many of the client's calls wait already.
   */
  take(key: string, gone: AbortSignal): Promise<() => void>;
}

export interface TurnRules {
  /** Calls of one client that are served at once; the others wait. */
  readonly atOnce: number;
  /** Calls of one client that may wait; one more is refused. */
  readonly waiting: number;
  /** With so many waiting it is a program that asks, and a place rests between two calls while others are there. */
  readonly crowd: number;
  /** A rest lasts so many times as long as the call before it. */
  readonly rest: number;
  readonly longestRestMs: number;
}

/**
 * A browser asks for six things at once and has few in line. Six places that serve one part and rest 23 take a
 * quarter of one place, whatever a program asks for.
 */
const usualTurns: TurnRules = { atOnce: 6, waiting: 200, crowd: 6, rest: 23, longestRestMs: 5_000 };

interface Client {
  underWay: number;
  /** What begins a call that waits, the earliest first. */
  readonly waiting: ((end: () => void) => void)[];
}

/** Whoever is told to wait tries again after so long. */
const fullForSeconds = 2;

/** A client that has asked for nothing for so long is not kept from anything. */
const presentMs = 1_000;

/**
 * Counts in the memory of this process.
 *
 * @param nowMs a clock that only goes forward, in milliseconds.
 * @param pause resolves after so many milliseconds.
 */
export function createTurns(
  rules: TurnRules = usualTurns,
  nowMs: () => number = () => performance.now(),
  pause: (ms: number) => Promise<unknown> = (ms) => delay(ms, undefined, { ref: false }),
): Turns {
  const clients = new Map<string, Client>();
  // The two clients that asked last: of any one, whether another was there.
  let latest: readonly { readonly key: string; readonly at: number }[] = [];

  const note = (key: string): void => {
    latest = [{ key, at: nowMs() }, ...latest.filter((one) => one.key !== key).slice(0, 1)];
  };
  const isAlone = (key: string): boolean => !latest.some((one) => one.key !== key && nowMs() - one.at < presentMs);

  /** Gives a free place to the next call that waits, or back. */
  function next(key: string, client: Client): void {
    const begin = client.waiting.shift();
    if (begin !== undefined) return begin(ending(key, client));
    client.underWay -= 1;
    if (client.underWay === 0) clients.delete(key);
  }

  function ending(key: string, client: Client): () => void {
    const began = nowMs();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (client.waiting.length < rules.crowd || isAlone(key)) next(key, client);
      else void pause(Math.min(rules.longestRestMs, (nowMs() - began) * rules.rest)).then(() => next(key, client));
    };
  }

  return {
    async take(key, gone) {
      note(key);
      const client = clients.get(key) ?? { underWay: 0, waiting: [] };
      clients.set(key, client);
      if (client.underWay < rules.atOnce) {
        client.underWay += 1;
        return ending(key, client);
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
