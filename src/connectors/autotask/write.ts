import { createHash } from 'node:crypto';
import type { RateLimits } from '../rate-limiter.ts';
import { ServiceError } from '#core/service-error.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import type { Instant } from '#core/values/dates.ts';
import { createSharedCache } from '../shared-cache.ts';
import type { AutotaskApi } from './api.ts';
import { isRecord, notStored, wrongShape } from './errors.ts';

/** A record to write to. */
export interface Written {
  readonly entity: 'Invoices' | 'PurchaseOrders' | 'ExpenseReports';
  readonly noun: string;
  readonly id: number;
}

type Fields = Readonly<Record<string, string | null>>;

/** Writes fields of one record; may be repeated. */
export type WriteFields = (record: Written, fields: Fields) => Promise<void>;

/** Kinds of writes that were verified; a year means the life of the process. */
const proven = createSharedCache<true>(365 * 86_400);

/**
 * Creates the function that writes fields. Writes are sent to the collection, with the id in the body (autotask
 * reference section 6). The first write of each kind with the same credentials is read back and compared, because
 * Autotask may accept a value without storing it [A23].
 *
 * @returns a function that throws ServiceError `PSA_NOT_STORED` if a value was accepted but not stored
 */
export const recordWriter =
  (of: {
    readonly api: AutotaskApi;
    readonly credentials: PsaCredentials;
    readonly rateLimits: RateLimits;
    readonly now: () => Instant;
  }): WriteFields =>
  async (record, fields) => {
    const { api } = of;
    const { entity, noun, id } = record;
    const operation = `write to the ${noun}`;
    const body = { id, ...fields };
    const answer = await api.call({ operation, method: 'PATCH', path: entity, body, document: `${noun} ${id}` });
    if (answer.itemId !== undefined && Number(answer.itemId) !== id) throw wrongShape(operation, `another ${noun}`);
    const key = `${await api.databaseId()} ${fingerprintOf(of.credentials)} ${entity} ${kindOf(fields)}`;
    await proven.get(of.rateLimits, key, of.now, () => readBack(api, record, fields)).catch(unlessNotStored);
  };

/** An API user that is connected again may have other rights. */
const fingerprintOf = ({ userName, secret }: PsaCredentials): string =>
  createHash('sha256').update(`${userName}\0${secret}`).digest('base64url');

/** Returns the field names, with cleared fields marked: a null is a different kind of write than a value. */
const kindOf = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => (value === null || value === '' ? `${name} cleared` : name))
    .sort()
    .join(', ');

async function readBack(api: AutotaskApi, { entity, noun, id }: Written, fields: Fields): Promise<true> {
  const operation = `read the ${noun} back`;
  const { item } = await api.call({ operation, method: 'GET', path: `${entity}/${id}`, document: `${noun} ${id}` });
  // A record or field that this API user may write but not read cannot be verified.
  if (!isRecord(item) || item['id'] !== id) return true;
  const shown = Object.entries(fields).filter(([name]) => item[name] !== undefined);
  const different = shown.find(([name, sent]) => !isSame(sent, item[name]));
  if (different === undefined) return true;
  const [name, sent] = different;
  throw notStored(`write to the ${noun}`, { noun, id, name, sent });
}

/** Compares a sent value with the stored one: texts without outer spaces, dates as moments. */
function isSame(sent: string | null, stored: unknown): boolean {
  const [ours, theirs] = [(sent ?? '').trim(), typeof stored === 'string' ? stored.trim() : ''];
  if (ours === theirs) return true;
  if (!isDateTime(ours) || !isDateTime(theirs)) return false;
  // Date-times may lack a zone, and are compared to the second.
  return Math.abs(timeOf(ours) - timeOf(theirs)) < 1_000;
}

const isDateTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text);
const timeOf = (text: string): number => Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);

/** Ignores a failed read-back: a later write verifies this kind. */
function unlessNotStored(error: unknown): void {
  if (!(error instanceof ServiceError) || error.about.code === 'PSA_NOT_STORED') throw error;
}
