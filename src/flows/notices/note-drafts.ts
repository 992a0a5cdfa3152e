import { inParallel } from '#core/in-parallel.ts';
import { noticeRoles, sumsOf, type Notice } from '#core/notices.ts';
import { addSeconds } from '#core/values/dates.ts';
import { approverOf } from '../approval/decide.ts';
import { maxDrafts } from '../approval/read.ts';
import type { App, TenantContext } from '../context.ts';

/** Minimum seconds between two notices of a client about waiting drafts. */
const quietSeconds = 3_600;
/** Maximum clients handled in one run; the next run handles the others. */
const maxClients = 100;
/** Maximum users of a client who are checked. */
const maxUsers = 200;

/**
 * Notifies the users who may approve new drafts, after the runs that prepared them; called by the worker.
 *
 * @param signal ends it between two clients.
 */
export async function noteDrafts(app: App, signal?: AbortSignal): Promise<void> {
  const { store, clock } = app;
  const quietSince = addSeconds(clock.now(), -quietSeconds);
  for (const tenantId of await store.tenantsWithNewDrafts(quietSince, maxClients)) {
    if (signal?.aborted === true) return;
    await noteDraftsOf(app.forTenant(tenantId));
  }
}

async function noteDraftsOf(context: TenantContext): Promise<void> {
  const { store, clock } = context;
  const at = clock.now();
  const [open, { people }] = await inParallel([
    store.listOpenDrafts(maxDrafts),
    store.listPeople({ page: 1, pageSize: maxUsers, state: 'active' }),
  ]);
  const waiting = open.filter(({ state }) => state === 'waiting');
  const newest = waiting.at(-1);
  if (newest === undefined) return;
  const notice: Notice = {
    kind: 'drafts_waiting',
    count: waiting.length,
    sums: sumsOf(
      waiting.map(({ about, homeCurrency }) => ({ currency: about.currency ?? homeCurrency, amount: about.amount })),
    ),
  };
  const roles = noticeRoles(notice.kind);
  const approvers: string[] = [];
  for (const { email, role } of people)
    if (roles.includes(role)) {
      const stepOf = await approverOf(context, { username: email });
      if (waiting.some((draft) => stepOf(draft).is !== 'refused')) approvers.push(email);
    }
  // Without a user who may approve, every administrator must know, and can invite one.
  await store.addNotices([
    { notice, at, roles, once: `drafts ${newest.id}`, ...(approvers.length > 0 && { only: approvers }) },
  ]);
}
