import { expect, test } from 'vitest';
import { readDisplay } from './list-display.tsx';

const usual = { hidden: [], density: 'comfortable', pageSize: 25, views: [] };

test('reads what it stored', () => {
  const stored = { hidden: ['paid'], density: 'compact', pageSize: 50, views: [{ name: 'A', query: 'tab=held' }] };
  expect(readDisplay(stored, 25)).toEqual(stored);
});

test.each([
  undefined,
  null,
  'text',
  7,
  [],
  { hidden: 'paid', density: 1, pageSize: 'all', views: {} },
  { hidden: null, density: 'dense', pageSize: 7, views: [null, 'x', { name: 'A' }] },
])('anything else, such as %j, has the defaults', (stored) => {
  expect(readDisplay(stored, 25)).toEqual(usual);
});
