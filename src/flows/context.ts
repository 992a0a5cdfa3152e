import type { DocumentPages } from '#core/ports/document-pages.ts';
import type { Kind } from '#core/kinds.ts';
import type { Accounting, AccountingDescriptor } from '#core/ports/accounting.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Mailer } from '#core/ports/mailer.ts';
import type { WebhookSender } from '#core/ports/chats.ts';
import type { NotificationReader } from '#core/ports/notifications.ts';
import type { AccountingOAuth } from '#core/ports/oauth.ts';
import type { ProviderAccess, SignInService } from '#core/ports/sign-in.ts';
import type { Psa, PsaDescriptor } from '#core/ports/psa.ts';
import type { RootStore } from '#store/root-store.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import type { ReadCounter } from '#core/ports/metered-reads.ts';
import type { ScheduleRules } from '#core/schedule.ts';
import type { AccountingCredentials, PsaCredentials } from '#core/tenant.ts';

/** How long a user's request waits for connected services. Jobs wait as long as a service's limits require. */
export interface Patience {
  /** Resolves when the request has waited long enough. */
  readonly isOver: Promise<void>;
  /** The request has called a connected service. */
  hasCalled: boolean;
}

/** Store, ports and tools of one tenant, passed to each of its flows; built by `main`. */
export interface TenantContext {
  readonly tenantId: string;
  /**
   * How long a user's request waits for a connected service; undefined for jobs, which wait as long as its limits
   * require.
   */
  readonly patience?: Patience;
  readonly store: TenantStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Returns the tenant's PSA.
   *
   * @param how `evenIfLost` uses a connection that the service has rejected, for connection tests only; `known` was
   *   already read; `endsPause` lifts a pause that the service requested; `mayWrite` is checked right before each call
   *   that changes something is sent.
   * @throws Refusal `not_connected` when there are no credentials, or the service has rejected them.
   */
  psa(how?: {
    readonly evenIfLost?: boolean;
    readonly endsPause?: boolean;
    readonly known?: { readonly credentials: PsaCredentials | null; readonly timeZone: string };
    readonly mayWrite?: () => boolean;
  }): Promise<Psa>;
  /**
   * Returns the tenant's QuickBooks.
   *
   * @param how as for `psa`. The newest tokens are read for each call; with `known`, once for a session and
   *   after each change.
   * @throws Refusal `not_connected` as for `psa`.
   */
  accounting(how?: {
    readonly evenIfLost?: boolean;
    readonly endsPause?: boolean;
    readonly known?: { readonly credentials: AccountingCredentials | null };
    readonly mayWrite?: () => boolean;
  }): Promise<Accounting>;
  readonly schedule: ScheduleRules;
  /** Runs work for these documents; its outside calls are logged with them. */
  withLogContext<T>(
    documents: { readonly kind: Kind; readonly psaIds: readonly number[] },
    work: () => Promise<T>,
  ): Promise<T>;
  /** Named step with an effect outside this process; crash tests end the process here. Does nothing in production. */
  readonly failpoint: Failpoint;
  /** Called for every document whose attempt ended, with the state that it ended in. */
  readonly onDocument?: ((kind: Kind, outcome: string) => void) | undefined;
  /** Waits between two tries. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/** Simulates the end of this process in tests that cannot end it. A failpoint throws it, and no code handles it. */
export class ProcessEnded extends Error {}

/** Called right before and after each effect: a commit or an outside call. */
export type Failpoint = (name: string, when: 'before' | 'after') => void | Promise<void>;

/** Store, ports and tools of flows that belong to no tenant: login, connecting, list of clients. */
export interface App {
  readonly store: RootStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mailer: Mailer;
  readonly webhookSender: WebhookSender;
  readonly oauth: AccountingOAuth;
  readonly signIn: SignInService;
  readonly notifications: NotificationReader;
  readonly config: AppConfig;
  readonly documentPages: DocumentPages;
  readonly descriptors: { readonly psa: PsaDescriptor; readonly accounting: AccountingDescriptor };
  forTenant(tenantId: string, patience?: Patience): TenantContext;
  /** Returns a PSA for credentials that are not stored yet, to test them. */
  psaFor(credentials: PsaCredentials): Psa;
  /** Returns QuickBooks for tokens that are not stored yet, to read the company's name. */
  accountingFor(credentials: AccountingCredentials): Accounting;
  /** Counts the metered calls to QuickBooks. */
  readonly readCounter: ReadCounter;
  /** Returns random text for codes and tokens: this many bytes as base64url. */
  randomToken(bytes: number): string;
}

/** Where system administrators log in, by configuration. */
export interface DeploymentSignIn {
  readonly access: ProviderAccess;
  /** Email domains, lower case. */
  readonly domains: readonly string[];
  readonly coversSecondStep: boolean;
  /** Passwords are rejected, except of the break-glass administrator. */
  readonly isRequired: boolean;
  /** Lower case. */
  readonly breakGlass: string | null;
}

/** The part of the configuration that flows and the API need. */
export interface AppConfig {
  /** Public URL of the application, without a trailing slash. */
  readonly appUrl: string;
  readonly environmentLabel: string;
  readonly voidsEnabled: boolean;
  readonly isDemo: boolean;
  /** Where system administrators log in besides passwords; null: nowhere. */
  readonly signIn: DeploymentSignIn | null;
  /** Companies may register themselves. */
  readonly isRegistrationOpen: boolean;
  /** The demo is reachable from other machines. */
  readonly isExposedDemo: boolean;
  /** Shown on the sign-in page in demo mode only. */
  readonly demoUsers: readonly { readonly username: string; readonly password: string; readonly label: string }[];
  /** A company that is not registered, shown on the register page in demo mode only. */
  readonly demoRegistration: {
    readonly company: string;
    readonly api_user: string;
    readonly api_secret: string;
    readonly first_name: string;
    readonly last_name: string;
    readonly email: string;
  } | null;
  readonly version: string;
  /** Hour of each client's clock from which its open months are proved, 0 to 23. */
  readonly proofHour: number;
}
