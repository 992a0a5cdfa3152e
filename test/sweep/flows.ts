import type { Kind } from '#core/kinds.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { alertMails } from './alert-mails-flow.ts';
import { anotherCompany } from './another-company-flow.ts';
import { workOn, type Asked, type Flow, type Scene } from './flow.ts';
import { restored, restoredPsa } from './restored-flow.ts';
import type { SweepProduct } from './sweep-product.ts';

const actor = { username: 'admin@northwind-msp.example' };

const job =
  (kind: Kind, psaIds: readonly number[], wish: { mode?: 'test' | 'live'; force?: boolean; revises?: boolean } = {}) =>
  async ({ product }: Scene): Promise<void> => {
    const { mode = 'live', force = false, revises = false } = wish;
    await submit(product.tenant, { kind, psaIds, mode, force, revises, actor });
  };

const done = (kind: Kind, ...psaIds: readonly number[]): Asked[] =>
  psaIds.map((psaId) => ({ kind, psaId, times: 1, end: 'done' }));

async function posted(scene: Scene, ...psaIds: readonly number[]): Promise<void> {
  await job('invoice', psaIds)(scene);
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
const reports =
  (...ids: readonly number[]) =>
  async (scene: Scene): Promise<void> => {
    await scene.product.tenant.store.saveMappings([
      mapping('ExpenseCategoryBillable', '41', '11'),
      mapping('ExpenseCategoryNonBillable', '42', '12'),
      mapping('ExpenseCategoryNonBillable', '43', '13'),
    ]);
    await job('expense_report', ids)(scene);
  };

const hour = 3_600;
/** Invoices of the sample world: of a known customer, of a customer to be created, and one with an item to be made. */
const plain = 48_213;
const second = 48_214;
const newCustomer = 48_304;
const newItem = 48_307;

/** Each new invoice is mailed to its customer, and the books do so by themselves: once (row K12). */
const mailing = {
  settings: { inv_email_automatically: true },
  switches: { need_to_send: 'mails' },
} as const satisfies Partial<Flow>;
const mailed = (asked: readonly Asked[]): Asked[] => asked.map((one) => ({ ...one, isMailed: true }));

const clear = (product: SweepProduct): Promise<unknown> =>
  clearSyncStatus(product.tenant, 'invoice', [plain, second], actor);

export const flows: readonly Flow[] = [
  { name: 'invoice', ...mailing, asked: mailed(done('invoice', plain)), prepare: job('invoice', [plain]) },
  {
    name: 'invoices',
    ...mailing,
    // The new customer has no address.
    asked: [...mailed(done('invoice', plain, second)), ...done('invoice', newCustomer)],
    prepare: job('invoice', [plain, second, newCustomer]),
  },
  {
    name: 'new customer and item',
    asked: done('invoice', newCustomer, newItem),
    prepare: job('invoice', [newCustomer, newItem]),
  },
  {
    name: 'refused invoice',
    settings: { inv_create_item_automatically: false },
    asked: [{ kind: 'invoice', psaId: newItem, times: 0, end: 'refused' }],
    prepare: job('invoice', [newItem]),
  },
  { name: 'purchase order', asked: done('purchase_order', 3_310), prepare: job('purchase_order', [3_310]) },
  {
    name: 'purchase orders',
    asked: done('purchase_order', 3_310, 3_311),
    prepare: job('purchase_order', [3_310, 3_311]),
  },
  {
    name: 'expense report',
    settings: expenseSettings,
    asked: done('expense_report', 1_207),
    prepare: reports(1_207),
  },
  {
    name: 'expense reports',
    settings: expenseSettings,
    asked: [...done('expense_report', 1_207), { kind: 'expense_report', psaId: 1_208, times: 0, end: 'refused' }],
    prepare: reports(1_207, 1_208),
  },
  {
    name: 'payment in the books',
    settings: { pay_sync_active: true },
    asked: [...done('invoice', plain), ...done('payment', plain).map((one) => ({ ...one, times: 0 }))],
    async prepare(scene) {
      await posted(scene, plain);
      const id = await targetOf(scene, plain);
      await scene.advance(20 * 60);
      await scene.quickbooks.call('POST', '/entities/Payment', {
        CustomerRef: { value: '58' },
        TxnDate: '2025-03-04',
        TotalAmt: 1966.25,
        Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
      });
      // Nothing is told in a scene, so the feed is read once an hour.
      await scene.advance(hour);
    },
  },
  {
    name: 'payment in the PSA',
    settings: { pay_sync_active: true, pay_direction: 'psa_to_qbo', pay_grace_hours: 0 },
    asked: [...done('invoice', newCustomer), ...done('payment', newCustomer)],
    async prepare(scene) {
      await posted(scene, newCustomer);
      await scene.autotask.put('Invoices', newCustomer, { paidDate: '2025-03-04T00:00:00Z' });
      await scene.advance(20 * 60);
    },
  },
  {
    name: 'void',
    settings: { void_sync_active: true },
    asked: [...done('invoice', plain), ...done('void', plain).map((one) => ({ ...one, times: 0 }))],
    async prepare(scene) {
      // Two invoices of the sample world are voided already; here they are not.
      for (const id of [48_312, 48_313]) await scene.autotask.put('Invoices', id, { isVoided: false });
      await posted(scene, plain);
      await scene.autotask.put('Invoices', plain, { isVoided: true });
      await scene.advance(20 * 60);
    },
  },
  {
    name: 'token refresh',
    switches: { refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 86_400 },
    asked: done('invoice', plain),
    async prepare(scene) {
      await job('invoice', [plain])(scene);
      await scene.advance(2 * hour);
    },
  },
  {
    name: 'token refresh without grace',
    switches: { refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 0 },
    asked: done('invoice', plain),
    async prepare(scene) {
      await job('invoice', [plain])(scene);
      await scene.advance(2 * hour);
    },
  },
  {
    name: 'clear status',
    asked: [plain, second].map((psaId) => ({ kind: 'invoice', psaId, times: 0, end: 'cleared' })),
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
    asked: [{ kind: 'invoice', psaId: newCustomer, times: 0, end: 'simulated' }],
    prepare: job('invoice', [newCustomer], { mode: 'test' }),
  },
  {
    name: 'sync again',
    asked: [{ kind: 'invoice', psaId: plain, times: 2, end: 'done' }],
    async prepare(scene) {
      await posted(scene, plain);
      await job('invoice', [plain], { force: true })(scene);
    },
  },
  {
    name: 'billed difference',
    asked: [...done('invoice', plain), ...done('difference', plain)].map((one) => ({ ...one, postedAt: '1966.25' })),
    async prepare(scene) {
      await posted(scene, plain);
      await raise(scene);
      await job('difference', [plain])(scene);
    },
  },
  {
    name: 'updated books',
    asked: done('invoice', plain).map((one) => ({ ...one, postedAt: '1966.25' })),
    async prepare(scene) {
      await posted(scene, plain);
      await raise(scene);
      await job('invoice', [plain], { revises: true })(scene);
    },
  },
  alertMails,
  anotherCompany,
  restored,
  restoredPsa,
];

/** A hundred more for the services of an invoice that was posted. */
async function raise({ autotask }: Scene): Promise<void> {
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

/** @throws Error that names the flows there are. */
export function flowNamed(name: string): Flow {
  const flow = flows.find((one) => one.name === name);
  if (flow === undefined) throw new Error(`No flow “${name}”. There are: ${flows.map((one) => one.name).join(', ')}.`);
  return flow;
}
