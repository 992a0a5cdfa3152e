import type { RootStore } from '#store/root-store.ts';
import type { Failpoint } from '#flows/context.ts';

/** Failpoint of every real deployment: it does nothing. */
export const noEffect: Failpoint = () => undefined;

/**
 * Ends this process with SIGKILL at a named effect, so that a test can check the recovery.
 * `TALLYBRIDGE_CRASH=post:create_invoice:1:after` kills it right after the first such effect, `*:7:before` right before
 * the seventh effect of any name. The suffix `:stop` stops the process with SIGSTOP instead, until SIGCONT; `:reject`
 * causes an unhandled rejection.
 *
 * @param instruction undefined in every real deployment: the hook then does nothing.
 */
export function crashHook(instruction: string | undefined): Failpoint {
  const match = /^(.+):(\d+):(before|after)(?::(stop|reject))?$/.exec(instruction ?? '');
  if (match === null) return noEffect;
  const [, name, count, timing, action] = match;
  let left = Number(count);
  return (effect, when) => {
    if ((name !== '*' && effect !== name) || when !== timing) return;
    left -= 1;
    if (left !== 0) return;
    if (action === 'reject') void Promise.reject(new Error('a rejection planted by this test'));
    else process.kill(process.pid, action === 'stop' ? 'SIGSTOP' : 'SIGKILL');
  };
}

/** Methods without side effects: a crash around them changes nothing. */
const withoutTrace = {
  store: /^(read|list|count|find|is|ready)/,
  port: /^(preview|sent|fingerprintOfBody|mergeUpdate)$/,
} as const;

/**
 * Makes every call of a port an effect named `port.method`; returns the port itself if there is no failpoint. Database
 * queries are not effects; all calls to an external service are.
 */
export function named<T extends object>(name: string, port: T, effect: Failpoint): T {
  if (effect === noEffect) return port;
  const isLeftOut = name === 'store' ? withoutTrace.store : withoutTrace.port;
  return new Proxy(port, {
    get(target, key, receiver): unknown {
      const member: unknown = Reflect.get(target, key, receiver);
      if (typeof member !== 'function' || typeof key !== 'string' || isLeftOut.test(key)) return member;
      return async (...given: readonly unknown[]): Promise<unknown> => {
        await effect(`${name}.${key}`, 'before');
        const answer: unknown = await Reflect.apply(member, target, given);
        await effect(`${name}.${key}`, 'after');
        return answer;
      };
    },
  });
}

/** Makes every store transaction with side effects an effect named `store.method`. */
export function namedStore(store: RootStore, effect: Failpoint): RootStore {
  if (effect === noEffect) return store;
  const root = named('store', store, effect);
  return new Proxy(root, {
    get: (target, key, receiver): unknown =>
      key === 'forTenant'
        ? (tenantId: string) => named('store', store.forTenant(tenantId), effect)
        : Reflect.get(target, key, receiver),
  });
}
