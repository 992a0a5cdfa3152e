import { describe, expect, test, vi } from 'vitest';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import { openBudget } from '#test/support/fake-ports.ts';
import { callsEnded, createPace, repeating, type Lane } from './pace.ts';

const lane: Lane = {
  windows: [{ key: 'hour', calls: 10, perSeconds: 3_600 }],
  slot: 'Invoices',
  places: 3,
};
const failure = (more: Partial<ServiceFailure>) =>
  new ServiceError({
    service: 'psa',
    operation: 'try',
    outcome: 'unknown',
    next: 'try_again',
    code: 'PSA_UNAVAILABLE',
    detail: '',
    ...more,
  });
const refuse = (waitMs: number) => failure({ outcome: 'not_applied', code: 'PSA_LIMIT', waitMs });
const noSleep = async () => undefined;

describe('calls at once', () => {
  test('never exceed the places of their name, also across connectors that share a budget', async () => {
    const budget = openBudget();
    const [one, other] = [createPace(budget), createPace(budget)];
    let running = 0;
    let most = 0;
    const call = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, (_, turn) => (turn % 2 ? one : other).run(lane, call, refuse)));
    expect(most).toBe(3);
  });

  test('keep their place while they are under way, and give it back once', async () => {
    const told: string[] = [];
    const budget = {
      ...openBudget(),
      keep: async () => void told.push('keep'),
      giveBack: async () => void told.push('give back'),
    };
    vi.useFakeTimers();
    try {
      let end: (value: string) => void = () => undefined;
      const running = createPace(budget).run(lane, () => new Promise<string>((done) => (end = done)), refuse);
      await vi.advanceTimersByTimeAsync(9_000);
      expect(told).toEqual(['keep', 'keep']);
      end('done');
      expect(await running).toBe('done');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(told).toEqual(['keep', 'keep', 'give back']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a failed call gives its place back', async () => {
    const pace = createPace(openBudget());
    for (let turn = 0; turn < 5; turn += 1)
      await expect(pace.run(lane, () => Promise.reject(failure({})), refuse)).rejects.toThrow();
    expect(await pace.run(lane, async () => 'ok', refuse)).toBe('ok');
  });
});

describe('the budget', () => {
  test('is waited for as long as it asks, then the call leaves', async () => {
    const waits = [400, 250, 0];
    const slept: number[] = [];
    const budget = { ...openBudget(), take: async () => waits.shift() ?? 0 };
    const pace = createPace(budget, async (ms) => slept.push(ms));
    expect(await pace.run(lane, async () => 'left', refuse)).toBe('left');
    expect(slept).toEqual([400, 250]);
  });

  test('that keeps us longer than a minute refuses the call unsent', async () => {
    const budget = { ...openBudget(), take: async () => 3_600_000 };
    let isSent = false;
    const call = async () => {
      isSent = true;
    };
    const refused = createPace(budget, noSleep).run(lane, call, refuse);
    await expect(refused).rejects.toMatchObject({ about: { outcome: 'not_applied', waitMs: 3_600_000 } });
    expect(isSent).toBe(false);
  });

  test('is told to pause the key that every call of the lane takes', async () => {
    const budget = openBudget();
    await createPace(budget).pause(lane, 60_000);
    expect(budget.pauses).toEqual([{ key: 'hour', milliseconds: 60_000 }]);
  });
});

describe('repeating', () => {
  const failing = (error: unknown, times: number) => {
    let turns = 0;
    return {
      get turns() {
        return turns;
      },
      call: async () => {
        turns += 1;
        if (turns <= times) throw error;
        return 'done';
      },
    };
  };

  test('outlives two failures that pass', async () => {
    const work = failing(failure({}), 2);
    expect(await repeating(work.call, noSleep)).toBe('done');
    expect(work.turns).toBe(3);
  });

  test('ends after three tries', async () => {
    const work = failing(failure({}), 9);
    await expect(repeating(work.call, noSleep)).rejects.toBeInstanceOf(ServiceError);
    expect(work.turns).toBe(3);
  });

  test.each(['refuse', 'reconnect', 'stop_run'] as const)('does not repeat what asks to %s', async (next) => {
    const work = failing(failure({ next }), 9);
    await expect(repeating(work.call, noSleep)).rejects.toBeInstanceOf(ServiceError);
    expect(work.turns).toBe(1);
  });

  test('does not sit out an hour', async () => {
    const work = failing(failure({ waitMs: 3_600_000 }), 9);
    await expect(repeating(work.call, noSleep)).rejects.toBeInstanceOf(ServiceError);
    expect(work.turns).toBe(1);
  });
});

describe('whoever waits for the calls under way', () => {
  const turns = (...seen: readonly (readonly string[])[]) => {
    let asked = 0;
    return { holders: async () => seen[Math.min(asked++, seen.length - 1)] ?? [], asked: () => asked };
  };

  test('goes on once each of them has ended, whoever came later', async () => {
    const budget = turns(['a', 'b'], ['b', 'c'], ['c', 'd'], ['d']);
    await callsEnded(budget, 'Invoices', noSleep);
    expect(budget.asked()).toBe(3);
  });

  test('goes on at once when there are none', async () => {
    const budget = turns([], ['late']);
    await callsEnded(budget, 'Invoices', noSleep);
    expect(budget.asked()).toBe(1);
  });

  test('goes on after a while when one does not end', async () => {
    const budget = turns(['stuck']);
    let slept = 0;
    await callsEnded(budget, 'Invoices', async (ms) => void (slept += ms));
    expect(slept).toBe(5_000);
  });
});
