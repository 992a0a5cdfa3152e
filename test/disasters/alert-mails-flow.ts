import { mailLane } from '#core/records/outbox.ts';
import { sendOutbox } from '#flows/outbox/send.ts';
import { sendDigests } from '#flows/alerts/send-digests.ts';
import { workOn, type Flow } from './flow.ts';

const alerted = ['ada@northwind-msp.example', 'ben@northwind-msp.example'];
/** Expense reports of the sample data. None of their categories is mapped. */
const reports = [1_207, 1_208, 1_209, 1_210];
/** Paid entirely by company card: nothing to reimburse, so no alert. */
const byCard = 1_210;

/**
 * An automatic sync that fails for every document, and its alert emails (decision 11). No alert is lost in a crash. An
 * alert is sent twice only if its sender died while sending it.
 */
export const alertMails: Flow = {
  name: 'alert mails',
  settings: { exp_sync_active: true, po_payable_account: '20' },
  expected: reports.map((psaId) => ({
    kind: 'expense_report',
    psaId,
    times: 0,
    end: psaId === byCard ? 'abandoned' : 'refused',
  })),
  alerted,
  async prepare({ app, tenant: { tenantId } }) {
    for (const username of alerted)
      await app.store.addUser({ username, passwordHash: '', roles: ['clientadmin'], tenantId, isActive: true });
  },
  async session(product, worker) {
    await workOn(product, worker);
    await sendDigests(product.app, new AbortController().signal);
    await sendOutbox(product.app, mailLane);
  },
};
