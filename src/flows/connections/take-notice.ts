import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';

export const notSigned = () => new Refusal('unauthorized', 'not_signed', 'The signature is missing or wrong.');

/**
 * Takes a message of the accounting service: what it names is noted for the tenants of its companies, durably and once,
 * and they are woken when it may say that an invoice was paid. Nothing is read from the service here, so that it has
 * its answer at once. A company that nobody is connected to is passed over.
 *
 * @param body the bytes as they arrived; the signature stands over them.
 * @throws Refusal `not_signed` (401).
 */
export async function takeNotice(app: App, body: Uint8Array, signature: string | undefined): Promise<void> {
  const notices = app.notices.read(body, signature);
  if (notices === null) throw notSigned();
  for (const { companyId, changes } of notices) {
    const tenantIds = await app.store.findConnected('accounting', companyId);
    if (tenantIds.length === 0) app.logger.info({}, 'a message of the books names a company that is not connected');
    for (const tenantId of tenantIds) await app.store.forTenant(tenantId).noteChanges(changes, { isTold: true });
  }
}
