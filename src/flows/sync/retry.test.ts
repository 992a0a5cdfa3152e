import { describe, expect, test } from 'vitest';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { withRetry } from './retry.ts';

/** Returns a call that fails `times` times before it succeeds, and its recorded events. */
function failing(
  times: number,
  more: Partial<ServiceFailure>,
  signal = new AbortController().signal,
  onSleep: () => void = () => undefined,
) {
  const seen = { calls: 0, waits: [] as number[], proofs: 0 };
  const run = {
    context: {
      failpoint: () => undefined,
      sleep: async (ms: number) => {
        seen.waits.push(ms);
        onSleep();
      },
    },
    signal,
    proveHeld: async () => void (seen.proofs += 1),
  };
  const call = async (): Promise<string> => {
    seen.calls += 1;
    if (seen.calls > times) return 'done';
    throw new ServiceError({
      service: 'accounting',
      operation: 'post a batch',
      outcome: 'not_applied',
      next: 'try_again',
      code: 'QBO_THROTTLED',
      detail: '',
      ...more,
    });
  };
  return { seen, result: withRetry(run, 'post:batch', call) };
}

describe('a call that writes', () => {
  test('waits for our own limits as often as needed and verifies the lease before each attempt', async () => {
    const { seen, result } = failing(12, { waitMs: 20_000 });
    expect(await result).toBe('done');
    expect(seen.waits).toEqual(Array.from({ length: 12 }, () => 20_000));
    expect(seen.proofs).toBe(13);
  });

  test('waits for our limit of a minute, which counts a third of a second longer', async () => {
    const { seen, result } = failing(1, { waitMs: 60_334 });
    expect(await result).toBe('done');
    expect(seen.waits).toEqual([60_334]);
  });

  test('gives up after ten minutes at the rate limit plus three attempts, or at once for an hour', async () => {
    const { seen, result } = failing(100, { waitMs: 60_000 });
    await expect(result).rejects.toBeInstanceOf(ServiceError);
    expect(seen.calls).toBe(10 + 4);
    const long = failing(100, { waitMs: 3_600_000 });
    await expect(long.result).rejects.toBeInstanceOf(ServiceError);
    expect(long.seen.calls).toBe(1);
  });

  test('is not sent when the process stops', async () => {
    const { seen, result } = failing(1, {}, AbortSignal.abort(new ProcessStopping()));
    await expect(result).rejects.toBeInstanceOf(ProcessStopping);
    expect(seen).toMatchObject({ calls: 0, waits: [] });
  });

  test.each([
    ['the service throttles it', { status: 429, waitMs: 60_000 }],
    ['it waits for our own limit', { waitMs: 60_000 }],
  ])('is left to another worker when the process stops while %s', async (_what, more) => {
    const stopping = new AbortController();
    const { seen, result } = failing(1, more, stopping.signal, () => stopping.abort(new ProcessStopping()));
    await expect(result).rejects.toBeInstanceOf(ProcessStopping);
    expect(seen).toMatchObject({ calls: 1, waits: [60_000] });
  });

  test('is tried four times when the service throttles it', async () => {
    const { seen, result } = failing(100, { status: 429, waitMs: 1_000 });
    await expect(result).rejects.toBeInstanceOf(ServiceError);
    expect(seen.calls).toBe(4);
  });
});
