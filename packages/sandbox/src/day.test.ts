import { afterEach, expect, test, vi } from 'vitest';
import { startAutotaskSandbox } from './autotask/server.ts';
import { textAt } from './quickbooks/doc.ts';
import { startQuickBooksSandbox } from './quickbooks/server.ts';
import { invoiceOf, World } from './quickbooks/test-client.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Instants (UTC) with their date in Pacific time and in Chicago. */
const instants = [
  ['2026-11-22T23:59:30Z', '2026-11-22', '2026-11-22'],
  ['2026-11-23T03:15:00Z', '2026-11-22', '2026-11-22'],
  ['2026-11-23T07:30:00Z', '2026-11-22', '2026-11-23'],
  ['2028-02-29T12:00:00Z', '2028-02-29', '2028-02-29'],
  ['2028-03-01T03:15:00Z', '2028-02-29', '2028-02-29'],
  // Daylight time begins in Pacific time at 10:00 UTC, in Chicago at 08:00 UTC.
  ['2027-03-14T07:59:30Z', '2027-03-13', '2027-03-14'],
  ['2027-03-14T09:59:30Z', '2027-03-14', '2027-03-14'],
] as const;

test.each(instants)('at %s QuickBooks uses the date %s', async (instant, pacific) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(instant) });
  const world = new World(await startQuickBooksSandbox());
  const client = await world.connect();
  const { TxnDate: _none, ...undated } = invoiceOf(10);
  expect(textAt(await client.write('Invoice', undated), 'TxnDate')).toBe(pacific);
  world.sandbox.reset({ today: '2028-02-29' });
  const again = await world.connect();
  expect(textAt(await again.write('Invoice', undated), 'TxnDate')).toBe('2028-02-29');
  expect(textAt((await world.control('GET', 'clock')).body, 'now')).toMatch(/^2028-02-29T18:00:/);
  await world.close();
});

test.each(instants)('at %s (%s in Pacific time) Autotask uses the date %s', async (instant, _pacific, chicago) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(instant) });
  const sandbox = await startAutotaskSandbox();
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (
      await fetch(`${sandbox.url}/__sandbox/${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    ).json();
  expect(await control('POST', 'reset', {})).toMatchObject({ today: chicago });
  expect(await control('POST', 'reset', { today: '2028-02-29' })).toMatchObject({ today: '2028-02-29' });
  expect(await control('GET', 'clock')).toMatchObject({ now: expect.stringMatching(/^2028-02-29T18:00:/) as unknown });
  await sandbox.close();
});
