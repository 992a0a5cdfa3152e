import { expect, test } from 'vitest';
import { type Bill, billOfMaterials, gapsIn } from '../scripts/sbom.ts';

test('the bill of materials names every part that runs, exactly and with its hash, and none that only builds', () => {
  const bill = billOfMaterials();
  expect([bill.bomFormat, bill.specVersion, bill.metadata.component.name]).toEqual(['CycloneDX', '1.5', 'tallybridge']);
  expect(gapsIn(bill)).toEqual([]);
  const names = bill.components.map(({ name }) => name);
  expect(names).toContain('fastify');
  expect(names).not.toContain('vitest');
  expect(
    bill.components.every(({ name, version, purl }) => purl.endsWith(`/${name.split('/').at(-1)}@${version}`)),
  ).toBe(true);
  // An omission is noticed.
  const lacking: Bill = {
    ...bill,
    components: bill.components
      .filter(({ name }) => name !== 'fastify')
      .map((part) => (part.name === 'jose' ? { ...part, hashes: [] } : part)),
  };
  expect(gapsIn(lacking)).toEqual([expect.stringMatching(/^fastify@.* is missing$/), 'jose without a hash']);
});
