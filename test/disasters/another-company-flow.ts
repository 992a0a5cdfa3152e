import { adoptCompany } from '#flows/connections/adopt-company.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { consent } from '../support/connect-services.ts';
import type { ProductProcess } from '../support/world.ts';
import { setCustomNumbers, type Flow } from './flow.ts';

/** The first two companies of the sandbox. */
const before = { realmId: '9341452000000001' } as const;
const after = { realmId: '9341452000000002', name: 'Hill Country Computing' } as const;
const actor = { username: 'admin@northwind-msp.example' };

/** Three invoices: synced before the change, in progress during it, and requested after it. */
const synced = 48_213;
const underWay = 48_214;
const later = 48_304;

/** Connects the second company and confirms leaving the first. */
async function connect({ app, tenant }: ProductProcess): Promise<void> {
  const credentials = await consent(app, after.realmId);
  const candidate = { service: 'accounting', externalId: after.realmId, name: after.name } as const;
  await adoptCompany(
    app,
    tenant,
    { ...candidate, user: actor.username, credentials, allowsDifferentCompany: true },
    actor,
  );
}

/**
 * Connects another company (decision 13) while a document is being posted to the first. Each document must end up in
 * its own company.
 */
export const anotherCompany: Flow = {
  name: 'another company',
  secondRealmId: after.realmId,
  expected: [
    { kind: 'invoice', psaId: synced, times: 1, end: 'done', ...before },
    { kind: 'invoice', psaId: underWay, times: 1, end: 'abandoned', ...before },
    { kind: 'invoice', psaId: later, times: 1, end: 'done', realmId: after.realmId },
  ],
  async prepare(world) {
    // The second company assigns numbers, like the first.
    await setCustomNumbers(world, false, after.realmId);
    await world.sync('invoice', { mode: 'live', psaIds: [synced] });
    // QuickBooks applies the request a minute later; the response is lost.
    const late = { reset: 'late', apply_after_seconds: 60 } as const;
    await world.quickbooks.fault({ match: { path: '/invoice$' }, times: 1, action: late });
    await world.sync('invoice', { mode: 'live', psaIds: [underWay] });
  },
  act: connect,
  async repeat(world) {
    const { store, tenant } = world;
    const accounting = (await store.listConnections()).find(({ service }) => service === 'accounting');
    if (accounting?.externalId !== after.realmId) await connect(world);
    const settings = await store.readSettings();
    if (settings.inv_default_income_account !== null) return;
    await store.saveSettings({ ...settings, inv_default_income_account: '2' }, actor);
    await submit(tenant, { kind: 'invoice', psaIds: [later], mode: 'live', force: false, actor });
  },
};
