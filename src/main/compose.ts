import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kind } from '#core/kinds.ts';
import { type Announcements, tokensChannel } from '#core/ports/announcements.ts';
import type { DocumentPages } from '#core/ports/document-pages.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { ReadCounter, ReadMeter } from '#core/ports/metered-reads.ts';
import type { AccountingOAuth } from '#core/ports/oauth.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { RootStore } from '#store/root-store.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import { Refusal } from '#core/refusal.ts';
import { defaultTimeZone, type AccountingCredentials, type PsaCredentials } from '#core/tenant.ts';
import { assert } from '#core/values/assert.ts';
import { type CallRecord, withLogContext } from '#connectors/http-client.ts';
import { createWebhookSender } from '#connectors/webhooks/sender.ts';
import { createSignInService } from '#connectors/sign-in/provider.ts';
import { createMailer } from '#connectors/mail/mailer.ts';
import { rememberingMailer } from '#connectors/mail/remembering-mailer.ts';
import { quickbooksAccounting } from '#connectors/quickbooks/accounting.ts';
import { quickbooksListPage, quickbooksPage } from '#connectors/quickbooks/pages.ts';
import { sessionTokens, type Tokens } from '#connectors/quickbooks/calls.ts';
import { quickbooksNotifications } from '#connectors/quickbooks/notifications.ts';
import { quickbooksOAuth } from '#connectors/quickbooks/oauth.ts';
import type { PsaEntry } from '#connectors/psa-entry.ts';
import type { RateLimits } from '#connectors/rate-limiter.ts';
import { psas } from '#connectors/registry.ts';
import { quickbooksDescriptor } from '#connectors/quickbooks/descriptor.ts';
import { createReadCounter, watchService } from '#flows/connections/watch-service.ts';
import type { App, Failpoint, Patience, TenantContext } from '#flows/context.ts';
import { isLoopback, type Config } from './config.ts';
import { named, namedStore } from './crash.ts';
import type { DemoUser } from './demo-users.ts';
import { readVersion } from './version.ts';

/**
 * Addresses of the services, and how the product identifies itself to them; in demo mode all come from the sandboxes.
 */
export interface Outside {
  readonly autotaskUrl: string;
  readonly integrationCode: string;
  readonly qboDiscoveryUrl: string;
  readonly qboApiUrl: string;
  readonly qboClientId: string;
  readonly qboClientSecret: string;
  /** Verifies that a message is from QuickBooks; without it all messages are rejected. */
  readonly qboWebhookVerifier: string | undefined;
  /** Pages that show documents of sandbox services. */
  readonly documentPages?: DocumentPages;
  /** `host:port` of sandboxes that may be called besides the vendors' hosts. */
  readonly allowedHosts: readonly string[];
}

export interface Parts {
  readonly config: Config;
  /** Users of a demo, for its login page; never shown if other machines can reach it. */
  readonly demoUsers?: readonly DemoUser[];
  /** Returns the public address; with port 0 it is known only after the server listens. */
  readonly appUrl: () => string;
  readonly outside: Outside;
  readonly store: RootStore;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly failpoint: Failpoint;
  /** Listener for every outgoing call, for metrics. */
  readonly onCall?: ((call: CallRecord) => void) | undefined;
  /** Listener for every document whose attempt ended, for metrics. */
  readonly onDocument?: ((kind: Kind, outcome: string) => void) | undefined;
  /** The PSA that tenants are connected to; default: Autotask. */
  readonly psa?: PsaEntry;
  /** Waits for a pause; tests advance their clock instead. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Announcements of other processes; absent: sessions read the tokens of QuickBooks for each call. */
  readonly announcements?: Announcements;
  /** Aborted with a `ProcessStopping` when the process stops: background work waits for nothing and calls nothing. */
  readonly stopping?: AbortSignal;
}

