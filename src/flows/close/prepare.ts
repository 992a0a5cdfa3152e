import { createHash } from 'node:crypto';
import {
  changedSincePosting,
  contentText,
  leftOutOf,
  obstaclesOf,
  signatureKinds,
  tieOut,
  totalsOf,
} from '#core/reconciliation/close.ts';
import { noticeRoles } from '#core/notices.ts';
import { readingText } from '#core/reconciliation/reading.ts';
import { differencesOf } from '#core/reconciliation/undecided.ts';
import { recordNames } from '#core/reconciliation/record-names.ts';
import { monthOf, type Month } from '#core/reconciliation/month.ts';
import type { StoredClose } from '#core/records/closes.ts';
import type { Actor } from '#core/records/audit.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addDays, addSeconds, dateIn, type CalendarDate } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';
import { gatherMonth } from './gather.ts';
import { maxRunSeconds } from './last-run.ts';
import { hashSources } from './sources-hash.ts';

/** A month that ends more than this before a client's first document has no documents. */
const maxDaysBefore = 366;

/** Maximum months of one client that are prepared at once; each one reads both services. */
export const maxAtOnce = 2;

/**
 * Records that a month is being prepared.
 *
 * @throws Refusal `not_begun` (422) for a future month; `no_documents` (422) for one before the first document; `busy`
 *   (409) while this month or two other months are being prepared.
 */
export async function beginPreparation({ store, clock }: TenantContext, month: Month): Promise<void> {
  const now = clock.now();
  const { timeZone } = await store.readTenant();
  const today = dateIn(now, timeZone);
  if (month > monthOf(today)) throw new Refusal('unprocessable', 'not_begun', 'This month has not begun yet.');
  // Documents that were never picked up may be older than the first one in the log.
  const earliest = addDays((await store.readFirstDocumentDate()) ?? today, -maxDaysBefore);
  if (month < monthOf(earliest))
    throw new Refusal(
      'unprocessable',
      'no_documents',
      'This month is before the first document, so there is nothing to prove.',
    );
  const outcome = await store.beginCloseRun(month, now, addSeconds(now, -maxRunSeconds), maxAtOnce);
  if (outcome === 'full')
    throw new Refusal(
      'conflict',
      'busy',
      'Two months are being prepared already. Please wait until one of them is done.',
    );
  if (outcome === 'busy')
    throw new Refusal('conflict', 'busy', 'This month is being prepared already. Please wait until it is done.');
}

/** Prepares a month after {@link beginPreparation} and records the result. Does not throw when a service fails. */
export async function endPreparation(
  context: TenantContext,
  month: Month,
  actor: Actor,
  version: string,
): Promise<StoredClose | null> {
  const { store, clock, logger } = context;
  try {
    const { close, sourcesSha256 } = await prepareWithSources(context, month, actor, version);
    await store.endCloseRun(month, clock.now(), null, sourcesSha256);
    return close;
  } catch (error) {
    const isKnown = error instanceof ServiceError || error instanceof Refusal;
    if (!isKnown) logger.error({ err: error, month }, 'a month could not be prepared');
    const message = isKnown ? error.message : 'Something went wrong here. Please try again.';
    await store.endCloseRun(month, clock.now(), message);
    return null;
  }
}

/**
 * Proves a month as it is now and stores the proof. Earlier proofs stay unchanged. A proof that equals the newest one
 * is not stored again.
 *
 * @throws ServiceError when one of the services cannot be used; Refusal `not_connected`.
 */
export const prepareClose = async (
  context: TenantContext,
  month: Month,
  actor: Actor,
  version: string,
): Promise<StoredClose> => (await prepareWithSources(context, month, actor, version)).close;

async function prepareWithSources(
  context: TenantContext,
  month: Month,
  actor: Actor,
  version: string,
): Promise<{ readonly close: StoredClose; readonly sourcesSha256: string }> {
  const { store, clock } = context;
  const { facts, reports, settings, mappings, accounting, sources } = await gatherMonth(context, month);
  const sourcesSha256 = await hashSources(context, { ...sources, version });
  const proof = tieOut(facts);
  const before = (await store.listCloses({ month })).at(-1);
  const close = await store.addClose({
    month,
    preparedAt: clock.now(),
    preparedBy: actor.username,
    sha256: createHash('sha256').update(contentText(proof)).digest('hex'),
    readingSha256: createHash('sha256').update(readingText(proof)).digest('hex'),
    isProved: obstaclesOf(proof).length === 0,
    totals: totalsOf(proof),
    proof,
    changedSince: changedSincePosting(proof),
    leftOut: leftOutOf(proof, await paidFromOf(context, settings)),
    differences: differencesOf(proof),
    reports,
    setup: {
      version,
      company: accounting.company.name,
      psaLabel: facts.tieOuts.psaLabel,
      closedThrough: accounting.preferences.closedThrough,
      settings: settings,
      mappings: mappings as unknown as readonly JsonObject[],
      names: recordNames(proof.rows, accounting),
    },
  });
  if (before !== undefined && before.id !== close.id) await noteOutdated(context, before);
  return { close, sourcesSha256 };
}

/** Notifies users of a signature of a proof that a newer one replaced before the second signature. */
async function noteOutdated({ store, clock }: TenantContext, { id, month }: StoredClose): Promise<void> {
  const given = (await store.listSignatures([month])).filter(({ closeId }) => closeId === id);
  const [first] = given;
  if (first === undefined || given.length === signatureKinds.length) return;
  const kind = 'signature_outdated';
  const notice = { kind, month, as: first.as, by: first.by } as const;
  await store.addNotices([{ notice, at: clock.now(), roles: noticeRoles(kind) }]);
}

/** Returns the first day whose PSA paid dates become payments automatically; null if none do. */
async function paidFromOf({ store, clock }: TenantContext, settings: Settings): Promise<CalendarDate | null> {
  if (!settings.pay_sync_active || settings.pay_direction === 'qbo_to_psa') return null;
  const { timeZone } = await store.readTenant();
  const oldest = addDays(dateIn(clock.now(), timeZone), -settings.inv_max_age_days);
  const { sync_start_date: startOn } = settings;
  return startOn !== null && startOn > oldest ? startOn : oldest;
}
