import { inParallel } from '#core/in-parallel.ts';
import { maxCause, noticeRoles, sumsOf, type Notice } from '#core/notices.ts';
import type { AlertItem, PendingAlerts } from '#core/records/alerts.ts';
import type { Mail } from '#core/ports/mailer.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import { truncate } from '#core/values/text.ts';
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
    // One client's digest that cannot be written does not stop those of the others.
    await sendDigest(app, tenantId).catch((error: unknown) =>
      app.logger.error({ tenantId, error }, 'a digest could not be written'),
    );
  }
}

/**
 * Writes the mails and notices about everything a client's administrators (or the recipients in its settings) have not been
 * notified of. Saves the mails and the record of the notification together, so that parallel workers send each
 * notification once. Called by the worker.
 */
export async function sendDigest(app: App, tenantId: string): Promise<void> {
  const { store, clock } = app;
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
  const found = alertsOf(app, { ...pending, lostServices: lost }, { client, timeZone });
  await tenant.saveDigest({
    seenSeq: pending.seenSeq,
    newestSeq: pending.newestSeq,
    mails: chosen.flatMap((to) => found.map(({ mailTo }) => mailTo(to))),
    notices: found.map(({ notice, mailTo }) => ({
      notice,
      at: now,
      roles: noticeRoles(notice.kind),
      mailTo: (username) => (chosen.includes(username) ? null : mailTo(username)),
      isMailedElsewhere: chosen.length > 0,
    })),
    notBefore: pending.items.length === 0 ? null : addSeconds(now, digestEverySeconds),
    mailsLoss: lost.length > 0,
    mailsPauses: pending.pauses.map(({ service }) => service),
    mailsStall: pending.stalledSince !== null,
    now,
  });
}

/** A notice and its email. */
interface Alert {
  readonly notice: Notice;
  readonly mailTo: (address: string) => Mail;
}

function alertsOf(
  { descriptors, config }: Pick<App, 'descriptors' | 'config'>,
  {
    stalledSince,
    pauses,
    lostServices,
    items,
  }: Pick<PendingAlerts, 'stalledSince' | 'pauses' | 'lostServices' | 'items'>,
  about: { readonly client: string; readonly timeZone: string },
): readonly Alert[] {
  const recipient = (to: string) => ({ to, appUrl: config.appUrl, ...about });
  const labelOf = (service: Service) => descriptors[service].label;
  return [
    ...(stalledSince === null
      ? []
      : [{ notice: { kind: 'sync_stalled' }, mailTo: (to) => stallMail(recipient(to), stalledSince) } satisfies Alert]),
    ...pauses.map((pause): Alert => ({
      notice: { kind: 'service_paused', service: labelOf(pause.service) },
      mailTo: (to) => servicePausedMail(recipient(to), labelOf(pause.service), pause),
    })),
    ...lostServices.map((service): Alert => ({
      notice: { kind: 'connection_lost', service: labelOf(service) },
      mailTo: (to) => connectionLostMail(recipient(to), labelOf(service)),
    })),
    ...(items.length === 0
      ? []
      : [{ notice: noticeOfItems(items), mailTo: (to) => digestMail(recipient(to), items) } satisfies Alert]),
  ];
}

function noticeOfItems(items: readonly AlertItem[]): Notice {
  const documents = [...new Map(items.map((item) => [`${item.type} ${item.psaId}`, item])).values()];
  const causes = Map.groupBy(documents, ({ codes, message }) => codes[0] ?? message.split(':', 1)[0]);
  const [largest] = [...causes.values()].toSorted((a, b) => b.length - a.length);
  return {
    kind: 'documents_failed',
    count: documents.length,
    sums: sumsOf(documents),
    cause: truncate(largest?.[0]?.message ?? '', maxCause, '…'),
  };
}
