import { sql } from 'kysely';
import type { AlertItem, PendingAlerts, SentDigest, TakenMail } from '#core/records/alerts.ts';
import { longPauseSeconds } from '#core/records/service-pauses.ts';
import { isStalled } from '#core/records/stalls.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { insertNotices } from './notices.ts';
import { insertMails } from './outgoing-mails.ts';
import { endAccountMail, retryAccountMail, saveAccountMail, takeAccountMail } from './account-mails.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { movedTenants } from './tenants.ts';

/** Maximum log rows in one email; later rows are sent in the next one. */
const digestRows = 200;
/** If a worker reports no result for an email within this time, the worker is considered dead. */
const lostAfterSeconds = 600;

/** Alerts to a tenant's administrators. */
export const alerts = {
  /** Returns the alerts that no email has reported yet; null without any. */
  readPendingAlerts: async ({ tx, tenantId, clock }: TenantWork): Promise<PendingAlerts | null> => {
    const state = await tx
      .selectFrom('alert_states')
      .select(['is_pending as isPending', 'seen_seq as seenSeq', 'lost_services as lostServices'])
      .select('loss_mailed_at as lossMailedAt')
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    if (state === undefined || !state.isPending) return null;
    const rows = await tx
      .selectFrom('logs')
      .innerJoin('log_details', (join) =>
        join.onRef('log_details.tenant_id', '=', 'logs.tenant_id').onRef('log_details.key', '=', 'logs.key'),
      )
      .select([
        'logs.seq',
        'logs.type',
        'logs.psa_id as psaId',
        'logs.number',
        'logs.message',
        'logs.amount',
        'logs.currency',
        'log_details.problems',
      ])
      .where('logs.tenant_id', '=', tenantId)
      .where('logs.seq', '>', state.seenSeq)
      .where('logs.is_manual', '=', false)
      .where('logs.is_test', '=', false)
      .where((where) =>
        where.or([
          where('logs.success', '=', false),
          where('logs.message', 'like', 'Payment reversed:%'),
          where('log_details.transcript', 'like', '%SUBTOTAL_MISMATCH %'),
        ]),
      )
      // A message that repeats the document's previous message is not pending.
      .where(
        sql<boolean>`logs.message is distinct from (
          select before.message from logs before
           where before.tenant_id = logs.tenant_id and before.type = logs.type and before.psa_id = logs.psa_id
             and before.seq < logs.seq
           order by before.seq desc limit 1)`,
      )
      .orderBy('logs.seq')
      .limit(digestRows)
      .execute();
    const stall = await tx
      .selectFrom('stalls')
      .select(['since', 'failures'])
      .where('tenant_id', '=', tenantId)
      .where('mailed_at', 'is', null)
      .executeTakeFirst();
    const pauses = await tx
      .selectFrom('service_pauses')
      .select(['service', 'since', 'next_try_at as nextTryAt'])
      .where('tenant_id', '=', tenantId)
      .where('mailed_at', 'is', null)
      .where('since', '<=', addSeconds(clock.now(), -longPauseSeconds))
      .execute();
    const newest = await tx
      .selectFrom('logs')
      .select((of) => of.fn.max('seq').as('seq'))
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    return {
      seenSeq: state.seenSeq,
      newestSeq:
        rows.length === digestRows ? (rows.at(-1)?.seq ?? state.seenSeq) : Math.max(state.seenSeq, newest?.seq ?? 0),
      items: rows.map(({ problems, seq: _seq, ...row }): AlertItem => ({
        ...row,
        codes: problems.flatMap(({ code }) => (code === undefined ? [] : [code])),
        remedy: problems[0]?.remedy ?? null,
      })),
      lostServices: state.lostServices as readonly Service[],
      lossMailedAt: state.lossMailedAt,
      stalledSince: stall !== undefined && isStalled(stall, clock.now()) ? stall.since : null,
      pauses,
    };
  },

  /** Records a digest as sent and saves its emails in one transaction; false when another process did so meanwhile. */
  saveDigest: async (
    { tx, tenantId }: TenantWork,
    { seenSeq, newestSeq, mails, notices, notBefore, mailsLoss, mailsPauses, mailsStall, now }: SentDigest,
  ): Promise<boolean> => {
    const { numUpdatedRows } = await tx
      .updateTable('alert_states')
      .set({
        seen_seq: newestSeq,
        // Rows beyond the limit, or written in the meantime, are checked next time.
        is_pending: sql<boolean>`exists (select 1 from logs where tenant_id = ${tenantId} and seq > ${newestSeq} and not success and not is_manual and not is_test)`,
        lost_services: [],
        ...(notBefore === null ? {} : { not_before: notBefore }),
        ...(mailsLoss ? { loss_mailed_at: now } : {}),
      })
      .where('tenant_id', '=', tenantId)
      .where('seen_seq', '=', seenSeq)
      .where('is_pending', '=', true)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    if (mailsPauses.length > 0)
      await tx
        .updateTable('service_pauses')
        .set({ mailed_at: now })
        .where('tenant_id', '=', tenantId)
        .where('service', 'in', [...mailsPauses])
        .execute();
    if (mailsStall) await tx.updateTable('stalls').set({ mailed_at: now }).where('tenant_id', '=', tenantId).execute();
    await insertNotices(tx, tenantId, notices);
    await insertMails(tx, tenantId, mails, now);
    return true;
  },
};

