import { call } from '../define.ts';
import type * as routes from '../sync.ts';

export const submitAll = call<typeof routes.submitAll>('POST', '/api/my/:kind/sync/submit/all');
export const submitInvoices = call<typeof routes.submitInvoices>('POST', '/api/my/invoices/sync/submit');
export const submitPurchaseOrders = call<typeof routes.submitPurchaseOrders>(
  'POST',
  '/api/my/purchase-orders/sync/submit',
);
export const submitExpenseReports = call<typeof routes.submitExpenseReports>(
  'POST',
  '/api/my/expense-reports/sync/submit',
);
export const submitPayments = call<typeof routes.submitPayments>('POST', '/api/my/payments/sync/submit');
export const submitVoids = call<typeof routes.submitVoids>('POST', '/api/my/voids/sync/submit');
export const submitDifferences = call<typeof routes.submitDifferences>('POST', '/api/my/differences/sync/submit');
export const describeDocuments = call<typeof routes.describeDocuments>('POST', '/api/my/:kind/sync/describe');
export const listEligible = call<typeof routes.listEligible>('GET', '/api/my/:kind/sync/eligible');
