import { expect, test } from 'vitest';
import { saveMappings } from '#contract/mappings.ts';
import { toWanted } from './assignment.ts';
import { companyOf } from './testing.ts';

const row = (label: string, target: string | null = null) => companyOf('176', label, target);

test("sends the displayed mapping, so another user's change is not overwritten", () => {
  expect(toWanted('Customer', { row: row('Acme'), target: { value: '58', text: 'Acme Dental' } })).toEqual({
    source_entity: 'Company',
    source_value: '176',
    source_value_label: 'Acme',
    target_entity: 'Customer',
    target_value: '58',
    target_value_label: 'Acme Dental',
    was: null,
  });
  expect(toWanted('Customer', { row: row('Acme', '58'), target: null })).toMatchObject({
    id: '7f0c6a50-0000-4000-8000-000000000001',
    target_value: null,
    target_value_label: null,
    was: '58',
  });
});

test.each([
  ['characters', 'x'.repeat(600), 500],
  ['characters with emoji at the limit', `${'x'.repeat(499)}🚀 and more`, 499],
  ['characters of combined emoji', '👩‍👩‍👧‍👦'.repeat(60), 500],
])('shortens a name of more than 500 %s for the server', (_, name, length) => {
  const wanted = toWanted('Customer', { row: row(name), target: { value: '58', text: name } });
  for (const label of [wanted.source_value_label, wanted.target_value_label]) {
    expect(label?.isWellFormed()).toBe(true);
    expect(label).toHaveLength(length);
  }
  expect(saveMappings.body.safeParse({ xrefs: [wanted] }).error).toBeUndefined();
});
