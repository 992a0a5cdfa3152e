import { inParallel } from '#core/in-parallel.ts';
import { noticeRoles, sumsOf, type Notice } from '#core/notices.ts';
import type { AlertItem, PendingAlerts } from '#core/ports/alerts.ts';
import type { NewNotice } from '#core/ports/notices.ts';
import { addSeconds, secondsBetween, type Instant } from '#core/values/dates.ts';
import { cut } from '#core/values/text.ts';
import type { App } from '../context.ts';
import { connectionLostMail, digestMail, servicePausedMail, stallMail } from '../mail/alert-mails.ts';

/**
 * Minimum seconds between two mails about documents, and between two about a lost connection (domain reference 11.4).
 */
const digestEverySeconds = 3_600;
const lossEverySeconds = 86_400;

/** Maximum clients handled in one run; the next run handles the others. */
const maxClients = 500;

/** Writes the digest of every client that has pending alerts; called by the worker at intervals. */
export async function sendDigests(app: App, signal: AbortSignal): Promise<void> {
  for (const tenantId of await app.store.tenantsWithAlerts(app.clock.now(), maxClients)) {
    if (signal.aborted) return;
    await sendDigest(app, tenantId);
  }
}

/**
 * Writes the mails and notices about everything a client's administrators (or the recipients in its settings) have not been
 * notified of. Saves the mails and the record of the notification together, so that parallel workers send each
 * notification once. Called by the worker.
 */
export async function sendDigest(app: App, tenantId: string): Promise<void> {
  const { store, descriptors, config, clock } = app;
  const tenant = store.forTenant(tenantId);
  const [pending, { name: client, timeZone }, settings] = await inParallel([
    tenant.readPendingAlerts(),
    tenant.readTenant(),
    tenant.readSettings(),
  ]);
  if (pending === null) return;
  const now = clock.now();
  const wasMailedRecently =
    pending.lossMailedAt !== null && secondsBetween(pending.lossMailedAt, now) < lossEverySeconds;
  const lost = wasMailedRecently ? [] : pending.lostServices;
  const chosen = settings.alert_emails;
  const mails = (chosen.length > 0 ? chosen : pending.recipients).flatMap((to) => {
    const recipient = { to, appUrl: config.appUrl, client, timeZone };
    return [
      ...(pending.stalledSince === null ? [] : [stallMail(recipient, pending.stalledSince)]),
      ...pending.pauses.map((pause) => servicePausedMail(recipient, descriptors[pause.service].label, pause)),
      ...lost.map((service) => connectionLostMail(recipient, descriptors[service].label)),
      ...(pending.items.length === 0 ? [] : [digestMail(recipient, pending.items)]),
    ];
  });
  await tenant.saveDigest({
    seenSeq: pending.seenSeq,
    newestSeq: pending.newestSeq,
    mails,
    notices: noticesOf(app, { ...pending, lostServices: lost }, now),
    notBefore: pending.items.length === 0 ? null : addSeconds(now, digestEverySeconds),
    mailsLoss: lost.length > 0,
    mailsPauses: pending.pauses.map(({ service }) => service),
    mailsStall: pending.stalledSince !== null,
    now,
  });
}

/** Maximum characters of a cause. */
const maxCause = 160;

/** Returns the notices about the same events as the mails, for all administrators of the client. */
function noticesOf(
  { descriptors }: Pick<App, 'descriptors'>,
  {
    stalledSince,
    pauses,
    lostServices,
    items,
  }: Pick<PendingAlerts, 'stalledSince' | 'pauses' | 'lostServices' | 'items'>,
  at: Instant,
): readonly NewNotice[] {
  const found: readonly Notice[] = [
    ...(stalledSince === null ? [] : [{ kind: 'sync_stalled' } as const]),
    ...pauses.map(({ service }) => ({ kind: 'service_paused', service: descriptors[service].label }) as const),
    ...lostServices.map((service) => ({ kind: 'connection_lost', service: descriptors[service].label }) as const),
    ...(items.length === 0 ? [] : [noticeOfItems(items)]),
  ];
  return found.map((notice) => ({ notice, at, roles: noticeRoles(notice.kind) }));
}

function noticeOfItems(items: readonly AlertItem[]): Notice {
  const documents = [...new Map(items.map((item) => [`${item.type} ${item.psaId}`, item])).values()];
  const causes = Map.groupBy(documents, ({ codes, message }) => codes[0] ?? message.split(':', 1)[0]);
  const [largest] = [...causes.values()].toSorted((a, b) => b.length - a.length);
  return {
    kind: 'documents_failed',
    count: documents.length,
    sums: sumsOf(documents),
    cause: cut(largest?.[0]?.message ?? '', maxCause, '…'),
  };
}
