import type { Call } from '../define.ts';
import type * as routes from '../sync.ts';

export const submitAll: Call<typeof routes.submitAll> = { method: 'POST', path: '/api/my/:kind/sync/submit/all' };
export const submitInvoices: Call<typeof routes.submitInvoices> = {
  method: 'POST',
  path: '/api/my/invoices/sync/submit',
};
export const submitPurchaseOrders: Call<typeof routes.submitPurchaseOrders> = {
  method: 'POST',
  path: '/api/my/purchase-orders/sync/submit',
};
export const submitExpenseReports: Call<typeof routes.submitExpenseReports> = {
  method: 'POST',
  path: '/api/my/expense-reports/sync/submit',
};
export const submitPayments: Call<typeof routes.submitPayments> = {
  method: 'POST',
  path: '/api/my/payments/sync/submit',
};
export const submitVoids: Call<typeof routes.submitVoids> = { method: 'POST', path: '/api/my/voids/sync/submit' };
export const submitDifferences: Call<typeof routes.submitDifferences> = {
  method: 'POST',
  path: '/api/my/differences/sync/submit',
};
export const describeDocuments: Call<typeof routes.describeDocuments> = {
  method: 'POST',
  path: '/api/my/:kind/sync/describe',
};
export const listEligible: Call<typeof routes.listEligible> = { method: 'GET', path: '/api/my/:kind/sync/eligible' };
