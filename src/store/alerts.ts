import { sql } from 'kysely';
import type { AlertItem, PendingAlerts, SentDigest } from '#core/records/alerts.ts';
import { longPauseSeconds } from '#core/records/service-pauses.ts';
import { isStalled } from '#core/records/stalls.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { insertNotices } from './notices.ts';
import { insertMails } from './outbox.ts';
import type { RootWork, TenantWork } from './scope.ts';

/** Maximum log rows in one email; later rows are sent in the next one. */
const digestRows = 200;

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

/** Finds clients with alerts. */
export const alertSearch = {
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
};
