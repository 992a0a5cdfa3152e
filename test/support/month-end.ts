import type { CloseContent } from '#core/records/closes.ts';
import { month } from '#core/reconciliation/month.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import type { World } from './world.ts';

const admin = 'admin@northwind-msp.example';

/** Reconciles a month of the sample data, and returns the stored result. */
export async function proveMonth(world: World, of = month('2025-03')): Promise<CloseContent> {
  const { id } = await prepareClose(world.tenant, of, { username: admin }, 'test');
  const close = await world.store.readClose(id);
  if (close === null) throw new Error('The reconciliation was not stored.');
  return close;
}

/** Returns a client administrator who is logged in. */
export const loggedIn = (world: World, username = admin) => ({
  jti: 'x',
  userId: 'x',
  username,
  roles: ['clientadmin'] as const,
  client: { id: world.tenant.tenantId, name: 'Northwind IT Services' },
  masquerader: null,
  emailIsProved: true,
  cookieHash: null,
  accessVersion: 0,
  proof: 'password' as const,
  endsAt: world.clock.now(),
});
