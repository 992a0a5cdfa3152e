import type { App } from '../context.ts';
import { dailyMail, noticeMail } from '../mail/notice-mails.ts';

/** Maximum clients handled in one run; the next run handles the others. */
const maxClients = 100;

/**
 * Writes the emails about notices that are due: one for each notice, or one a day for each user. Several workers may run
 * it at once.
 *
 * @param signal ends it between two clients.
 */
export async function mailNotices({ store, clock, config }: App, signal?: AbortSignal): Promise<void> {
  const now = clock.now();
  for (const tenantId of await store.tenantsWithNoticeMails(now, maxClients)) {
    if (signal?.aborted === true) return;
    const tenant = store.forTenant(tenantId);
    const { name: client, timeZone } = await tenant.readTenant();
    await tenant.mailNotices(now, ({ username, single, digest }) => {
      const recipient = { to: username, appUrl: config.appUrl, client, timeZone };
      return [
        ...single.map((notice) => noticeMail(recipient, notice)),
        ...(digest.length === 0 ? [] : [dailyMail(recipient, digest)]),
      ];
    });
  }
}
