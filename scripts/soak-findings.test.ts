import { expect, test } from 'vitest';
import { findingsOf, type Sample } from './soak-findings.ts';

const flat: Sample = {
  memoryMb: 200,
  aliveMb: 90,
  handles: 40,
  connections: 12,
  lagMs: 11,
  jobSeconds: 6,
  unfinished: 1,
  unhandled: 0,
};
const minutes = (count: number, at: (minute: number) => Partial<Sample> = () => ({})): Sample[] =>
  Array.from({ length: count }, (_, minute) => ({ ...flat, ...at(minute) }));

test('reports nothing for figures that become stable', () => {
  expect(findingsOf(minutes(40))).toEqual([]);
  expect(
    findingsOf(minutes(40, (minute) => ({ memoryMb: minute < 10 ? 90 + minute * 10 : 195 + (minute % 9) }))),
  ).toEqual([]);
});

test.each([
  ['memoryMb', 4],
  ['aliveMb', 3],
  ['handles', 1],
  ['connections', 1],
  ['lagMs', 3],
  ['jobSeconds', 1],
  ['unfinished', 1],
] as const)('reports a growing %s', (figure, step) => {
  expect(findingsOf(minutes(40, (minute) => ({ [figure]: flat[figure] + minute * step })))).toEqual([
    expect.stringMatching(new RegExp(`^${figure} grows: \\d+, later \\d+$`)),
  ]);
});

test('reports an unhandled rejection after any duration', () => {
  expect(findingsOf(minutes(2, () => ({ unhandled: 1 })))).toEqual(['1 unhandled promise rejections']);
});
