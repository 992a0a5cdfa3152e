import type { DocumentPages } from '#core/ports/document-pages.ts';
import type { Kind } from '#core/kinds.ts';
import type { Accounting, AccountingDescriptor } from '#core/ports/accounting.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Mailer } from '#core/ports/mailer.ts';
import type { WebhookReader } from '#core/ports/webhooks.ts';
import type { AccountingOAuth } from '#core/ports/oauth.ts';
import type { Psa, PsaDescriptor } from '#core/ports/psa.ts';
import type { RootStore, TenantStore } from '#core/ports/store.ts';
import type { ReadCounter } from '#core/ports/metered-reads.ts';
import type { ScheduleRules } from '#core/schedule.ts';
import type { AccountingCredentials, PsaCredentials } from '#core/tenant.ts';

/** How long the request of a user waits for connected services. Jobs wait as long as the limits of a service ask. */
export interface Patience {
  /** Resolves when the request has waited long enough. */
  readonly isOver: Promise<void>;
  /** The request has asked a connected service for something. */
  hasAsked: boolean;
}

/** Ports and tools of one tenant, which every flow of it receives; `main` builds it. */
export interface TenantContext {
  readonly tenantId: string;
  /** How long a user waits for a connected service; undefined for jobs, which wait as long as its limits ask. */
  readonly patience?: Patience;
  readonly store: TenantStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * The tenant's PSA.
   *
   * @param how a connection that the service has refused is tried again by a test only; `known` was read already;
   *   `endsPause` lifts a pause that the service asked for; `mayWrite` is asked right before the first byte of each call that changes something leaves.
   * @throws Refusal `not_connected` when there are no credentials, or the service has refused them.
   */
  psa(how?: {
    readonly evenIfLost?: boolean;
    readonly endsPause?: boolean;
    readonly known?: { readonly credentials: PsaCredentials | null; readonly timeZone: string };
    readonly mayWrite?: () => boolean;
  }): Promise<Psa>;
  /**
   * The tenant's books.
   *
   * @param how likewise; the newest tokens are read whenever a call is made.
   * @throws Refusal `not_connected` likewise.
   */
  accounting(how?: {
    readonly evenIfLost?: boolean;
    readonly endsPause?: boolean;
    readonly known?: { readonly credentials: AccountingCredentials | null };
    readonly mayWrite?: () => boolean;
  }): Promise<Accounting>;
  readonly schedule: ScheduleRules;
  /** Does something for these documents: outside calls that it makes are logged with them. */
  withLogContext<T>(
    documents: { readonly kind: Kind; readonly psaIds: readonly number[] },
    work: () => Promise<T>,
  ): Promise<T>;
  /** Named step with an effect outside this process; crash tests end the process here. Costs nothing in production. */
  readonly failpoint: Failpoint;
  /** Waits between two tries. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/**
 * Stands for the end of this process in a test that cannot end it: a failpoint throws it, and nothing is done about it.
 */
export class ProcessEnded extends Error {}

/** Called right before and right after each effect: a commit or an outside call. */
export type Failpoint = (name: string, when: 'before' | 'after') => void | Promise<void>;

/** Ports and tools of flows that belong to no tenant: signing in, connecting, the list of clients. */
export interface App {
  readonly store: RootStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mailer: Mailer;
  readonly oauth: AccountingOAuth;
  readonly webhooks: WebhookReader;
  readonly config: AppConfig;
  readonly documentPages: DocumentPages;
  readonly descriptors: { readonly psa: PsaDescriptor; readonly accounting: AccountingDescriptor };
  forTenant(tenantId: string, patience?: Patience): TenantContext;
  /** A PSA for credentials that are not stored yet, to try them out. */
  psaFor(credentials: PsaCredentials): Psa;
  /** Books for tokens that are not stored yet, to learn the company's name. */
  accountingFor(credentials: AccountingCredentials): Accounting;
  /** Counts the calls that only read QuickBooks. */
  readonly readCounter: ReadCounter;
  /** Random text for codes and tokens: so many bytes, base64url. */
  randomToken(bytes: number): string;
}

/** The part of the configuration that flows and the API need. */
export interface AppConfig {
  /** Public address of the application, without a slash at the end. */
  readonly appUrl: string;
  readonly environmentLabel: string;
  readonly voidsEnabled: boolean;
  readonly isDemo: boolean;
  /** The demo can be reached from other machines. */
  readonly isExposedDemo: boolean;
  /** Shown on the sign-in page in demo mode only. */
  readonly demoUsers: readonly { readonly username: string; readonly password: string; readonly label: string }[];
  /** A company that nobody has registered, shown on the register page in demo mode only. */
  readonly demoRegistration: {
    readonly company: string;
    readonly api_user: string;
    readonly api_secret: string;
    readonly first_name: string;
    readonly last_name: string;
    readonly email: string;
  } | null;
  readonly version: string;
}
