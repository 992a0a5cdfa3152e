import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type AccountingChange, type AccountingRecord, isPurchaseRecord } from '#core/documents/accounting-change.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { NotificationMessage, NotificationReader } from '#core/ports/notifications.ts';

/** QuickBooks' names of the relevant records; the two message formats differ in case. */
const records: Readonly<Record<string, AccountingRecord>> = {
  account: 'account',
  class: 'class',
  term: 'term',
  customer: 'customer',
  vendor: 'vendor',
  item: 'item',
  invoice: 'invoice',
  payment: 'payment',
  bill: 'bill',
  purchaseorder: 'purchase_order',
};

/** Longer ids are invalid (quickbooks reference 2.2). */
const idText = z.union([z.string().regex(/^\d{1,30}$/), z.int().nonnegative()]).transform(String);
const realm = idText;

/**
 * The older format (quickbooks reference 2.10): one object with several companies; a merge names the removed record.
 */
const envelope = z.object({
  eventNotifications: z.array(
    z.object({
      realmId: realm,
      dataChangeEvent: z.object({ entities: z.array(z.unknown()) }).nullish(),
    }),
  ),
});
const envelopeEntity = z.object({
  name: z.string(),
  id: idText,
  operation: z.string(),
  deletedId: idText.nullish(),
});

/** The newer format: a list of CloudEvents of one or several companies. */
const cloudEvent = z.object({
  type: z.string().regex(/^qbo\.[a-z]+\.[a-z]+\.v\d+$/i),
  intuitentityid: idText,
  intuitaccountid: realm,
  /** Names the record that a merge removed. */
  data: z.object({ deletedid: idText.nullish() }).nullish(),
});

/** The field of the company in the text of both formats. */
const companyField = /"(?:intuitaccountid|realmId)"\s{0,9}:\s{0,9}"?(\d{1,30})\b/;

interface Event {
  readonly companyId: string;
  readonly name: string;
  /** The verb in lower case, e.g. `create` or `created`. */
  readonly verb: string;
  readonly ids: readonly string[];
}

/**
 * Verifies and reads QuickBooks' notifications (quickbooks reference 2.10, reliability reference 2.3 row 14).
 *
 * @param verifiers the application's verifier tokens at Intuit, separated by commas while one replaces another;
 *   undefined: every message is rejected.
 */
export const quickbooksNotifications = (verifiers: string | undefined, logger: Logger): NotificationReader => {
  const keys = (verifiers ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return {
    receive(signature) {
      const hashes = keys.map((key) => createHmac('sha256', key));
      const chunks: Uint8Array[] = [];
      return {
        add(bytes) {
          chunks.push(bytes);
          for (const hash of hashes) hash.update(bytes);
        },
        finish() {
          const isSigned = hashes.map((hash) => matches(hash.digest(), signature)).some(Boolean);
          if (!isSigned) return null;
          const body = Buffer.concat(chunks);
          const text = new TextDecoder().decode(body);
          return {
            bytes: body.length,
            firstCompanyId: companyField.exec(text)?.[1] ?? null,
            read() {
              const events = eventsOf(text);
              // Intuit sends a refused message again forever; the next reading of the change feed finds the changes.
              if (events === null)
                logger.warn({ bytes: body.length }, 'a QuickBooks notification has an unknown shape');
              return messagesOf(events ?? []);
            },
          };
        },
      };
    },
  };
};

/** Compares a digest with a signature in constant time. */
function matches(expected: Buffer, signature: string | undefined): boolean {
  const given = Buffer.from(signature ?? '', 'base64');
  // Base64 text is not unique: only Intuit's form is accepted.
  const isPlain = given.toString('base64') === signature;
  return timingSafeEqual(given.length === expected.length ? given : Buffer.alloc(expected.length), expected) && isPlain;
}

function eventsOf(text: string): readonly Event[] | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (Array.isArray(message)) return message.flatMap(cloudEventOf);
  // A CloudEvent may also be sent without a list.
  if (cloudEvent.safeParse(message).success) return cloudEventOf(message);
  const read = envelope.safeParse(message);
  if (!read.success) return null;
  return read.data.eventNotifications.flatMap(({ realmId, dataChangeEvent }) => [
    { companyId: realmId, name: '', verb: '', ids: [] },
    ...(dataChangeEvent?.entities ?? []).flatMap((entity) => envelopeEventOf(realmId, entity)),
  ]);
}

/** An element that is not understood does not affect the others. */
function cloudEventOf(element: unknown): readonly Event[] {
  const read = cloudEvent.safeParse(element);
  if (!read.success) return [];
  const { type, intuitentityid, intuitaccountid, data } = read.data;
  const [, name = '', verb = ''] = type.toLowerCase().split('.');
  return [{ companyId: intuitaccountid, name, verb, ids: [intuitentityid, data?.deletedid ?? []].flat() }];
}

function envelopeEventOf(companyId: string, element: unknown): readonly Event[] {
  const read = envelopeEntity.safeParse(element);
  if (!read.success) return [];
  const { name, id, operation, deletedId } = read.data;
  const ids = deletedId === undefined || deletedId === null ? [id] : [id, deletedId];
  return [{ companyId, name: name.toLowerCase(), verb: operation.toLowerCase(), ids }];
}

function messagesOf(events: readonly Event[]): readonly NotificationMessage[] {
  return [...Map.groupBy(events, ({ companyId }) => companyId)].map(([companyId, own]) => {
    const changes = new Map<string, AccountingChange>();
    for (const { name, verb, ids } of own) {
      const record = Object.hasOwn(records, name) ? records[name] : undefined;
      // A new document has not been changed or paid; a payment is reported separately.
      const isNew = verb.startsWith('create');
      if (record === undefined || (isNew && (record === 'invoice' || isPurchaseRecord(record)))) continue;
      for (const id of ids) changes.set(`${record} ${id}`, { record, id });
    }
    return { companyId, changes: [...changes.values()] };
  });
}
