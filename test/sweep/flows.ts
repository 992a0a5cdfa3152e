import type { Kind } from '#core/kinds.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { alertMails } from './alert-mails-flow.ts';
import { anotherCompany } from './another-company-flow.ts';
import { workOn, type ExpectedDocument, type Flow, type Scene } from './flow.ts';
import { restored, restoredPsa } from './restored-flow.ts';
import type { SweepProduct } from './sweep-product.ts';

const actor = { username: 'admin@northwind-msp.example' };

const submitJob =
  (
    kind: Kind,
    psaIds: readonly number[],
    options: { mode?: 'test' | 'live'; force?: boolean; revises?: boolean } = {},
  ) =>
  async ({ product }: Scene): Promise<void> => {
    const { mode = 'live', force = false, revises = false } = options;
    await submit(product.tenant, { kind, psaIds, mode, force, revises, actor });
  };

const expectDone = (kind: Kind, ...psaIds: readonly number[]): ExpectedDocument[] =>
  psaIds.map((psaId) => ({ kind, psaId, times: 1, end: 'done' }));

async function postInvoices(scene: Scene, ...psaIds: readonly number[]): Promise<void> {
  await submitJob('invoice', psaIds)(scene);
  await workOn(scene.product, 'preparation');
}

const mapping = (namespace: 'ExpenseCategoryBillable' | 'ExpenseCategoryNonBillable', from: string, to: string) => ({
  namespace,
  sourceEntity: 'ExpenseCategory',
  sourceValue: from,
  sourceLabel: null,
  targetEntity: 'Account',
  targetValue: to,
  targetLabel: null,
});
const expenseSettings = { po_payable_account: '20', exp_cash_advance_expense_account: '25' } as const;
const prepareReports =
  (...ids: readonly number[]) =>
  async (scene: Scene): Promise<void> => {
    await scene.product.tenant.store.saveMappings([
      mapping('ExpenseCategoryBillable', '41', '11'),
      mapping('ExpenseCategoryNonBillable', '42', '12'),
      mapping('ExpenseCategoryNonBillable', '43', '13'),
    ]);
    await submitJob('expense_report', ids)(scene);
  };

const hour = 3_600;
/** Sample invoices: for an existing customer (two), for a new customer, and with a new item. */
const plain = 48_213;
const second = 48_214;
const newCustomer = 48_304;
const newItem = 48_307;

/** QuickBooks emails each new invoice automatically; it must do so once (row K12). */
const mailing = {
  settings: { inv_email_automatically: true },
  switches: { need_to_send: 'mails' },
} as const satisfies Partial<Flow>;
const expectMailed = (expected: readonly ExpectedDocument[]): ExpectedDocument[] =>
  expected.map((one) => ({ ...one, isMailed: true }));

const clear = (product: SweepProduct): Promise<unknown> =>
  clearSyncStatus(product.tenant, 'invoice', [plain, second], actor);

