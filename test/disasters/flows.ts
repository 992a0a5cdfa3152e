import type { Kind } from '#core/kinds.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { alertMails } from './alert-mails-flow.ts';
import { anotherCompany } from './another-company-flow.ts';
import { mapExpenses } from '../support/mappings.ts';
import type { ProductProcess, World } from '../support/world.ts';
import type { ExpectedDocument, Flow } from './flow.ts';
import { restored, restoredPsa } from './restored-flow.ts';

const actor = { username: 'admin@northwind-msp.example' };

const submitJob =
  (
    kind: Kind,
    psaIds: readonly number[],
    options: { mode?: 'test' | 'live'; force?: boolean; revises?: boolean } = {},
  ) =>
  async ({ tenant }: World): Promise<void> => {
    const { mode = 'live', force = false, revises = false } = options;
    await submit(tenant, { kind, psaIds, mode, force, revises, actor });
  };

const expectDone = (kind: Kind, ...psaIds: readonly number[]): ExpectedDocument[] =>
  psaIds.map((psaId) => ({ kind, psaId, times: 1, end: 'done' }));

const postInvoices = (world: World, ...psaIds: readonly number[]): Promise<unknown> =>
  world.sync('invoice', { mode: 'live', psaIds });

const expenseSettings = { po_payable_account: '20', exp_cash_advance_expense_account: '25' } as const;
const prepareReports =
  (...ids: readonly number[]) =>
  async (world: World): Promise<void> => {
    await mapExpenses(world.store);
    await submitJob('expense_report', ids)(world);
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

async function clear({ tenant }: Pick<ProductProcess, 'tenant'>): Promise<void> {
  await clearSyncStatus(tenant, 'invoice', [plain, second], actor);
}

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
    async prepare(world) {
      await postInvoices(world, plain);
      const id = await targetOf(world, plain);
      await world.advance(20 * 60);
      await world.quickbooks.add('Payment', {
        CustomerRef: { value: '58' },
        TxnDate: '2025-03-04',
        TotalAmt: 1966.25,
        Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
      });
      // Webhooks are off, so the feed is read once an hour.
      await world.advance(hour);
    },
  },
  {
    name: 'payment in Autotask',
    settings: { pay_sync_active: true, pay_direction: 'psa_to_qbo', pay_grace_hours: 0 },
    expected: [...expectDone('invoice', newCustomer), ...expectDone('payment', newCustomer)],
    async prepare(world) {
      await postInvoices(world, newCustomer);
      await world.autotask.put('Invoices', newCustomer, { paidDate: '2025-03-03T00:00:00Z' });
      await world.advance(20 * 60);
    },
  },
  {
    name: 'void',
    settings: { void_sync_active: true },
    expected: [...expectDone('invoice', plain), ...expectDone('void', plain).map((one) => ({ ...one, times: 0 }))],
    async prepare(world) {
      // Two sample invoices are already voided; this restores them.
      for (const id of [48_312, 48_313]) await world.autotask.put('Invoices', id, { isVoided: false });
      await postInvoices(world, plain);
      await world.autotask.put('Invoices', plain, { isVoided: true });
      await world.advance(20 * 60);
    },
  },
  {
    name: 'token refresh',
    switches: { refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 86_400 },
    expected: expectDone('invoice', plain),
    async prepare(world) {
      await submitJob('invoice', [plain])(world);
      await world.advance(2 * hour);
    },
  },
  {
    name: 'token refresh without grace',
    switches: { refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 0 },
    expected: expectDone('invoice', plain),
    async prepare(world) {
      await submitJob('invoice', [plain])(world);
      await world.advance(2 * hour);
    },
  },
  {
    name: 'clear status',
    expected: [plain, second].map((psaId) => ({ kind: 'invoice', psaId, times: 0, end: 'cleared' })),
    async prepare({ autotask }) {
      for (const id of [plain, second]) await autotask.put('Invoices', id, { invoiceNumber: 'ERROR' });
    },
    act: clear,
    repeat: clear,
  },
  {
    name: 'test sync',
    expected: [{ kind: 'invoice', psaId: newCustomer, times: 0, end: 'simulated' }],
    prepare: submitJob('invoice', [newCustomer], { mode: 'test' }),
  },
  {
    name: 'sync again',
    expected: [{ kind: 'invoice', psaId: plain, times: 2, end: 'done' }],
    async prepare(world) {
      await postInvoices(world, plain);
      await submitJob('invoice', [plain], { force: true })(world);
    },
  },
  {
    name: 'billed difference',
    expected: [...expectDone('invoice', plain), ...expectDone('difference', plain)].map((one) => ({
      ...one,
      postedAt: '1966.25',
    })),
    async prepare(world) {
      await postInvoices(world, plain);
      await raiseTotal(world);
      await submitJob('difference', [plain])(world);
    },
  },
  {
    name: 'updated accounting',
    expected: expectDone('invoice', plain).map((one) => ({ ...one, postedAt: '1966.25' })),
    async prepare(world) {
      await postInvoices(world, plain);
      await raiseTotal(world);
      await submitJob('invoice', [plain], { revises: true })(world);
    },
  },
  alertMails,
  anotherCompany,
  restored,
  restoredPsa,
];

/** Adds 100.00 to a posted invoice. */
async function raiseTotal({ autotask }: World): Promise<void> {
  const [item] = (await autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === plain && one['totalAmount'] === 900,
  );
  const charged = { rate: 1000, extendedPrice: 1000, totalAmount: 1000, internalCurrencyTotalAmount: 1000 };
  await autotask.put('BillingItems', Number(item?.['id']), { quantity: 1, ...charged });
  await autotask.put('Invoices', plain, { invoiceTotal: 2066.25 });
}

async function targetOf({ store }: World, psaId: number): Promise<string> {
  const id = (await store.readPosting('invoice', psaId))?.targetId;
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