/** Emails in the outbox, and who receives alerts. */
export const outgoingMails = {
  /**
   * Saves an email about a user's account, encrypted, as already taken by the caller. The caller sends it, then calls
   * `endMail` or `retryMail`.
   */
  saveMail: ({ tx, vault }: RootWork, mail: Mail, now: Instant): Promise<TakenMail> =>
    saveAccountMail(tx, vault, mail, now),

  /** Returns clients that may need an alert email now. */
  tenantsWithAlerts: async ({ tx }: RootWork, now: Instant, limit: number): Promise<readonly string[]> =>
    (
      await tx
        .selectFrom('alert_states')
        .select('tenant_id as id')
        .where('is_pending', '=', true)
        .where((where) => where.or([where('not_before', 'is', null), where('not_before', '<=', now)]))
        .orderBy('tenant_id')
        .limit(limit)
        .execute()
    ).map(({ id }) => id),

  /**
   * Takes the email that has waited longest, for this caller alone; null when none is due. An email whose sender
   * crashed is tried again once and then dropped.
   */
  takeMail: async ({ tx, vault }: RootWork, now: Instant): Promise<TakenMail | null> => {
    const stale = addSeconds(now, -lostAfterSeconds);
    const accountMail = await takeAccountMail(tx, vault, now, stale);
    if (accountMail !== null) return accountMail;
    // A second worker died while sending this email. The outcome is unknown, so the email is dropped.
    await tx
      .updateTable('outgoing_mails')
      .set({ ended_at: now, body_text: '', body_html: '' })
      .where('ended_at', 'is', null)
      .where('was_lost', '=', true)
      .where('taken_at', '<', stale)
      .execute();
    const row = await tx
      .updateTable('outgoing_mails')
      .set({ was_lost: sql<boolean>`was_lost or taken_at is not null`, taken_at: now, tries: sql<number>`tries + 1` })
      .where(
        // Not `in`: PostgreSQL may run the subquery several times, and each time would take another row.
        sql<boolean>`(tenant_id, id) = (
          select tenant_id, id from outgoing_mails
           where ended_at is null and next_try_at <= ${now} and (taken_at is null or taken_at < ${stale})
             and tenant_id not in ${movedTenants}
           order by next_try_at limit 1 for update skip locked)`,
      )
      .returning(['tenant_id as tenantId', 'id', 'tries', 'recipient as to', 'subject'])
      .returning(['body_text as text', 'body_html as html'])
      .executeTakeFirst();
    return row ?? null;
  },

  /** Records that the email was sent or will not be retried, and deletes its text. */
  endMail: async (
    { tx }: RootWork,
    { tenantId, id }: Pick<TakenMail, 'tenantId' | 'id'>,
    now: Instant,
  ): Promise<void> => {
    if (tenantId === null) return endAccountMail(tx, id, now);
    await tx
      .updateTable('outgoing_mails')
      .set({ ended_at: now, body_text: '', body_html: '' })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute();
  },

  /** Schedules another try, after the mail server did not accept the email. */
  retryMail: async (
    { tx }: RootWork,
    { tenantId, id }: Pick<TakenMail, 'tenantId' | 'id'>,
    at: Instant,
  ): Promise<void> => {
    if (tenantId === null) return retryAccountMail(tx, id, at);
    await tx
      .updateTable('outgoing_mails')
      .set({ taken_at: null, next_try_at: at })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute();
  },
};
