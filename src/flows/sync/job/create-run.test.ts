import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LeaseLost } from '#core/records/leases.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import { began, newTenant } from '#test/support/attempts.ts';
import { newDatabase } from '#test/support/database.ts';
import { clockAt, type MovableClock } from '#test/support/fake-ports.ts';
import { silentLogger } from '#test/support/logger.ts';
import { type HeldLease, keepLease, leaseSeconds } from './create-run.ts';

let clock: MovableClock;
let store: TenantStore;
const db = await newDatabase();
afterAll(() => db.close());
beforeEach(async () => {
  clock = clockAt(began);
  store = await newTenant(db.store);
});

async function hold(): Promise<HeldLease> {
  const lease = await store.acquireLease('a', leaseSeconds);
  if (lease === null) throw new Error('the lease was taken');
  const held = keepLease({ store, clock, logger: silentLogger, tenantId: store.tenantId }, lease, clock.now());
  onTestFinished(() => held.stopRenewing());
  return held;
}

describe('a held lease', () => {
  test('is not relied on for as long as it lasts, because time may run a tenth slower', async () => {
    const held = await hold();
    clock.advance(leaseSeconds * 0.8);
    expect(held.isHeld()).toBe(true);
    clock.advance(leaseSeconds * 0.1);
    expect(held.isHeld()).toBe(false);
    await held.proveHeld();
    expect(held.isHeld()).toBe(true);
  });

  test('sends nothing more once a renewal shows that another worker has it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const held = await hold();
    await db.passLeases(leaseSeconds);
    expect(await store.acquireLease('b', leaseSeconds)).not.toBeNull();
    const lost = once(held.lost, 'abort');
    vi.advanceTimersByTime(3_000);
    await lost;
    // The process's own time has not moved.
    expect(held.isHeld()).toBe(false);
    await expect(held.proveHeld()).rejects.toThrow(LeaseLost);
  });
});
