import { inParallel } from '#core/in-parallel.ts';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import type { App } from '../context.ts';
import { connectionLostMail, digestMail } from '../mail/alert-mails.ts';

/** At most one mail about documents in this time, and one about a lost connection (domain reference 11.4). */
const digestEverySeconds = 3_600;
const lossEverySeconds = 86_400;

/** Clients that are looked at in one go; the others come next time. */
const mostClients = 500;

/** Tells every client that has news; asked for by the worker again and again. */
export async function tellAllNews(app: App, signal: AbortSignal): Promise<void> {
  for (const tenantId of await app.store.tenantsWithNews(app.clock.now(), mostClients)) {
    if (signal.aborted) return;
    await tellNews(app, tenantId);
  }
}

/**
 * Writes the mails about what a client's administrators do not know yet, and saves them together with the note that they
 * were told: however many workers do so at once, each thing is told by one mail. Asked for by the worker.
 */
export async function tellNews(app: App, tenantId: string): Promise<void> {
  const { store, descriptors, config, clock } = app;
  const tenant = store.forTenant(tenantId);
  const [news, { name: client }] = await inParallel([tenant.readNews(), tenant.readTenant()]);
  if (news === null) return;
  const now = clock.now();
  const isQuiet = news.lossMailedAt !== null && secondsBetween(news.lossMailedAt, now) < lossEverySeconds;
  const lost = isQuiet ? [] : news.lostServices;
  const mails = news.recipients.flatMap((to) => {
    const recipient = { to, appUrl: config.appUrl, client };
    return [
      ...lost.map((service) => connectionLostMail(recipient, descriptors[service].label)),
      ...(news.items.length === 0 ? [] : [digestMail(recipient, news.items)]),
    ];
  });
  await tenant.saveNews({
    seenSeq: news.seenSeq,
    newestSeq: news.newestSeq,
    mails,
    notBefore: news.items.length === 0 ? null : addSeconds(now, digestEverySeconds),
    toldOfLoss: lost.length > 0,
    now,
  });
}
