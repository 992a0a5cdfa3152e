import { expect, test } from 'vitest';
import { casesOf, crashPoints } from './crash-points.ts';

test('freezes a process before each change, and again after its lease was checked', () => {
  const effects = [
    'post:create_bill:1:before',
    'accounting.post:1:before',
    'accounting.post:1:after',
    'post:create_bill:1:after',
  ];
  const freezes = casesOf('expense report', 'none', effects).flatMap(({ crashes }) =>
    crashes.filter((crash) => crash.endsWith(':stop')),
  );
  expect(freezes).toEqual(['post:create_bill:1:before:stop', 'accounting.post:1:before:stop']);
});

test('merges adjacent crash points, but keeps one before and one after each effect', () => {
  const effects = [
    'a:1:before',
    'a:1:after',
    'b:1:before',
    'c:1:before',
    'c:1:after',
    'b:1:after',
    'd:1:before',
    'd:1:after',
  ];
  expect(crashPoints(effects)).toEqual([
    'a:1:before',
    'a:1:after',
    'b:1:before',
    'b:1:after',
    'd:1:before',
    'd:1:after',
  ]);
});
