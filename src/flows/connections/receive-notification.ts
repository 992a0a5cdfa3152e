import type { SignedNotification } from '#core/ports/notifications.ts';
import type { App } from '../context.ts';
import { withOwnPurchases } from './own-purchases.ts';

/**
 * Saves a notification from the accounting service. Adds the records it names to the inboxes of the tenants connected to
 * its companies, durably and once, and wakes tenants whose invoices may have been paid. Makes no calls to the service,
 * so that the response is immediate. Ignores companies that no tenant is connected to.
 */
export async function receiveNotification(app: App, message: SignedNotification): Promise<void> {
  for (const { companyId, changes } of message.read()) {
    const tenantIds = await app.store.findConnected('accounting', companyId);
    if (tenantIds.length === 0) app.logger.info({}, 'a notification names a company that is not connected');
    for (const tenantId of tenantIds) {
      const store = app.store.forTenant(tenantId);
      await store.addToInbox(await withOwnPurchases(store, changes), { isNotification: true });
    }
  }
}
