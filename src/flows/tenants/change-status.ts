import { requireUnchanged, type FieldValues } from '#core/changed-meanwhile.ts';
import type { Actor } from '#core/records/audit.ts';
import type { TenantDetail } from '#core/records/tenants.ts';
import { Refusal } from '#core/refusal.ts';
import { statusText } from '#core/tenant.ts';
import { reportingConflicts } from '../changed-meanwhile.ts';
import type { App } from '../context.ts';
import { reconsider } from '../connections/adopt-company.ts';

/** States that a system administrator can set for a subscription. */
export type RequestedStatus = 'active' | 'suspended' | 'cancelled';

const actions = {
  active: 'subscription.reactivated',
  suspended: 'subscription.suspended',
  cancelled: 'subscription.cancelled',
} as const;

/**
 * Returns a client as a system administrator sees it.
 *
 * @throws Refusal `not_found`.
 */
export async function readClient(app: App, id: string): Promise<TenantDetail> {
  const found = await app.store.readTenantDetail(id);
  if (found === null) throw new Refusal('not_found', 'not_found', 'Client not found.');
  return found;
}

/**
 * Suspends, cancels or reactivates a client's subscription. Queued jobs do not start, and a running one stops after its
 * current documents. A reactivated subscription is pending until its connections and settings are valid, then active.
 *
 * @param reason a sentence for the client's audit trail.
 * @param was `status` as the screen showed it; see `requireUnchanged`.
 * @throws Refusal `not_found`; `changed_meanwhile`, `same_status` (409) when it already has this status;
 *   `client_moved` (409).
 */
export async function changeStatus(
  app: App,
  actor: Actor,
  id: string,
  {
    status,
    reason,
    was,
  }: { readonly status: RequestedStatus; readonly reason: string; readonly was?: FieldValues | undefined },
): Promise<TenantDetail> {
  const before = await readClient(app, id);
  const texts = {
    actor,
    actions: Object.values(actions),
    textOf: () => ({ label: 'Subscription', value: statusText(before.status) }),
  };
  await reportingConflicts(app.forTenant(id), texts, async () =>
    requireUnchanged(was, { status: before.status }, { status }),
  );
  if ((await app.store.listMovedTenants()).includes(id))
    throw new Refusal(
      'conflict',
      'client_moved',
      `${before.name} was moved to another deployment: change its subscription there.`,
    );
  const isOn = before.status === 'active' || before.status === 'pending';
  if (status === 'active' ? isOn : before.status === status)
    throw new Refusal('conflict', 'same_status', `The subscription of ${before.name} is ${before.status} already.`);
  const context = app.forTenant(id);
  await context.store.changeStatus(
    { status: status === 'active' ? 'pending' : status, reason: status === 'active' ? null : reason },
    {
      at: app.clock.now(),
      actor,
      action: actions[status],
      subject: null,
      before: { status: before.status },
      after: { status, reason },
    },
  );
  if (status === 'active') await reconsider(app, context);
  return readClient(app, id);
}
