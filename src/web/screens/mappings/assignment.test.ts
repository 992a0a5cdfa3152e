import { expect, test } from 'vitest';
import { saveMappings } from '#contract/mappings.ts';
import { toChange } from './assignment.ts';
import { companyOf } from './testing.ts';

test("sends the displayed mapping, so another user's change is not overwritten", () => {
  const target = { value: '58', text: 'Acme Dental' };
  const changes = [
    toChange({ row: companyOf('176', 'Acme'), target }),
    toChange({ row: companyOf('177', 'Birch', '58'), target: null }),
  ];
  expect(changes).toEqual([
    ['176', '58', null],
    ['177', null, '58'],
  ]);
  expect(saveMappings.body.safeParse({ changes }).error).toBeUndefined();
});
