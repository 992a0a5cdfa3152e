import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** How an answer of a service contradicts what the program relies on. */
export const unexpectedKinds = [
  'unknown_code',
  'unknown_status',
  'wrong_shape',
  'not_sorted',
  'incomplete_list',
] as const;
export type UnexpectedKind = (typeof unexpectedKinds)[number];

/** An answer that contradicts a fact of `docs/facts`. It contains no client data: names of members and codes only. */
export interface UnexpectedAnswer {
  readonly service: Service;
  readonly kind: UnexpectedKind;
  /** Number of the fact, e.g. `Q27`. */
  readonly fact: string;
  /** The code, the status or the path of the members, e.g. `Line.[].Amount`. */
  readonly name: string;
  /** The call, e.g. `list Invoice`. */
  readonly operation: string;
  /** Names and types of the members, e.g. `{ Id: text, Line: [{ Amount: number }] }`. */
  readonly shape: string;
}

/** Answers of one kind, and how many there were. */
export interface CountedUnexpected extends UnexpectedAnswer {
  readonly count: number;
}

/** Answers of one kind, as stored for the deployment. */
export interface StoredUnexpected extends CountedUnexpected {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/** Distinct answers that a process and the database store; with more, their causes are the same. */
export const maxUnexpected = 200;
