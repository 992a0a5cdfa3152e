import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newApi, people } from '#test/support/api.ts';

/** Figures of the last release. `RECORD_COSTS=1` updates them; the changelog then explains the change. */
const recorded = join(import.meta.dirname, '..', '..', 'bench', 'call-costs.json');
/** Calls of the most frequently opened screens. */
const frequentCalls = ['/api/my', '/api/my/attention', '/api/my/jobs', '/api/my/logs', '/api/my/settings/'] as const;

const api = await newApi();
afterAll(() => api.close());

test('screens use no more transactions than in the last release', async () => {
  const token = await api.signIn(people.admin);
  const seen: Record<string, number> = {};
  for (const path of frequentCalls) {
    // The first call may fill the caches of the process.
    expect((await api.call('GET', path, { token })).status).toBe(200);
    const before = api.world.transactions();
    expect((await api.call('GET', path, { token })).status).toBe(200);
    seen[path] = api.world.transactions() - before;
  }
  if (process.env['RECORD_COSTS'] === '1') await writeFile(recorded, `${JSON.stringify(seen, null, 2)}\n`);
  const before = JSON.parse(await readFile(recorded, 'utf8')) as typeof seen;
  for (const path of frequentCalls) expect(seen[path], path).toBeLessThanOrEqual(before[path] ?? 0);
});