/** Connects the flows with connectors and store: the only place where all of them meet. */
export async function compose(parts: Parts): Promise<App> {
  const { config, outside, clock, logger, failpoint } = parts;
  const store = namedStore(parts.store, failpoint);
  const readCounter = createReadCounter({ store, clock }, config.reads);
  const signIn = quickbooksOAuth({
    discoveryUrl: outside.qboDiscoveryUrl,
    clientId: outside.qboClientId,
    clientSecret: outside.qboClientSecret,
    allowedHosts: outside.allowedHosts,
    logger,
    clock,
    ...(parts.onCall !== undefined && { onCall: parts.onCall }),
  });
  const oauth = named('oauth', signIn, failpoint);

  const mailer = createMailer({
    target: config.smtpUrl === undefined ? { folder: join(config.dataDir, 'mail') } : { smtpUrl: config.smtpUrl },
    from: config.mailFrom,
    clock,
  });

  const connectors = createConnectors(parts);
  const { psa, psaFor, accountingFor } = connectors;

  return {
    store,
    clock,
    logger,
    oauth,
    signIn: createSignInService({
      isLocalAllowed: (url) => config.isDemo && !config.isExposedDemo && isLoopback(url.hostname),
      clock,
      logger,
    }),
    notifications: quickbooksNotifications(outside.qboWebhookVerifier, logger),
    webhookSender: createWebhookSender({
      allowedHosts: outside.allowedHosts,
      allowsLoopback: config.isDemo && !config.isExposedDemo,
      clock,
    }),
    mailer: named(
      'mail',
      config.isDemo && !config.isExposedDemo && config.smtpUrl === undefined
        ? rememberingMailer(mailer, clock)
        : mailer,
      failpoint,
    ),
    config: {
      get appUrl() {
        return parts.appUrl();
      },
      environmentLabel: config.environmentLabel,
      voidsEnabled: config.voidsEnabled,
      isDemo: config.isDemo,
      signIn: config.signIn,
      isRegistrationOpen: config.isRegistrationOpen,
      isExposedDemo: config.isExposedDemo,
      demoUsers: config.isExposedDemo ? [] : (parts.demoUsers ?? []),
      demoRegistration: config.isDemo && !config.isExposedDemo ? await demoRegistration() : null,
      version: readVersion(),
      proofHour: config.proofHour,
    },
    documentPages: outside.documentPages ?? {
      inAccounting: (kind, document) => quickbooksPage(outside.qboApiUrl, kind, document),
      listInAccounting: (kind) => quickbooksListPage(outside.qboApiUrl, kind),
      // Autotask does not document links to single documents [unconfirmed].
      inPsa: () => null,
    },
    descriptors: { psa: psa.descriptor, accounting: quickbooksDescriptor },
    readCounter,
    forTenant: (tenantId, patience) => contextOf(parts, { store, oauth, readCounter, connectors }, tenantId, patience),
    psaFor: (credentials) => psaFor(credentials, defaultTimeZone, logger),
    accountingFor: (credentials) => accountingFor(credentials.realmId, fixedTokens(oauth, credentials), logger),
    randomToken(bytes) {
      assert(bytes >= 16, 'a token has at least 128 bits');
      return randomBytes(bytes).toString('base64url');
    },
  };
}

/** Returns functions that create the connectors for given credentials. */
function createConnectors(parts: Parts) {
  const { outside, rateLimits, clock, failpoint } = parts;
  const { allowedHosts } = outside;
  const sleepUntil = (stopping: AbortSignal | undefined) => parts.sleep ?? stoppableSleep(stopping);
  const observed = parts.onCall === undefined ? {} : { onCall: parts.onCall };
  const psa: PsaEntry = parts.psa ?? psas.autotask;
  const psaFor = (
    credentials: PsaCredentials,
    timeZone: string,
    log: Logger,
    { mayWrite, endsPause, stopping }: PortOptions = {},
  ) =>
    named(
      'psa',
      psa.create({
        credentials,
        service: { url: outside.autotaskUrl, integrationCode: outside.integrationCode },
        allowedHosts,
        timeZone,
        rateLimits,
        endsPause,
        logger: log,
        clock,
        sleep: sleepUntil(stopping),
        mayWrite,
        stopping,
        ...observed,
      }),
      failpoint,
    );
  const accountingFor = (
    realmId: string,
    tokens: Parameters<typeof quickbooksAccounting>[0]['tokens'],
    log: Logger,
    { mayWrite, endsPause, meter, stopping }: PortOptions = {},
  ) =>
    named(
      'accounting',
      quickbooksAccounting({
        realmId,
        apiUrl: outside.qboApiUrl,
        allowedHosts,
        tokens,
        rateLimits,
        meter,
        endsPause,
        logger: log,
        clock,
        sleep: sleepUntil(stopping),
        mayWrite,
        stopping,
        ...observed,
      }),
      failpoint,
    );

  return { psa, psaFor, accountingFor, tokenChanges: countTokenChanges(parts.announcements) };
}

/** Counts for each client how often users changed the tokens of QuickBooks. */
function countTokenChanges(announcements: Announcements | undefined): ReadonlyMap<string, number> {
  const changes = new Map<string, number>();
  announcements?.on(tokensChannel, (id) => changes.set(id, (changes.get(id) ?? 0) + 1));
  return changes;
}

