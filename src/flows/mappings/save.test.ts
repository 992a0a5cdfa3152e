import { describe, expect, test } from 'vitest';
import type { Mapping } from '#core/mapping/mapping.ts';
import { instant } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';
import { saveMappings } from './save.ts';

const actor = { username: 'admin' };

/** Creates a context with existing mappings. Counts how often the ID of one is read. */
function contextWith(count: number): { readonly context: TenantContext; readonly reads: () => number } {
  let reads = 0;
  const before = Array.from({ length: count }, (_, index): Mapping => ({
    get id() {
      reads += 1;
      return `id ${index}`;
    },
    namespace: 'ItemBilling',
    sourceEntity: 'BillingCode',
    sourceValue: `${index}`,
    sourceLabel: null,
    targetEntity: 'Item',
    targetValue: '1',
    targetLabel: null,
  }));
  const store = {
    listMappings: async () => before,
    listConnections: async () => [
      { service: 'psa', status: 'active' },
      { service: 'accounting', status: 'active' },
    ],
    changeMappings: async ({ decide, eventOf }: Parameters<TenantContext['store']['changeMappings']>[0]) => {
      const { deleted } = decide(before, []);
      eventOf([], before);
      return { saved: [], deleted: deleted.length };
    },
  };
  // Has only the parts of a store that saving mappings uses.
  const context = { store, clock: { now: () => instant('2025-03-03T15:00:00Z') } } as unknown as TenantContext;
  return { context, reads: () => reads };
}

const wanted = (count: number, from = 0, targetValue: string | null = null) =>
  Array.from({ length: count }, (_, index) => ({
    sourceEntity: 'BillingCode',
    sourceValue: `${from + index}`,
    sourceLabel: null,
    targetEntity: 'Item',
    targetValue,
    targetLabel: null,
  }));

describe('saving mappings', () => {
  test('reads each existing mapping a few times, regardless of the number saved', async () => {
    const work = async (existing: number, saved: number) => {
      const { context, reads } = contextWith(existing);
      await saveMappings(context, 'ItemBilling', wanted(saved), actor);
      return reads() / (existing + saved);
    };
    const few = await work(1_000, 100);
    const many = await work(19_000, 1_000);
    expect(many).toBeLessThanOrEqual(few * 1.5);
    expect(many).toBeLessThan(10);
  });

  test('rejects more than 20,000 of a kind, but still allows deleting', async () => {
    const save = (existing: number, saved: Parameters<typeof saveMappings>[2]) =>
      saveMappings(contextWith(existing).context, 'ItemBilling', saved, actor);
    for (const [existing, added] of [
      [20_000, 1],
      [19_999, 2],
    ] as const)
      await expect(save(existing, wanted(added, 30_000, '2'))).rejects.toMatchObject({ code: 'too_many_mappings' });
    await expect(save(20_000, wanted(1_000))).resolves.toMatchObject({ message: '1,000 mappings deleted.' });
  });
});
