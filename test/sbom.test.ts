import { expect, test } from 'vitest';
import { type Bill, billOfMaterials, gapsIn } from '../scripts/sbom.ts';

test('the bill of materials lists every runtime package with its version and hash, and no build tool', () => {
  const bill = billOfMaterials();
  expect([bill.bomFormat, bill.specVersion, bill.metadata.component.name]).toEqual(['CycloneDX', '1.5', 'tallybridge']);
  expect(gapsIn(bill)).toEqual([]);
  const names = bill.components.map(({ name }) => name);
  expect(names).toContain('fastify');
  expect(names).not.toContain('vitest');
  expect(
    bill.components.every(({ name, version, purl }) => purl.endsWith(`/${name.split('/').at(-1)}@${version}`)),
  ).toBe(true);
  // Finds a missing package and a missing hash.
  const lacking: Bill = {
    ...bill,
    components: bill.components
      .filter(({ name }) => name !== 'fastify')
      .map((part) => (part.name === 'jose' ? { ...part, hashes: [] } : part)),
  };
  expect(gapsIn(lacking)).toEqual([expect.stringMatching(/^fastify@.* is missing$/), 'jose without a hash']);
});
