import type { AccountingDescriptor } from '#core/ports/accounting.ts';

/** QuickBooks Online's names on screens and in routes. */
export const quickbooksDescriptor: AccountingDescriptor = {
  key: 'qbo',
  label: 'QuickBooks Online',
  shortLabel: 'QuickBooks',
};
