import type { AccountingChange } from '../documents/accounting-change.ts';
import type { Instant } from '../values/dates.ts';

/** A QuickBooks record that was reported as changed. */
export interface InboxEntry extends AccountingChange {
  /** Increases with each new change. */
  readonly seq: number;
  readonly receivedAt: Instant;
}
