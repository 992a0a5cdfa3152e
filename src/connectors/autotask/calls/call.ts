import type { JsonRecord } from '../errors.ts';
import type { Zone } from '../zone.ts';

/** One call of the REST API. */
export interface ApiCall {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below `V1.0/`, e.g. `Invoices/query`. Its first part is the entity, which has a limit of concurrent calls. */
  readonly path: string;
  readonly body?: unknown;
  readonly document?: string;
}

/** A call with its destination zone. */
export interface ZonedCall extends ApiCall {
  readonly zone: Zone;
}

/** One layer of a call: returns the service's JSON object or throws a ServiceError. */
export type Send<Call = ApiCall> = (call: Call) => Promise<JsonRecord>;
