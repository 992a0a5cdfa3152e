import { newDatabase } from '#test/support/database.ts';
import { defaultSettings } from '#core/settings/definitions.ts';
import { expect, test } from 'vitest';
test('x', async () => {
  const d = await newDatabase();
  const t = await d.store.addTenant({ name: 'A', status: 'pending', timeZone: 'UTC' });
  const s = d.store.forTenant(t.id);
  expect(await s.readSettings()).toEqual(defaultSettings);
  expect(await s.readTenant()).toEqual(t);
  await d.close();
});
