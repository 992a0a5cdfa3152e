import type { JsonRecord } from '../errors.ts';

/** One call of the accounting API, as passed between the layers. */
export interface ApiCall {
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  /** Path below `/v3/company/{realm}/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly contentType?: string;
  readonly timeoutMs: number;
  readonly document?: string;
  /** The call must not be sent twice. */
  readonly isOnce?: true;
  /** Number of objects that a batch writes, or of queries that it contains. */
  readonly items?: number;
  /** Latest time at which it may be sent, by `performance.now()`. */
  readonly leavesBefore?: number;
}

/** One layer of a call: returns the service's JSON object or throws a ServiceError. */
export type Send<Call = ApiCall> = (call: Call) => Promise<JsonRecord>;
