import type { App, TenantContext } from '../context.ts';

/** A QuickBooks company as seen by the session's user. */
export interface FoundCompany {
  /** `none`: the client was never connected to QuickBooks, or the company has no client. */
  readonly company: 'yours' | 'other' | 'none';
  readonly client: { readonly id: string; readonly name: string } | null;
}

/**
 * Compares the QuickBooks company for which a page was opened with the company of the session's client.
 *
 * @param context null for a system administrator who acts as no client.
 * @param isOperator a system administrator also gets the client that the company belongs to. Other callers get the same
 *   response for another client's company and for an unknown one.
 */
export async function findCompany(
  app: App,
  context: TenantContext | null,
  realmId: string,
  isOperator: boolean,
): Promise<FoundCompany> {
  const connections = (await context?.store.listConnections()) ?? [];
  const own = connections.find(({ service }) => service === 'accounting')?.externalId ?? null;
  if (own === realmId) return { company: 'yours', client: null };
  const client = isOperator ? await clientOf(app, realmId) : null;
  const hasNone = context === null ? client === null : own === null;
  return { company: hasNone ? 'none' : 'other', client };
}

/** Returns the client to which a company is, or was last, connected. */
async function clientOf({ store }: App, realmId: string): Promise<FoundCompany['client']> {
  const holders = await store.findHolders('accounting', realmId);
  const holder = holders.find(({ isActive }) => isActive) ?? holders[0];
  const tenant = holder === undefined ? null : await store.findTenant(holder.tenantId);
  return tenant === null ? null : { id: tenant.id, name: tenant.name };
}
