/** Records of the books whose changes matter: what lists hold, and what the paid state of an invoice follows from. */
export const listRecords = ['account', 'class', 'term', 'customer', 'vendor', 'item'] as const;
/** Lists that sales documents refer to. */
export const salesListRecords = listRecords.filter((record) => record !== 'vendor');
export type ListRecord = (typeof listRecords)[number];

export const paidRecords = ['invoice', 'payment'] as const;
export type PaidRecord = (typeof paidRecords)[number];

export type BooksRecord = ListRecord | PaidRecord;

export const isPaidRecord = (record: BooksRecord): record is PaidRecord => record === 'invoice' || record === 'payment';

/** A record that changed, was made or is gone; what it is now has to be read. */
export interface BooksChange {
  readonly record: BooksRecord;
  readonly id: string;
}

/** A record that QuickBooks has and cannot answer, e.g. for an email address that it cannot read [Q75]. */
export interface UnreadableRecord {
  readonly type: string;
  /** Null when QuickBooks does not answer the id either. */
  readonly id: string | null;
  readonly number: string | null;
}
