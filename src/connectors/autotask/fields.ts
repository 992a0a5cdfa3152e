import type { RateLimits } from '../rate-limiter.ts';
import type { Instant } from '#core/values/dates.ts';
import { createSharedCache } from '../shared-cache.ts';
import type { AutotaskApi } from './api.ts';
import { wrongShape, type JsonRecord } from './errors.ts';
import { atField, readRows, type AtField } from './wire.ts';

/** Field information of one entity: the PSA's answer, and the part that we use. */
export interface Fields {
  readonly answer: JsonRecord;
  readonly list: readonly AtField[];
}

interface Sources {
  readonly api: AutotaskApi;
  readonly rateLimits: RateLimits;
  readonly now: () => Instant;
}

/** Fields and their choices change only when an administrator changes them, which is rare. */
const cacheSeconds = 3_600;

const cache = createSharedCache<Fields>(cacheSeconds);

/** Returns the fields of an entity, cached for an hour per PSA database. */
export async function fieldsOf({ api, rateLimits, now }: Sources, entity: string): Promise<Fields> {
  return cache.get(rateLimits, `${await api.databaseId()} ${entity}`, now, async () => {
    const operation = `read the fields of ${entity}`;
    const answer = await api.call({ operation, method: 'GET', path: `${entity}/entityInformation/fields` });
    if (!Array.isArray(answer.fields)) throw wrongShape(operation, 'no fields');
    return { answer, list: readRows(operation, atField, answer.fields) };
  });
}
