import type { DocumentViewReply } from '#contract/planned.ts';

/** The title of each form, and the label of its customer or vendor. */
export const formLabels = {
  invoice: { title: 'Invoice', to: 'Bill to' },
  credit_memo: { title: 'Credit memo', to: 'Credit to' },
  purchase_order: { title: 'Purchase order', to: 'Vendor' },
  bill: { title: 'Bill', to: 'Vendor' },
  payment: { title: 'Payment', to: 'Received from' },
  void: { title: 'Void', to: 'Customer' },
} as const satisfies Readonly<Record<DocumentViewReply['form'], unknown>>;
