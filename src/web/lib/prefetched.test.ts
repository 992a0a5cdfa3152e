import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearPrefetched, hasPrefetched, takePrefetched } from './prefetched.ts';

const answer = new Response('{}');
const soon = 900;

beforeEach(() => {
  vi.stubGlobal('window', {
    prefetched: {
      token: 'a.b.c',
      answers: { '/api/my': Promise.resolve(answer), '/api/my/jobs': Promise.reject(new Error('cut')) },
    },
  });
  window.prefetched?.answers['/api/my/jobs']?.catch(() => undefined);
});
afterEach(() => vi.unstubAllGlobals());

test('returns a response once and only to the session that requested it', async () => {
  expect(takePrefetched('/api/my/logs', 'a.b.c', soon)).toBeNull();
  expect(await takePrefetched('/api/my', 'a.b.c', soon)).toBe(answer);
  expect(takePrefetched('/api/my', 'a.b.c', soon)).toBeNull();
  expect(hasPrefetched()).toBe(true);
  await expect(takePrefetched('/api/my/jobs', 'a.b.c', soon)).rejects.toThrow('cut');
  // No caller waits for a response that was taken.
  expect(hasPrefetched()).toBe(false);
});

test.each([
  ['another session requests one', () => takePrefetched('/api/my', 'd.e.f', soon)],
  ['no user is logged in', () => takePrefetched('/api/my', null, soon)],
  ['a response is too old', () => takePrefetched('/api/my', 'a.b.c', 15_001)],
  ['data changes', () => (clearPrefetched(), null)],
])('discards all responses when %s', (_, ask) => {
  expect(ask()).toBeNull();
  expect(hasPrefetched()).toBe(false);
  expect(takePrefetched('/api/my', 'a.b.c', soon)).toBeNull();
});
