import { adoptCompany } from '#flows/connections/adopt-company.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { consent } from '../support/connect-services.ts';
import { workOn, type Flow, type SandboxDriver } from './flow.ts';
import type { SweepProduct } from './sweep-product.ts';

/** The first two companies of the sandbox. */
const before = { realmId: '9341452000000001' } as const;
const after = { realmId: '9341452000000002', name: 'Hill Country Computing' } as const;
const actor = { username: 'admin@northwind-msp.example' };

/** One that was synced before, one that is on its way, and one that is asked for afterwards. */
const synced = 48_213;
const underWay = 48_214;
const later = 48_304;

/** A person gives consent for the other company, and confirms that the one before is left. */
async function connect({ app, tenant }: SweepProduct): Promise<void> {
  const credentials = await consent(app, after.realmId);
  const candidate = { service: 'accounting', externalId: after.realmId, name: after.name } as const;
  await adoptCompany(
    app,
    tenant,
    { ...candidate, user: actor.username, credentials, allowsDifferentCompany: true },
    actor,
  );
}

/** The other company gives its invoices their numbers, as the one before does. */
async function numberByItself(quickbooks: SandboxDriver): Promise<void> {
  const entity = `Preferences@${after.realmId}`;
  const [preferences] = await quickbooks.list(entity);
  const sales = preferences?.['SalesFormsPrefs'];
  await quickbooks.put(entity, 1, {
    SalesFormsPrefs: { ...(typeof sales === 'object' ? sales : {}), CustomTxnNumbers: false },
  });
}

/**
 * Another company is connected, which was confirmed (decision 14), while a document is on its way to the one before:
 * references stay, and neither company gets what belongs to the other.
 */
export const anotherCompany: Flow = {
  name: 'another company',
  secondRealmId: after.realmId,
  asked: [
    { kind: 'invoice', psaId: synced, times: 1, end: 'done', ...before },
    { kind: 'invoice', psaId: underWay, times: 1, end: 'left', ...before },
    { kind: 'invoice', psaId: later, times: 1, end: 'done', realmId: after.realmId },
  ],
  async prepare({ product, quickbooks }) {
    await numberByItself(quickbooks);
    const order = { kind: 'invoice', mode: 'live', force: false, actor } as const;
    await submit(product.tenant, { ...order, psaIds: [synced] });
    await workOn(product, 'preparation');
    // It reaches the books a minute later, and the answer reaches nobody.
    const late = { reset: 'late', apply_after_seconds: 60 } as const;
    await quickbooks.fault({ match: { path: '/invoice$' }, times: 1, action: late });
    await submit(product.tenant, { ...order, psaIds: [underWay] });
    await workOn(product, 'preparation');
  },
  act: connect,
  async repeat(product) {
    const { store } = product.tenant;
    const books = (await store.listConnections()).find(({ service }) => service === 'accounting');
    if (books?.externalId !== after.realmId) await connect(product);
    const settings = await store.readSettings();
    if (settings.inv_default_income_account !== null) return;
    await store.saveSettings({ ...settings, inv_default_income_account: '2' }, actor);
    await submit(product.tenant, { kind: 'invoice', psaIds: [later], mode: 'live', force: false, actor });
  },
};
