import { Refusal } from '#core/refusal.ts';
import type { IncomingWebhook } from '#core/ports/webhooks.ts';
import type { App } from '../context.ts';

export const notSigned = () => new Refusal('unauthorized', 'not_signed', 'The signature is missing or wrong.');

/**
 * Receives a webhook of the accounting service: the records that it names are put into the inbox of the tenants of its companies, durably and once,
 * and they are woken when it may say that an invoice was paid. Nothing is read from the service here, so that it has
 * its answer at once. A company that nobody is connected to is passed over.
 *
 * @param message all of whose bytes have arrived.
 * @throws Refusal `not_signed` (401).
 */
export async function receiveWebhook(app: App, message: IncomingWebhook): Promise<void> {
  const messages = message.finish();
  if (messages === null) throw notSigned();
  for (const { companyId, changes } of messages) {
    const tenantIds = await app.store.findConnected('accounting', companyId);
    if (tenantIds.length === 0) app.logger.info({}, 'a message of the books names a company that is not connected');
    for (const tenantId of tenantIds) await app.store.forTenant(tenantId).addToInbox(changes, { isWebhook: true });
  }
}
