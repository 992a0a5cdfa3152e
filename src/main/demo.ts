import type { Kind } from '#core/kinds.ts';
import type { DocumentPages } from '#core/ports/document-pages.ts';
import { typeOfStored } from '#connectors/quickbooks/pages.ts';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TenantStore } from '#store/tenant-store.ts';
import { ServiceError } from '#core/service-error.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import { assert } from '#core/values/assert.ts';
import type { App } from '#flows/context.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { codeOf } from '#store/errors.ts';
import type { Outside } from './compose.ts';
import { ConfigurationError } from './config.ts';
import { type DemoUser, demoUsernames, enableDemoUsers, renewDemoPasswords } from './demo-users.ts';
import type { Sandboxes } from './sandboxes.ts';

/** Returns the secret key of a demo, generated once per data folder. */
export async function demoSecretKey(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret-key');
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const made = randomBytes(32).toString('base64url');
  await writeFile(path, `${made}\n`, { mode: 0o600, flag: 'wx' });
  return made;
}

const autotaskCredentials = z.object({
  users: z.array(z.object({ userName: z.string(), secret: z.string(), apiIntegrationCode: z.string() })).min(1),
});
const quickbooksCredentials = z.object({ clientId: z.string(), clientSecret: z.string(), webhookVerifier: z.string() });

async function credentialsOf<T>(url: string, shape: z.ZodType<T>): Promise<T> {
  const answer = await fetch(`${url}/__sandbox/credentials`);
  return shape.parse(await answer.json());
}

/** Returns the product's access to the sandboxes, as an administrator of both services would provide it. */
export async function sandboxOutside(sandboxes: Pick<Sandboxes, 'autotaskUrl' | 'quickbooksUrl'>): Promise<Outside> {
  const [autotask, quickbooks] = await Promise.all([
    credentialsOf(sandboxes.autotaskUrl, autotaskCredentials),
    credentialsOf(sandboxes.quickbooksUrl, quickbooksCredentials),
  ]);
  return {
    autotaskUrl: sandboxes.autotaskUrl,
    integrationCode: autotask.users[0]?.apiIntegrationCode ?? '',
    qboDiscoveryUrl: `${sandboxes.quickbooksUrl}/.well-known/openid_configuration`,
    qboApiUrl: sandboxes.quickbooksUrl,
    qboClientId: quickbooks.clientId,
    qboClientSecret: quickbooks.clientSecret,
    qboWebhookVerifier: quickbooks.webhookVerifier,
    documentPages: sandboxPages(sandboxes),
    allowedHosts: [new URL(sandboxes.autotaskUrl).host, new URL(sandboxes.quickbooksUrl).host],
  };
}

const psaEntities = {
  invoice: 'Invoices',
  payment: 'Invoices',
  void: 'Invoices',
  difference: 'Invoices',
  purchase_order: 'PurchaseOrders',
  expense_report: 'ExpenseReports',
} as const satisfies Record<Kind, string>;

/** Both sandboxes have a page for each document. */
function sandboxPages({ autotaskUrl, quickbooksUrl }: Pick<Sandboxes, 'autotaskUrl' | 'quickbooksUrl'>): DocumentPages {
  const page = (url: string, entity: string, id: string) =>
    `${url}/__sandbox?${new URLSearchParams({ entity, id }).toString()}`;
  return {
    inAccounting: (kind, document) =>
      typeof document['Id'] === 'string' ? page(quickbooksUrl, typeOfStored(kind, document), document['Id']) : null,
    listInAccounting: (kind) => `${quickbooksUrl}/__sandbox?entity=${typeOfStored(kind, {})}`,
    inPsa: (kind, psaId) => page(autotaskUrl, psaEntities[kind], String(psaId)),
  };
}

const demoTenant = { name: 'Northwind IT Services', status: 'pending', timeZone: 'America/Chicago' } as const;

/**
 * Creates the demo tenant, its users and its PSA connection if they do not exist.
 *
 * @param demo.users who may log in; `hasChanged` means that their password changed since the last start.
 * @param areFresh the sandboxes were just started and are empty: a QuickBooks connection from an earlier start is shown
 *   as lost, with the fix.
 */