/** Returns access to the stored tokens; a lock of the store allows one refresh at a time. */
export const storedTokens = (
  oauth: AccountingOAuth,
  tenant: TenantStore,
  how?: { readonly evenIfLost?: boolean },
): Tokens => ({
  current: () => tenant.readAccountingCredentials(how),
  async refresh(used) {
    try {
      return await tenant.refreshAccountingCredentials((current) =>
        current.accessToken === used.accessToken
          ? withLogContext({ tenantId: tenant.tenantId }, () => oauth.refresh(current))
          : Promise.resolve(null),
      );
    } catch (error) {
      // The connection was ended during the wait for the lock.
      if (error instanceof Refusal && error.code === 'not_connected') return null;
      throw error;
    }
  },
});

/** Returns tokens that are not stored yet. */
const fixedTokens = (oauth: AccountingOAuth, credentials: AccountingCredentials) => {
  let newest = credentials;
  return {
    current: () => Promise.resolve(newest),
    refresh: async () => (newest = await oauth.refresh(newest)),
  };
};

function contextOf(
  parts: Parts,
  shared: {
    readonly store: RootStore;
    readonly oauth: AccountingOAuth;
    readonly readCounter: ReadCounter;
    readonly connectors: ReturnType<typeof createConnectors>;
  },
  tenantId: string,
  patience: Patience | undefined,
): TenantContext {
  const { config, clock, failpoint } = parts;
  const { store, oauth, readCounter } = shared;
  const { psa, psaFor, accountingFor, tokenChanges } = shared.connectors;
  const tenant = store.forTenant(tenantId);
  const log = parts.logger.child({ tenantId });
  // A user's request is answered also while the process stops.
  const stopping = patience === undefined ? parts.stopping : undefined;
  return {
    tenantId,
    ...(patience !== undefined && { patience }),
    store: tenant,
    clock,
    logger: log,
    withLogContext,
    schedule: { intervalMinutes: config.syncIntervalMinutes, voidsEnabled: config.voidsEnabled },
    failpoint,
    onDocument: parts.onDocument,
    sleep: parts.sleep ?? stoppableSleep(stopping),
    async psa(how) {
      if (patience !== undefined) patience.hasCalled = true;
      const { credentials, timeZone } = how?.known ?? {
        credentials: await tenant.readPsaCredentials(how),
        timeZone: (await tenant.readTenant()).timeZone,
      };
      if (credentials === null) throw notConnected(psa.descriptor.label);
      return watchService(psaFor(credentials, timeZone, log, { ...how, stopping }), {
        store: tenant,
        clock,
        service: 'psa',
      });
    },
    async accounting(how) {
      if (patience !== undefined) patience.hasCalled = true;
      const credentials =
        how?.known === undefined ? await tenant.readAccountingCredentials(how) : how.known.credentials;
      if (credentials === null) throw notConnected(quickbooksDescriptor.label);
      const stored = storedTokens(oauth, tenant, how);
      const isKept = how?.known !== undefined && parts.announcements !== undefined;
      const changes = () => tokenChanges.get(tenantId) ?? 0;
      const tokens = isKept ? sessionTokens(stored, credentials, { now: () => clock.now(), changes }) : stored;
      const meter = readCounter.meterOf(tenantId);
      const port = accountingFor(credentials.realmId, tokens, log, {
        ...how,
        meter,
        stopping,
      });
      return watchService(port, { store: tenant, clock, service: 'accounting' });
    },
  };
}

/** Options of a caller for a port. */
interface PortOptions {
  readonly mayWrite?: () => boolean;
  /** Ends a pause requested by the service before each call. */
  readonly endsPause?: boolean;
  readonly meter?: ReadMeter;
  readonly stopping?: AbortSignal | undefined;
}

/** Returns a wait that the signal ends with its reason. */
const stoppableSleep = (stopping: AbortSignal | undefined) => async (milliseconds: number) => {
  try {
    await delay(milliseconds, undefined, { signal: stopping });
  } catch (error) {
    stopping?.throwIfAborted();
    throw error;
  }
};

const notConnected = (label: string): Refusal =>
  new Refusal('conflict', 'not_connected', `${label} is not connected. Open Connections and connect it.`);

/**
 * Returns a person who may register at a demo: an administrator of the second company in the Autotask sandbox. A
 * deployment has no sandbox, so it is loaded only here.
 */
async function demoRegistration() {
  const { secondUser } = await import('@tallybridge/sandbox');
  return {
    company: 'Lakeside Technology Partners',
    api_user: secondUser.userName,
    api_secret: secondUser.secret,
    first_name: 'Lena',
    last_name: 'Decker',
    email: 'lena.decker@lakeside-tech.example',
  };
}
