import { expect, test } from 'vitest';
import { axisOf } from './axis.ts';

test.each([
  [[153_467.78, 20], { min: 0, max: 200_000, labels: [0, 100_000, 200_000] }],
  [[0.4], { min: 0, max: 0.4, labels: [0, 0.2, 0.4] }],
  [[1_000], { min: 0, max: 1_000, labels: [0, 500, 1_000] }],
  [[900, -120], { min: -200, max: 1_000, labels: [-200, 0, 1_000] }],
  [[-250], { min: -300, max: 0, labels: [-300, -150, 0] }],
  [[], { min: 0, max: 1, labels: [0, 1] }],
])('%o has the axis %o', (values, axis) => expect(axisOf(values)).toEqual(axis));
