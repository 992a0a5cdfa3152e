import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetAskedAhead, hasAskedAhead, takeAskedAhead } from './asked-ahead.ts';

const answer = new Response('{}');
const soon = 900;

beforeEach(() => {
  vi.stubGlobal('window', {
    askedAhead: {
      token: 'a.b.c',
      answers: { '/api/my': Promise.resolve(answer), '/api/my/jobs': Promise.reject(new Error('cut')) },
    },
  });
  window.askedAhead?.answers['/api/my/jobs']?.catch(() => undefined);
});
afterEach(() => vi.unstubAllGlobals());

test('an answer is handed out once, to the session that it was asked with', async () => {
  expect(takeAskedAhead('/api/my/logs', 'a.b.c', soon)).toBeNull();
  expect(await takeAskedAhead('/api/my', 'a.b.c', soon)).toBe(answer);
  expect(takeAskedAhead('/api/my', 'a.b.c', soon)).toBeNull();
  expect(hasAskedAhead()).toBe(true);
  await expect(takeAskedAhead('/api/my/jobs', 'a.b.c', soon)).rejects.toThrow('cut');
  // Nobody waits for what was taken.
  expect(hasAskedAhead()).toBe(false);
});

test.each([
  ['another session asks', () => takeAskedAhead('/api/my', 'd.e.f', soon)],
  ['nobody is logged in any more', () => takeAskedAhead('/api/my', null, soon)],
  ['it is too old', () => takeAskedAhead('/api/my', 'a.b.c', 15_001)],
  ['something is changed', () => (forgetAskedAhead(), null)],
])('all are let go when %s', (_, ask) => {
  expect(ask()).toBeNull();
  expect(hasAskedAhead()).toBe(false);
  expect(takeAskedAhead('/api/my', 'a.b.c', soon)).toBeNull();
});