export async function seedDemo(
  app: App,
  autotaskUrl: string,
  demo: { readonly users: readonly [DemoUser, DemoUser]; readonly hasChanged: boolean },
  areFresh: boolean,
): Promise<void> {
  const { store, clock } = app;
  const [admin, sysadmin] = demo.users;
  await refuseForeignTenants(app, autotaskUrl);
  if (app.config.isExposedDemo || demo.hasChanged) await renewDemoPasswords(app, demo.users);
  await enableDemoUsers(app);
  const credentials = await demoApiUser(autotaskUrl);
  const psa = app.psaFor(credentials);
  const known = await store.findUser(admin.username);
  const identity = await psa.identify().catch((error: unknown) => {
    // An existing demo continues with its data.
    if (known === null || areFresh || !(error instanceof ServiceError)) throw error;
    app.logger.warn({ ...error.about }, 'the Autotask sandbox of the demo does not respond');
    return null;
  });
  if (identity === null) return;
  let tenantId = known?.tenantId ?? null;
  if (known === null) {
    const tenant = await store.addTenant(demoTenant);
    tenantId = tenant.id;
    const resource = await psa.findResource({ firstName: 'Avery', lastName: 'Admin', email: admin.username });
    await store.addUser({
      name: 'Avery Admin',
      psaLink: resource === null ? null : { databaseId: identity.databaseId, resourceId: resource.id },
      username: admin.username,
      passwordHash: await hashPassword(admin.password),
      roles: ['clientadmin'],
      tenantId,
      isActive: true,
    });
  }
  if ((await store.findUser(sysadmin.username)) === null)
    await store.addUser({
      username: sysadmin.username,
      passwordHash: await hashPassword(sysadmin.password),
      roles: ['sysadmin'],
      tenantId: null,
      isActive: true,
    });
  if (tenantId === null) return;

  const tenant = store.forTenant(tenantId);
  const isTaken = (await store.findConnected('psa', identity.databaseId)).some((id) => id !== tenantId);
  // A user may have connected the sandbox to another client.
  if (!isTaken)
    await tenant.saveConnection(
      {
        service: 'psa',
        status: 'active',
        name: identity.companyName,
        user: credentials.userName,
        externalId: identity.databaseId,
        connectedAt: clock.now(),
        problem: null,
      },
      credentials,
    );
  if (areFresh) await forgetAccounting(tenant);
}

/**
 * Refuses a database with real clients, because the demo's users would see them.
 *
 * @throws ConfigurationError if a client exists that no company of the sandbox has registered.
 */
async function refuseForeignTenants(app: App, autotaskUrl: string): Promise<void> {
  const { store } = app;
  const demoTenantId = (await store.findUser(demoUsernames[0] ?? ''))?.tenantId ?? null;
  const tenants = (await store.listTenants()).filter(({ id }) => id !== demoTenantId);
  if (tenants.length === 0) return;
  // Visitors of the demo may have registered the other company of the sandbox.
  const { users } = await credentialsOf(autotaskUrl, autotaskCredentials);
  const known = new Set<string>();
  for (const credentials of users) {
    const { databaseId } = await app.psaFor(credentials).identify();
    for (const { tenantId } of await store.findHolders('psa', databaseId)) known.add(tenantId);
  }
  const others = tenants.filter(({ id }) => !known.has(id)).length;
  if (others > 0)
    throw new ConfigurationError(
      `This database holds ${others} ${others === 1 ? 'client' : 'clients'} of a deployment, so the demo does not start on it. Unset DATABASE_URL for a separate demo, or set the variables of the deployment and DEMO=false.`,
    );
}

/** Returns the API user that an administrator of the sandbox's tenant would provide. */
async function demoApiUser(autotaskUrl: string): Promise<PsaCredentials> {
  const { users } = await credentialsOf(autotaskUrl, autotaskCredentials);
  assert(users[0] !== undefined, 'the sandbox has an API user');
  return { userName: users[0].userName, secret: users[0].secret };
}

/** Clears what was posted to or learned from the previous QuickBooks sandbox, because the new one is empty. */
async function forgetAccounting(tenant: TenantStore): Promise<void> {
  const accounting = (await tenant.listConnections()).find((connection) => connection.service === 'accounting');
  if (accounting?.connectedAt === undefined || accounting.connectedAt === null) return;
  await tenant.markPostingsGone('accounting');
  // A sync may have created people and companies, whose ids now belong to others. They are matched by name again.
  const learned = await tenant.listMappings(['Customer', 'Vendor']);
  await tenant.deleteMappings(learned.map((mapping) => mapping.id));
  await tenant.dropCached('');
  if (accounting.status === 'active')
    await tenant.markConnection('accounting', {
      status: 'inactive',
      problem: 'The demo’s QuickBooks starts with new data each time: connect it again.',
    });
}
