import { sendMails } from '#flows/alerts/send-mails.ts';
import { sendDigests } from '#flows/alerts/send-digests.ts';
import { workOn, type Flow } from './flow.ts';

const alerted = ['ada@northwind-msp.example', 'ben@northwind-msp.example'];
/** Expense reports of the sample world, none of whose categories is mapped. */
const reports = [1_207, 1_208, 1_209, 1_210];
/** Paid by company card alone: there is nothing to reimburse, and nothing is said to anybody. */
const byCard = 1_210;

/**
 * An automatic run that cannot post anything, and the mails about it (decision 12): not one is lost with a process, and
 * one goes out a second time only when its sender died over it.
 */
export const alertMails: Flow = {
  name: 'alert mails',
  settings: { exp_sync_active: true, po_payable_account: '20' },
  asked: reports.map((psaId) => ({
    kind: 'expense_report',
    psaId,
    times: 0,
    end: psaId === byCard ? 'left' : 'refused',
  })),
  alerted,
  async prepare({ product }) {
    const { tenantId } = product.tenant;
    for (const username of alerted)
      await product.app.store.addUser({ username, passwordHash: '', roles: ['clientadmin'], tenantId, isActive: true });
  },
  async session(product, owner) {
    await workOn(product, owner);
    await sendDigests(product.app, new AbortController().signal);
    await sendMails(product.app);
  },
};
