import { Refusal } from '#core/refusal.ts';
import type { IncomingWebhook } from '#core/ports/webhooks.ts';
import type { App } from '../context.ts';
import { withOwnPurchases } from './own-purchases.ts';

export const notSigned = () => new Refusal('unauthorized', 'not_signed', 'The signature is missing or wrong.');

/**
 * Receives a webhook from the accounting service. Adds the records it names to the inboxes of the tenants connected to
 * its companies, durably and once, and wakes tenants whose invoices may have been paid. Makes no calls to the service,
 * so that the response is immediate. Ignores companies that no tenant is connected to.
 *
 * @param message a message that has arrived completely.
 * @param inTurn runs the work for one client when the client's turn comes.
 * @throws Refusal `not_signed` (401).
 */
export async function receiveWebhook(
  app: App,
  message: IncomingWebhook,
  inTurn: (tenantId: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const messages = message.finish();
  if (messages === null) throw notSigned();
  for (const { companyId, changes } of messages) {
    const tenantIds = await app.store.findConnected('accounting', companyId);
    if (tenantIds.length === 0) app.logger.info({}, 'a webhook names a company that is not connected');
    for (const tenantId of tenantIds) {
      const store = app.store.forTenant(tenantId);
      await inTurn(tenantId, async () => store.addToInbox(await withOwnPurchases(store, changes), { isWebhook: true }));
    }
  }
}
