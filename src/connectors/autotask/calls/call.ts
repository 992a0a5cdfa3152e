import type { JsonRecord } from '../errors.ts';
import type { Zone } from '../zone.ts';

/** One call of the REST API. */
export interface ApiCall {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below `V1.0/`, e.g. `Invoices/query`; its first part is the entity, whose calls at once are limited. */
  readonly path: string;
  readonly body?: unknown;
  readonly document?: string;
}

/** A call that knows where it goes. */
export interface ZonedCall extends ApiCall {
  readonly zone: Zone;
}

/** One layer of a call: it answers the service's JSON object or throws a ServiceError. */
export type Send<Call = ApiCall> = (call: Call) => Promise<JsonRecord>;
