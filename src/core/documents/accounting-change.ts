/** QuickBooks records whose changes matter: lists, records that determine whether an invoice is paid, and purchases. */
export const listRecords = ['account', 'class', 'term', 'customer', 'vendor', 'item'] as const;
/** Lists that sales documents refer to. */
export const salesListRecords = listRecords.filter((record) => record !== 'vendor');
export type ListRecord = (typeof listRecords)[number];

export const paidRecords = ['invoice', 'payment'] as const;
export type PaidRecord = (typeof paidRecords)[number];

/** Documents of vendors that we post. */
export const purchaseRecords = ['bill', 'purchase_order'] as const;
export type PurchaseRecord = (typeof purchaseRecords)[number];

export type AccountingRecord = ListRecord | PaidRecord | PurchaseRecord;

export const isPaidRecord = (record: AccountingRecord): record is PaidRecord =>
  record === 'invoice' || record === 'payment';

export const isPurchaseRecord = (record: AccountingRecord): record is PurchaseRecord =>
  record === 'bill' || record === 'purchase_order';

/** A record that was created, changed or deleted; its current state must be read. */
export interface AccountingChange {
  readonly record: AccountingRecord;
  readonly id: string;
}

/** A record that QuickBooks has but cannot return, e.g. because of an invalid email address [Q75]. */
export interface UnreadableRecord {
  readonly type: string;
  /** Null when QuickBooks does not return the id either. */
  readonly id: string | null;
  readonly number: string | null;
}