export const flows: readonly Flow[] = [
  {
    name: 'invoice',
    ...mailing,
    expected: expectMailed(expectDone('invoice', plain)),
    prepare: submitJob('invoice', [plain]),
  },
  {
    name: 'invoices',
    ...mailing,
    // The new customer has no email address.
    expected: [...expectMailed(expectDone('invoice', plain, second)), ...expectDone('invoice', newCustomer)],
    prepare: submitJob('invoice', [plain, second, newCustomer]),
  },
  {
    name: 'new customer and item',
    expected: expectDone('invoice', newCustomer, newItem),
    prepare: submitJob('invoice', [newCustomer, newItem]),
  },
  {
    name: 'refused invoice',
    settings: { inv_create_item_automatically: false },
    expected: [{ kind: 'invoice', psaId: newItem, times: 0, end: 'refused' }],
    prepare: submitJob('invoice', [newItem]),
  },
  {
    name: 'purchase order',
    expected: expectDone('purchase_order', 3_310),
    prepare: submitJob('purchase_order', [3_310]),
  },
  {
    name: 'purchase orders',
    expected: expectDone('purchase_order', 3_310, 3_311),
    prepare: submitJob('purchase_order', [3_310, 3_311]),
  },
  {
    name: 'expense report',
    settings: expenseSettings,
    expected: expectDone('expense_report', 1_207),
    prepare: prepareReports(1_207),
  },
  {
    name: 'expense reports',
    settings: expenseSettings,
    expected: [
      ...expectDone('expense_report', 1_207),
      { kind: 'expense_report', psaId: 1_208, times: 0, end: 'refused' },
    ],
    prepare: prepareReports(1_207, 1_208),
  },
  {
    name: 'payment in QuickBooks',
    settings: { pay_sync_active: true },
    expected: [...expectDone('invoice', plain), ...expectDone('payment', plain).map((one) => ({ ...one, times: 0 }))],
    async prepare(scene) {
      await postInvoices(scene, plain);
      const id = await targetOf(scene, plain);
      await scene.advance(20 * 60);
      await scene.quickbooks.call('POST', '/entities/Payment', {
        CustomerRef: { value: '58' },
        TxnDate: '2025-03-04',
        TotalAmt: 1966.25,
        Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
      });
      // Webhooks are off, so the feed is read once an hour.
      await scene.advance(hour);
    },
  },
  {
    name: 'payment in Autotask',
    settings: { pay_sync_active: true, pay_direction: 'psa_to_qbo', pay_grace_hours: 0 },
    expected: [...expectDone('invoice', newCustomer), ...expectDone('payment', newCustomer)],
    async prepare(scene) {
      await postInvoices(scene, newCustomer);
      await scene.autotask.put('Invoices', newCustomer, { paidDate: '2025-03-04T00:00:00Z' });
      await scene.advance(20 * 60);
    },
  },
  {
    name: 'void',
    settings: { void_sync_active: true },
    expected: [...expectDone('invoice', plain), ...expectDone('void', plain).map((one) => ({ ...one, times: 0 }))],
    async prepare(scene) {
      // Two sample invoices are already voided; this restores them.
      for (const id of [48_312, 48_313]) await scene.autotask.put('Invoices', id, { isVoided: false });
      await postInvoices(scene, plain);
      await scene.autotask.put('Invoices', plain, { isVoided: true });
      await scene.advance(20 * 60);
    },
  },
  {
    name: 'token refresh',
    switches: { refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 86_400 },
    expected: expectDone('invoice', plain),
    async prepare(scene) {
      await submitJob('invoice', [plain])(scene);
      await scene.advance(2 * hour);
    },
  },
  {
    name: 'token refresh without grace',
    switches: { refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 0 },
    expected: expectDone('invoice', plain),
    async prepare(scene) {
      await submitJob('invoice', [plain])(scene);
      await scene.advance(2 * hour);
    },
  },
  {
    name: 'clear status',
    expected: [plain, second].map((psaId) => ({ kind: 'invoice', psaId, times: 0, end: 'cleared' })),
    async prepare({ autotask }) {
      for (const id of [plain, second]) await autotask.put('Invoices', id, { invoiceNumber: 'ERROR' });
    },
    async act(product) {
      await clear(product);
    },
    async repeat(product) {
      await clear(product);
    },
  },
  {
    name: 'test sync',
    expected: [{ kind: 'invoice', psaId: newCustomer, times: 0, end: 'simulated' }],
    prepare: submitJob('invoice', [newCustomer], { mode: 'test' }),
  },
  {
    name: 'sync again',
    expected: [{ kind: 'invoice', psaId: plain, times: 2, end: 'done' }],
    async prepare(scene) {
      await postInvoices(scene, plain);
      await submitJob('invoice', [plain], { force: true })(scene);
    },
  },
  {
    name: 'billed difference',
    expected: [...expectDone('invoice', plain), ...expectDone('difference', plain)].map((one) => ({
      ...one,
      postedAt: '1966.25',
    })),
    async prepare(scene) {
      await postInvoices(scene, plain);
      await raiseTotal(scene);
      await submitJob('difference', [plain])(scene);
    },
  },
  {
    name: 'updated books',
    expected: expectDone('invoice', plain).map((one) => ({ ...one, postedAt: '1966.25' })),
    async prepare(scene) {
      await postInvoices(scene, plain);
      await raiseTotal(scene);
      await submitJob('invoice', [plain], { revises: true })(scene);
    },
  },
  alertMails,
  anotherCompany,
  restored,
  restoredPsa,
];

/** Adds 100.00 to a posted invoice. */
async function raiseTotal({ autotask }: Scene): Promise<void> {
  const [item] = (await autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === plain && one['totalAmount'] === 900,
  );
  const charged = { rate: 1000, extendedPrice: 1000, totalAmount: 1000, internalCurrencyTotalAmount: 1000 };
  await autotask.put('BillingItems', Number(item?.['id']), { quantity: 1, ...charged });
  await autotask.put('Invoices', plain, { invoiceTotal: 2066.25 });
}

async function targetOf({ product }: Scene, psaId: number): Promise<string> {
  const id = (await product.tenant.store.readPosting('invoice', psaId))?.targetId;
  if (id === undefined || id === null) throw new Error(`invoice ${psaId} was not posted`);
  return id;
}

/**
 * Returns a flow.
 *
 * @throws Error with the known names.
 */
export function flowNamed(name: string): Flow {
  const flow = flows.find((one) => one.name === name);
  if (flow === undefined)
    throw new Error(`Unknown flow “${name}”. Known flows: ${flows.map((one) => one.name).join(', ')}.`);
  return flow;
}
