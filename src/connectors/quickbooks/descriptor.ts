import type { AccountingDescriptor } from '#core/ports/accounting.ts';

/** How QuickBooks Online is named on screens and in routes. */
export const quickbooksDescriptor: AccountingDescriptor = {
  key: 'qbo',
  label: 'QuickBooks Online',
  shortLabel: 'QuickBooks',
};
