import { sql } from 'kysely';
import type {
  DeliveryResult,
  EventPlace,
  NewEvent,
  NewWebhookDelivery,
  TakenDelivery,
  WebhookDelivery,
  WebhookEndpoint,
} from '#core/records/webhook-endpoints.ts';
import type { LoggedDocument } from '#core/webhook-event.ts';
import { month } from '#core/reconciliation/month.ts';
import type { SignatureKind } from '#core/reconciliation/close.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Page } from '#core/records/page.ts';
import type { Tx } from './database.ts';
import { offsetOf } from './log.ts';
import { insertNotices } from './notices.ts';
import type { TenantWork } from './scope.ts';
import { secretsOf } from './secrets.ts';
import { clean, isId, movedTenants } from './tables.ts';
import { endpointField, lateSeconds, lostAfterSeconds, type EndpointChange } from './webhook-endpoints.ts';

const columns = [
  'id',
  'source',
  'event',
  'subject',
  'created_at as createdAt',
  'tries',
  'tried_at as triedAt',
  'is_delivered as isDelivered',
  'status',
  'answer',
] as const;

const nextTryAt = sql<Instant | null>`case when ended_at is null then next_try_at end`.as('nextTryAt');

/** What the webhook endpoints of a client were sent. */
export const webhookDeliveries = {
  /**
   * Adds a test event; `too_soon` if the endpoint got one after `quietSince`, `paused` if the endpoint is not active,
   * null when it does not exist.
   */
  addTestDelivery: async (
    { tx, tenantId }: TenantWork,
    id: string,
    delivery: NewWebhookDelivery,
    now: Instant,
    quietSince: Instant,
  ): Promise<WebhookDelivery | 'too_soon' | 'paused' | null> => {
    if (!isId(id)) return null;
    const endpoint = await tx
      .selectFrom('webhook_endpoints')
      .select(['state', 'tested_at'])
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (endpoint === undefined) return null;
    if (endpoint.state !== 'active') return 'paused';
    if (endpoint.tested_at !== null && endpoint.tested_at > quietSince) return 'too_soon';
    await hasten(tx, tenantId, id, { tested_at: now });
    return tx
      .insertInto('webhook_deliveries')
      .values({ tenant_id: tenantId, endpoint_id: id, ...delivery, created_at: now, next_try_at: now })
      .returning([...columns, nextTryAt])
      .executeTakeFirstOrThrow();
  },

  /** Returns a page of the deliveries, newest first; null when the endpoint does not exist. */
  listWebhookDeliveries: async (
    { tx, tenantId }: TenantWork,
    id: string,
    { isFailed, ...page }: Page & { readonly isFailed: boolean },
  ): Promise<{ readonly deliveries: readonly WebhookDelivery[]; readonly total: number } | null> => {
    if (!isId(id)) return null;
    const endpoint = await tx
      .selectFrom('webhook_endpoints')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (endpoint === undefined) return null;
    const found = tx
      .selectFrom('webhook_deliveries')
      .where('tenant_id', '=', tenantId)
      .where('endpoint_id', '=', id)
      .$if(isFailed, (all) => all.where('is_delivered', '=', false).where('tried_at', 'is not', null));
    const { limit, offset } = offsetOf(page);
    const deliveries = await found
      .select([...columns, nextTryAt])
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute();
    const { total } = await found.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    return { deliveries, total };
  },

  /**
   * Schedules a delivery for now, with the same id for the receiver; `paused` if its endpoint is not active, null when
   * it does not exist.
   */
  resendWebhook: async (
    { tx, tenantId }: TenantWork,
    id: string,
    now: Instant,
  ): Promise<WebhookDelivery | 'paused' | null> => {
    if (!isId(id)) return null;
    const row = await tx
      .selectFrom('webhook_deliveries as d')
      .innerJoin('webhook_endpoints as e', (join) =>
        join.onRef('e.tenant_id', '=', 'd.tenant_id').onRef('e.id', '=', 'd.endpoint_id'),
      )
      .select(['e.id as endpointId', 'e.state'])
      .where('d.tenant_id', '=', tenantId)
      .where('d.id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return null;
    if (row.state !== 'active') return 'paused';
    await hasten(tx, tenantId, row.endpointId, {});
    return tx
      .updateTable('webhook_deliveries')
      .set({ next_try_at: now, ended_at: null, is_delivered: false })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returning([...columns, nextTryAt])
      .executeTakeFirstOrThrow();
  },

  /**
   * Lists records after a place that may be events and that the endpoint has no delivery for, oldest first. Tests are
   * never listed.
   *
   * @param after null: begins a little before {@link WebhookEndpoint.readTo}, because transactions may commit late.
   */
  listNewEvents: async (
    { tx, tenantId }: TenantWork,
    endpoint: WebhookEndpoint,
    after: EventPlace | null,
    limit: number,
  ): Promise<readonly NewEvent[]> => {
    const from = after ?? { at: addSeconds(endpoint.readTo, -lateSeconds), seq: 0 };
    const logged = await newLogs(tx, tenantId, endpoint, from, limit);
    return after === null ? [...(await newSignatures(tx, tenantId, endpoint, from.at)), ...logged] : logged;
  },

  /** Adds deliveries, each once for its source, and records up to when events were read. */
  addWebhookDeliveries: async (
    { tx, tenantId }: TenantWork,
    endpointId: string,
    deliveries: readonly NewWebhookDelivery[],
    readTo: Instant,
    now: Instant,
  ): Promise<void> => {
    if (deliveries.length > 0)
      await tx
        .insertInto('webhook_deliveries')
        .values(
          deliveries.map(({ subject, body, ...one }) => ({
            tenant_id: tenantId,
            endpoint_id: endpointId,
            ...one,
            subject: clean(subject),
            body: clean(body),
            created_at: now,
            next_try_at: now,
          })),
        )
        .onConflict((conflict) => conflict.columns(['tenant_id', 'endpoint_id', 'source']).doNothing())
        .execute();
    await tx
      .updateTable('webhook_endpoints')
      .set({ read_to: sql<Instant>`greatest(read_to, ${readTo})` })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', endpointId)
      .execute();
  },

  /** Counts the deliveries of an endpoint that have not ended. */
  countWaitingDeliveries: async ({ tx, tenantId }: TenantWork, endpointId: string): Promise<number> => {
    const { count } = await tx
      .selectFrom('webhook_deliveries')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('endpoint_id', '=', endpointId)
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow();
    return count;
  },

  /**
   * Takes the delivery that has waited longest, for this caller alone; null when none is due. A delivery whose sender
   * died is taken again.
   */
  takeWebhookDelivery: async (work: TenantWork, now: Instant): Promise<TakenDelivery | null> => {
    const { tx, tenantId } = work;
    const row = await tx
      .updateTable('webhook_deliveries')
      .set({ taken_at: now, tries: sql<number>`tries + 1` })
      .where('tenant_id', '=', tenantId)
      .where(
        // Not `in`: PostgreSQL may run the subquery several times, and each time would take another row.
        sql<boolean>`id = (
          select d.id from webhook_deliveries d
            join webhook_endpoints e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
           where d.tenant_id = ${tenantId} and d.tenant_id not in ${movedTenants} and e.state = 'active' and (e.wait_until is null or e.wait_until <= ${now})
             and d.ended_at is null and d.next_try_at <= ${now}
             and (d.taken_at is null or d.taken_at < ${addSeconds(now, -lostAfterSeconds)})
           order by d.next_try_at, d.created_at limit 1 for update of d skip locked)`,
      )
      .returning(['id', 'source', 'event', 'body', 'tries', 'created_at as createdAt', 'endpoint_id as endpointId'])
      .executeTakeFirst();
    return row === undefined ? null : { ...row, ...(await receiverOf(work, row.endpointId, now)) };
  },

  /** Records the result of an attempt, unless another worker has taken the delivery since. */
  endWebhookAttempt: async (
    { tx, tenantId }: TenantWork,
    { id, endpointId, tries }: Pick<TakenDelivery, 'id' | 'endpointId' | 'tries'>,
    result: DeliveryResult,
  ): Promise<void> => {
    const { at, isDelivered, status, answer } = result;
    const { numUpdatedRows } = await tx
      .updateTable('webhook_deliveries')
      .set({
        taken_at: null,
        tried_at: at,
        status,
        answer: clean(answer),
        is_delivered: isDelivered,
        ...(result.nextTryAt === null ? { ended_at: at } : { next_try_at: result.nextTryAt }),
      })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .where('tries', '=', tries)
      .where('taken_at', 'is not', null)
      .executeTakeFirst();
    // Removed, or taken by another worker.
    if (numUpdatedRows !== 1n) return;
    if (isDelivered) await hasten(tx, tenantId, endpointId, { delivered_at: at, failures: 0, failing_since: null });
    else await noteFailure(tx, tenantId, endpointId, result);
  },
};

const update = (tx: Tx, tenantId: string, id: string) =>
  tx.updateTable('webhook_endpoints').where('tenant_id', '=', tenantId).where('id', '=', id);

/** Ends the waiting time of an endpoint. */
const hasten = (tx: Tx, tenantId: string, id: string, also: EndpointChange) =>
  update(tx, tenantId, id)
    .set({ ...also, wait_until: null })
    .execute();

async function noteFailure(
  tx: Tx,
  tenantId: string,
  id: string,
  { at, waitUntil, pause }: DeliveryResult,
): Promise<void> {
  await update(tx, tenantId, id)
    .set({
      failed_at: at,
      failures: sql<number>`failures + 1`,
      failing_since: sql<Instant>`coalesce(failing_since, ${at})`,
      wait_until: waitUntil,
    })
    .execute();
  if (pause === null) return;
  const { numUpdatedRows } = await update(tx, tenantId, id)
    .set({ state: 'failing' })
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (numUpdatedRows === 1n) await insertNotices(tx, tenantId, [pause]);
}

/** Returns what is needed to send to an endpoint. */
async function receiverOf({ tx, tenantId, vault }: TenantWork, id: string, now: Instant) {
  const endpoint = await tx
    .selectFrom('webhook_endpoints')
    .select(['address', 'secret', 'old_secret', 'old_secret_ends_at', 'failures'])
    .select(['shown_address as shownAddress', 'failing_since as failingSince'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { address, secret, old_secret: old, old_secret_ends_at: oldEndsAt, ...rest } = endpoint;
  const secrets = secretsOf(tx, vault, tenantId);
  const open = (sealed: string) => secrets.open(endpointField(id, 'secret'), sealed);
  return {
    ...rest,
    address: await secrets.open(endpointField(id, 'address'), address),
    secrets: [await open(secret), ...(old === null || oldEndsAt === null || oldEndsAt <= now ? [] : [await open(old)])],
  };
}

interface LogRow extends Omit<LoggedDocument, 'target'> {
  readonly source: string;
  readonly at: Instant;
  readonly seq: number;
  readonly targetType: string | null;
  readonly targetId: string | null;
  readonly targetNumber: string | null;
}

/**
 * A log entry posted a document if it is the first success since the ledger recorded the document; both are saved in one
 * transaction.
 */
async function newLogs(
  tx: Tx,
  tenantId: string,
  endpoint: WebhookEndpoint,
  after: EventPlace,
  limit: number,
): Promise<readonly NewEvent[]> {
  const { rows } = await sql<LogRow>`
    select l.key as source, l.at, l.seq, l.type, l.psa_id as "psaId", l.success, l.awaits_approval as "awaitsApproval",
           l.marked_paid as "markedPaid",
           l.what, l.number, l.party, l.dated as on, l.amount, l.currency, l.message, d.problems,
           l.success and exists (
             select from postings p
              where p.tenant_id = l.tenant_id and p.kind = l.type and p.psa_id = l.psa_id and p.target_id is not null
                and p.status <> 'refused' and not p.was_adopted and p.created_at <= l.at
                and not exists (
                  select from logs e
                   where e.tenant_id = l.tenant_id and e.type = l.type and e.psa_id = l.psa_id and e.success
                     and not e.is_test and e.at >= p.created_at and (e.at, e.seq) < (l.at, l.seq))) as "isPosted",
           t.target_type as "targetType", t.target_id as "targetId", t.number as "targetNumber"
      from logs l
      join log_details d on d.tenant_id = l.tenant_id and d.key = l.key
      left join lateral (
        select p.target_type, p.target_id, p.number from postings p
         where p.tenant_id = l.tenant_id and p.psa_id = l.psa_id and p.target_id is not null
           and p.kind = case l.type when 'payment' then 'invoice' else l.type end
           and p.status in ('synced', 'unconfirmed')
         order by p.generation desc, p.revision desc limit 1) t on true
     where l.tenant_id = ${tenantId} and not l.is_test and l.at > ${endpoint.createdAt}
       and (l.at, l.seq) > (${after.at}::timestamptz, ${after.seq}::bigint)
       and not exists (
         select from webhook_deliveries w
          where w.tenant_id = l.tenant_id and w.endpoint_id = ${endpoint.id} and w.source = l.key)
     order by l.at, l.seq limit ${limit}`.execute(tx);
  return rows.map(({ source, at, seq, targetType, targetId, targetNumber, ...logged }) => ({
    source,
    place: { at, seq },
    logged: {
      ...logged,
      target:
        targetType === null || targetId === null ? null : { type: targetType, id: targetId, number: targetNumber },
    },
  }));
}

/** Returns signatures since a time; a client has two a month. */
async function newSignatures(
  tx: Tx,
  tenantId: string,
  endpoint: WebhookEndpoint,
  after: Instant,
): Promise<readonly NewEvent[]> {
  const { rows } = await sql<{ id: string; signedAt: Instant; month: string; as: SignatureKind; by: string }>`
    select s.id, s.signed_at as "signedAt", c.month, s.signed_as as "as", s.signed_by as "by"
      from close_signatures s join closes c on c.tenant_id = s.tenant_id and c.id = s.close_id
     where s.tenant_id = ${tenantId} and s.signed_at > ${endpoint.createdAt} and s.signed_at > ${after}
       and not exists (
         select from webhook_deliveries w
          where w.tenant_id = s.tenant_id and w.endpoint_id = ${endpoint.id} and w.source = 'signature/' || s.id)
     order by s.signed_at`.execute(tx);
  return rows.map(({ id, signedAt, month: of, as, by }) => ({
    source: `signature/${id}`,
    signedAt,
    signed: { month: month(of), as, by },
  }));
}
