import type { Attempt, Posted } from '../attempt.ts';
import type { News, TakenMail, ToldNews } from './alerts.ts';
import type { Kind, Mode, Trigger } from '../kinds.ts';
import type { BooksFeedState } from '../books-feed.ts';
import type { BooksChange, BooksRecord } from '../documents/books-change.ts';
import type { PaymentChange, PaymentState } from '../documents/payment.ts';
import type { Mapping, MappingNamespace } from '../mapping/mapping.ts';
import type { PersonState } from '../person.ts';
import type { DriftKind } from '../reconciliation/drift.ts';
import type { ItemSettings } from '../settings/item-settings.ts';
import type { Settings } from '../settings/definitions.ts';
import type { Role } from '../roles.ts';
import type {
  AccountingCredentials,
  Connection,
  NewConnection,
  PsaCredentials,
  Service,
  SubscriptionStatus,
  SyncState,
  Tenant,
} from '../tenant.ts';
import type { LogLevel } from '../transcript.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Json, JsonObject } from '../values/json.ts';

/**
 * Everything that outlives a process, for one tenant. Rows of other tenants do not exist here: each call runs in a
 * transaction that row-level security binds to the tenant.
 */
export interface TenantStore {
  readonly tenantId: string;
  readTenant(): Promise<Tenant>;
  setStatus(status: SubscriptionStatus): Promise<void>;
  /**
   * Changes the status by a system administrator's hand, with its event. Unless it syncs afterwards, what is queued is
   * cancelled, and what runs is asked to stop.
   */
  changeStatus(
    change: { readonly status: SubscriptionStatus; readonly reason: string | null },
    event: NewAuditEvent,
  ): Promise<void>;

  /** What an export consists of: every table with rows of the tenant, without columns that are secret. */
  listExportTables(): Promise<readonly ExportTable[]>;
  /**
   * A portion of the rows of one of these tables, each as JSON text.
   *
   * @param last where the portion before ended; null for the first one.
   * @returns the rows, and where this portion ends; null after the last one.
   */
  exportRows(
    table: ExportTable,
    last: readonly string[] | null,
  ): Promise<{ readonly lines: readonly string[]; readonly last: readonly string[] | null }>;

  readSettings(): Promise<Settings>;
  saveSettings(settings: Settings, actor: Actor): Promise<void>;
  readItemSettings(): Promise<ItemSettings>;
  saveItemSettings(settings: ItemSettings, actor: Actor): Promise<void>;

  listConnections(): Promise<readonly Connection[]>;
  /**
   * Activates a connection and seals its credentials.
   *
   * @throws Refusal `company_taken` (409) when another tenant is connected to the company. Of two at the same moment one is.
   */
  saveConnection(connection: NewConnection, credentials: PsaCredentials | AccountingCredentials): Promise<void>;
  /**
   * With a problem an active connection says that somebody has to do something in the service.
   *
   * @throws Refusal `company_taken` (409) when a lost one would be active again and another tenant has the company by now.
   */
  markConnection(
    service: Service,
    change: { status: 'active' | 'inactive'; problem?: string | null; name?: string },
  ): Promise<void>;
  /** Deletes the credentials; name and external id stay, so that another company is noticed later. */
  removeCredentials(service: Service): Promise<void>;
  /**
   * Ends the connection to the books: from now on nobody reads its tokens. They are kept apart, for the service still
   * has to hear of it; null when there are none.
   */
  endAccountingAccess(now: Instant): Promise<AccountingCredentials | null>;
  /** The service has heard that the access was ended, or never will. */
  forgetEndedAccess(): Promise<void>;
  /**
   * What the connection to the books needs when its time has come; null when it has not, or another worker looks after
   * it. Whoever got an answer has an hour; after that another one tries.
   */
  takeCare(now: Instant): Promise<CareNeeded | null>;
  /** When the connection to the books is looked after next. */
  careAgainAt(at: Instant): Promise<void>;
  /** Null when there are none, or when the service has refused them: nobody tries those again but to test them. */
  readPsaCredentials(how?: { readonly evenIfLost?: boolean }): Promise<PsaCredentials | null>;
  /** Null likewise. */
  readAccountingCredentials(how?: { readonly evenIfLost?: boolean }): Promise<AccountingCredentials | null>;
  /**
   * Runs one refresh at a time for the tenant, however many workers ask: `refresh` gets the newest stored tokens under
   * a row lock and its answer is stored before it is returned. It may return null to keep what is stored.
   */
  refreshAccountingCredentials(
    refresh: (current: AccountingCredentials) => Promise<AccountingCredentials | null>,
  ): Promise<AccountingCredentials>;

  listMappings(namespaces?: readonly MappingNamespace[]): Promise<readonly Mapping[]>;
  /** Inserts or replaces by namespace, source entity and source value; answers the saved rows. */
  saveMappings(mappings: readonly Omit<Mapping, 'id'>[]): Promise<readonly Mapping[]>;
  deleteMappings(ids: readonly string[]): Promise<number>;

  /** Cached lists of the services. */
  readCached(key: string): Promise<{ readonly value: Json; readonly fetchedAt: Instant } | null>;
  writeCached(key: string, value: Json, fetchedAt: Instant): Promise<void>;
  /** Changes what is kept, alone with it; answers what is kept now, null when there is nothing. */
  changeCached(key: string, change: (value: Json) => Json): Promise<Json | null>;
  /** Forgets every key that begins with the prefix. */
  dropCached(prefix: string): Promise<void>;

  /**
   * Notes records of the books that changed, each once, and wakes a worker for those that the paid state of an invoice
   * may follow from.
   *
   * @param how.isTold the books said so by themselves, which is remembered.
   */
  noteChanges(changes: readonly BooksChange[], how: { readonly isTold: boolean }): Promise<void>;
  /** Noted changes of these records that may be looked at now, in the order in which they were told. */
  listChanges(records: readonly BooksRecord[], limit: number): Promise<readonly NotedChange[]>;
  /** Forgets changes that were read, and marks invoices whose paid state is not settled; a newer change stays. */
  settleChanges(noted: readonly NotedChange[], duePayments?: readonly number[]): Promise<void>;
  postponeChanges(noted: readonly NotedChange[], dueAt: Instant): Promise<void>;
  /** Forgets what was noted of invoices and payments; the next reading of the feed begins early enough to see it. */
  leaveToFeed(): Promise<void>;
  readFeedState(): Promise<BooksFeedState>;
  /** Saves how far the feed was read, together with what follows from it. */
  saveFeedReading(reading: {
    readonly readAt: Instant;
    readonly askedAt: Instant;
    readonly isStillTold: boolean;
    readonly duePayments: readonly number[];
  }): Promise<void>;

  readSyncStates(): Promise<Readonly<Partial<Record<Kind, SyncState>>>>;
  /** Notes the end of a scan. */
  markPolled(kind: Kind, at: Instant): Promise<void>;

  /** Saves a job and wakes a worker, in one transaction. */
  addJob(job: NewJob): Promise<Job>;
  readJob(id: string): Promise<Job | null>;
  listJobs(limit: number): Promise<readonly Job[]>;
  /** The oldest queued or interrupted job, a person's before the schedule's, now running; null when there is none. */
  takeJob(lease: Lease, now: Instant): Promise<Job | null>;
  saveJobTotal(lease: Lease, id: string, total: number): Promise<void>;
  finishJob(
    lease: Lease,
    id: string,
    outcome: { status: 'finished' | 'failed' | 'cancelled'; message: string | null },
    now: Instant,
  ): Promise<void>;
  /** Notes how a document of the job ended when no attempt of that job says so; replaces an earlier result of it. */
  saveJobResult(lease: Lease, id: string, result: JobResult): Promise<void>;
  /** Asks a job to stop before the next document; answers the job, or null when it does not exist. */
  cancelJob(id: string, now: Instant): Promise<Job | null>;
  isCancelRequested(id: string): Promise<boolean>;

  /** One worker at a time for the tenant; null while another holds it. Taking it again raises the fence. */
  takeLease(owner: string, seconds: number, now: Instant): Promise<Lease | null>;
  /** Answers false when the lease was lost. */
  renewLease(lease: Lease, seconds: number, now: Instant): Promise<boolean>;
  releaseLease(lease: Lease): Promise<void>;
  /** Takes the tenant away from whoever holds it: it writes nothing more. */
  breakLease(now: Instant): Promise<void>;

  /** Takes the lease and tells, in the same transaction, what there is to do; null while another worker holds it. */
  takeTurn(owner: string, seconds: number, now: Instant): Promise<Turn | null>;
  /** Gives the lease back and, in the same transaction, notes how a cycle ended. Does nothing once the lease is lost. */
  endTurn(lease: Lease, cycle: CycleEnd | null): Promise<void>;

  /**
   * Opens an attempt for a document, or takes up the unfinished live one that a dead worker left: at most one
   * unfinished live attempt exists per kind and PSA id.
   *
   * @throws LeaseLost when another worker holds the tenant.
   */
  openAttempt(lease: Lease, attempt: NewAttempt): Promise<{ readonly attempt: Attempt; readonly isResumed: boolean }>;
  /** {@link openAttempt} for several documents, in one transaction and in this order. */
  openAttempts(
    lease: Lease,
    attempts: readonly NewAttempt[],
  ): Promise<readonly { readonly attempt: Attempt; readonly isResumed: boolean }[]>;
  /** Forgets attempts that have decided nothing and sent nothing: their documents were not begun after all. */
  withdrawAttempts(lease: Lease, ids: readonly string[]): Promise<void>;
  /**
   * Moves an attempt to its next state, only from the state given and only under a live lease. Ending states write the
   * log row and the job's result in the same transaction; posting states keep the ledger (`postings`) in step.
   *
   * @throws LeaseLost when the row has moved or the lease is gone.
   */
  advance(lease: Lease, from: Attempt, to: Attempt, effects?: AdvanceEffects): Promise<Attempt>;
  /** {@link advance} for several attempts in one transaction: all of them move, or none. */
  advanceAll(lease: Lease, moves: readonly Move[]): Promise<readonly Attempt[]>;
  /** Unfinished live attempts, oldest first; those whose `notBefore` is later than `now` are left out. */
  listUnfinished(now: Instant): Promise<readonly Attempt[]>;
  /** PSA ids of documents that are being synced now. */
  listBusy(kind: Kind): Promise<readonly number[]>;

  /** Postings of a kind by their records in the books. */
  findPostings(kind: Kind, targetIds: readonly string[]): Promise<readonly Posting[]>;
  /** What is known of the paid state of these invoices. */
  listPaymentStates(psaIds: readonly number[]): Promise<readonly PaymentState[]>;
  /**
   * Invoices whose paid state is not settled; and settled ones that a payment of ours stands for, whose paid date in the
   * PSA a person set on that day or later, to be watched.
   */
  listOpenPayments(
    watchedFrom: CalendarDate,
  ): Promise<{ readonly due: readonly number[]; readonly watched: readonly number[] }>;
  /** Changes what is given of each, and nothing else. */
  savePaymentStates(changes: readonly PaymentChange[]): Promise<void>;

  /** The newest posting of a document, whatever its status. */
  readPosting(kind: Kind, psaId: number): Promise<Posting | null>;
  listPostings(kind: Kind, psaIds: readonly number[]): Promise<readonly Posting[]>;
  markPosting(id: string, status: PostingStatus): Promise<void>;
  /** Notes how the two sides of postings have come apart since; an empty list once they agree again. */
  saveDrift(found: readonly { readonly id: string; readonly drift: readonly DriftKind[] }[]): Promise<void>;
  /**
   * One of the services is another than before: whatever was posted is not in these books, or not of this PSA, and what
   * is known of paid states and remembered of documents is about others. Of another PSA nothing is left to look for; in
   * other books a send that was cut short keeps its request id, which means nothing there and the same here again.
   */
  markPostingsGone(service: Service): Promise<void>;
  /** What was said of documents that the PSA shows no mark of, e.g. zero balances and held ones: by PSA id. */
  listRemembered(kind: Kind, psaIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** What was said of these documents may be said again, and words found there count from anew. */
  forgetRemembered(kinds: readonly Kind[], psaIds: readonly number[]): Promise<void>;
  /**
   * Notes that these documents say in the PSA that they run, and answers since when each has been found so. One that was
   * not found for an hour counts from anew.
   */
  noteFoundMarks(kind: Kind, psaIds: readonly number[], now: Instant): Promise<ReadonlyMap<number, Instant>>;
  /** How many attempts in a row ended `postponed` for a document since its last other ending. */
  countPostponed(kind: Kind, psaId: number): Promise<number>;

  listLogs(filter: LogFilter): Promise<{ readonly logs: readonly LogHead[]; readonly total: number }>;
  readLog(key: string): Promise<LogEntry | null>;

  /** The people of the client by e-mail address: users, and those who are invited. */
  listPeople(filter: PeopleFilter): Promise<{ readonly people: readonly Person[]; readonly total: number }>;
  /** A user or an invitation. */
  readPerson(id: string): Promise<Person | null>;
  /**
   * Each of the following changes one person and adds the event to the audit trail, both or neither.
   *
   * @throws Refusal `user_exists`, `invited_already` (409) for an address of this very client.
   */
  addInvitation(invitation: NewInvitation, event: NewAuditEvent): Promise<Person>;
  /** Gives an invitation another token, after which the old one is worth nothing; false when there is none. */
  renewInvitation(
    id: string,
    fresh: Pick<NewInvitation, 'tokenHash' | 'endsAt'>,
    event: NewAuditEvent,
  ): Promise<boolean>;
  removeInvitation(id: string, event: NewAuditEvent): Promise<boolean>;
  /**
   * Lets a user in no more: sessions end and codes are spent. False when there is no such active user.
   *
   * @throws Refusal `last_administrator` (409). Of two who deactivate one another at the same moment one succeeds.
   */
  deactivateUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** False when there is no such deactivated user. */
  reactivateUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** Forgets a deactivated user, whose address is free then; false when there is no such. */
  removeUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** Ends the sessions of a user of the client; false when there is no such user. */
  endSessionsOf(userId: string, event: NewAuditEvent): Promise<boolean>;

  /** What the administrators were not told yet; null when there is nothing. */
  readNews(): Promise<News | null>;
  /** Notes what was told and saves its mails, both or neither; false when somebody else told it meanwhile. */
  saveNews(told: ToldNews): Promise<boolean>;

  addAudit(event: NewAuditEvent): Promise<void>;
  listAudit(filter: AuditFilter): Promise<{ readonly events: readonly AuditEvent[]; readonly total: number }>;
}

/** What a connection to the books needs from time to time. */
export interface CareNeeded {
  /** It is active, and has not been used for a week: its tokens are to be renewed. */
  readonly isIdle: boolean;
  /** An access that was ended here, and of which the service has not heard yet. */
  readonly ended: { readonly credentials: AccountingCredentials; readonly at: Instant } | null;
}

/** A worker's hold on a tenant; `fence` rises with each holder, and every write of a sync carries it. */
export interface Lease {
  readonly tenantId: string;
  readonly owner: string;
  readonly fence: number;
}

/** A record of the books that was told to have changed. */
export interface NotedChange extends BooksChange {
  /** Rises when it changes again. */
  readonly seq: number;
  readonly notedAt: Instant;
}

/** What a worker needs to know when its turn at a tenant begins. */
export interface Turn {
  readonly lease: Lease;
  readonly tenant: Tenant;
  readonly settings: Settings;
  /** Null: there are none. */
  readonly credentials: { readonly psa: PsaCredentials | null; readonly accounting: AccountingCredentials | null };
  readonly feed: BooksFeedState;
  /** The books have told of invoices or payments, and nobody has looked yet. */
  readonly hasNotices: boolean;
  /** The paid state of some invoices is not settled. */
  readonly hasDuePayments: boolean;
  /** What the last search of each kind saw when there was nothing to do. */
  readonly settled: Readonly<Partial<Record<Kind, string>>>;
  /** Both connections are active. */
  readonly areConnected: boolean;
  /** One of them is active, but somebody has to do something in the service. */
  readonly needsAction: boolean;
  /** The subscription is active and its time has come. */
  readonly isCycleDue: boolean;
  /** Cycles in a row that ended because a service refused our access. */
  readonly setbacks: number;
  /** Live attempts were left unfinished, waiting ones included. */
  readonly hasUnfinished: boolean;
  /** Jobs are queued, or were interrupted. */
  readonly hasJobs: boolean;
}

/** How a cycle of the schedule ended. */
export interface CycleEnd {
  /** The kinds that were looked for, and up to when. */
  readonly polled: readonly {
    readonly kind: Kind;
    readonly at: Instant;
    /** What was seen, when there was nothing to do; null: there was, or it has to be looked at again. */
    readonly settled: string | null;
  }[];
  readonly nextSyncAt: Instant;
  readonly setbacks: number;
}

/** Thrown by a store when a worker writes under a lease that is no longer its own: another one has taken over. */
export class LeaseLost extends Error {
  constructor(tenantId: string) {
    super(`Another worker has taken over tenant ${tenantId}.`);
    this.name = 'LeaseLost';
  }
}

/** One file of an export. */
export interface ExportTable {
  readonly name: string;
  /** What it holds, one sentence. */
  readonly about: string;
  readonly columns: readonly string[];
  /** Columns by which its rows are told apart, in the order in which they are read. */
  readonly key: readonly string[];
}

/** Who did something: a person (with the sysadmin behind a masquerade), or the program itself. */
export interface Actor {
  readonly username: string;
  /** The sysadmin who acts as this client. */
  readonly masquerader?: string;
}

export interface NewJob {
  readonly kind: Kind;
  readonly mode: Mode;
  readonly force: boolean;
  readonly trigger: Trigger;
  readonly logLevel: LogLevel;
  /** PSA ids to sync, or null for everything that is eligible. */
  readonly psaIds: readonly number[] | null;
  readonly submittedBy: Actor | null;
  readonly createdAt: Instant;
  /** While a job with the same key is queued or running, {@link TenantStore.addJob} answers that one instead. */
  readonly sameAs: string;
}

export type JobStatus = 'queued' | 'running' | 'finished' | 'failed' | 'cancelled';

export interface JobResult {
  readonly psaId: number;
  readonly outcome: 'succeeded' | 'failed' | 'skipped' | 'held' | 'pending';
  readonly message: string;
  readonly logKey: string | null;
}

export interface Job extends NewJob {
  readonly id: string;
  readonly status: JobStatus;
  /** Null until the candidates are known. */
  readonly total: number | null;
  readonly done: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly held: number;
  readonly message: string | null;
  readonly cancelRequestedAt: Instant | null;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly results: readonly JobResult[];
}

export interface NewAttempt {
  readonly jobId: string | null;
  readonly kind: Kind;
  readonly psaId: number;
  readonly mode: Mode;
  readonly force: boolean;
  readonly trigger: Trigger;
  readonly logLevel: LogLevel;
  readonly startedAt: Instant;
}

/** A step of one attempt. */
export interface Move {
  readonly from: Attempt;
  readonly to: Attempt;
  readonly effects?: AdvanceEffects | undefined;
}

/** What is saved together with a step of an attempt, or not at all. */
export interface AdvanceEffects {
  /** First step to `posting` of a generation: the ledger row, with the exact body, before anything is sent. */
  readonly opensPosting?: { readonly requestId: string; readonly body: JsonObject; readonly psaTotal: Decimal | null };
  /** The document exists in the books: the ledger row gets its id, number and totals (`unconfirmed`). */
  readonly recordsPosting?: Posted;
  /** The posting is `synced`, older ones of the document are `superseded`. */
  readonly confirmsPosting?: boolean;
  /** The books refused definitely: nothing was made. */
  readonly abandonsPosting?: boolean;
  /** What became of a document that another kind has posted. */
  readonly marksPosting?: LedgerMark;
  /** What is known of the paid state of the invoice. */
  readonly payment?: PaymentChange;
  /** Mappings learned from automatically created records. */
  readonly mappings?: readonly Omit<Mapping, 'id'>[];
  /** Mappings of what was found by name; a mapping that exists for the same source stays as it is. */
  readonly matches?: readonly Omit<Mapping, 'id'>[];
  /** Last live success of the kind, for the Overview. */
  readonly synced?: { readonly at: Instant; readonly info: JsonObject };
  /** A sentence that is remembered, so that the schedule says it of this document only once. */
  readonly remembers?: string;
  /** The log row of an ended attempt. */
  readonly log?: { readonly at: Instant; readonly transcript: string };
  /** Replaces an earlier result of the same document in its job; the job's counters follow from its results. */
  readonly result?: JobResult;
}

/** Names a document of the ledger by its source and its record in the books. */
export interface LedgerMark {
  readonly kind: Kind;
  readonly psaId: number;
  readonly targetId: string;
  readonly status: PostingStatus;
}

export type PostingStatus =
  | 'sending'
  | 'unconfirmed'
  | 'synced'
  | 'refused'
  | 'voided'
  | 'deleted_in_books'
  | 'superseded';

/** A row of the ledger: a document that exists in the books because of us, or may exist. Never deleted. */
export interface Posting {
  readonly id: string;
  readonly kind: Kind;
  readonly psaId: number;
  readonly generation: number;
  readonly revision: number;
  readonly status: PostingStatus;
  readonly requestId: string;
  readonly targetType: string | null;
  readonly targetId: string | null;
  readonly number: string | null;
  readonly total: Decimal | null;
  readonly tax: Decimal | null;
  /** What the PSA said the document came to when it was posted. */
  readonly psaTotal: Decimal | null;
  readonly createdAt: Instant;
  /** How the two sides have come apart since, as far as it was noticed. */
  readonly drift: readonly DriftKind[];
}

export interface Page {
  /** Counted from 1. */
  readonly page: number;
  /** At most 200. */
  readonly pageSize: number;
}

export interface LogFilter extends Page {
  readonly type?: Kind;
  readonly mode?: Mode;
  readonly manual?: boolean;
  readonly success?: boolean;
  readonly after?: Instant;
  readonly before?: Instant;
  /** Matches the PSA id, the document number and the message. */
  readonly text?: string;
  readonly sort: 'LastModified' | 'type' | 'entityid' | 'test' | 'manual' | 'success';
  readonly descending: boolean;
}

export interface LogHead {
  /** `{type}/{entityid}/{ISO time}`. */
  readonly key: string;
  readonly at: Instant;
  readonly type: Kind;
  readonly psaId: number;
  readonly isTest: boolean;
  readonly isManual: boolean;
  readonly success: boolean;
}

export interface LogEntry extends LogHead {
  readonly message: string;
  readonly transcript: string;
  readonly problems: readonly JsonObject[];
  readonly document: JsonObject | null;
}

/** Somebody on the list of a client's people. */
export interface Person {
  /** Of the user, or of the invitation. */
  readonly id: string;
  /** Lower case; a user signs in by it. */
  readonly email: string;
  /** Empty when nobody told. */
  readonly name: string;
  readonly state: PersonState;
  /** When the account began, or the newest invitation was sent. */
  readonly since: Instant;
  /** Null for somebody who never did. */
  readonly lastSignInAt: Instant | null;
  /** How many sessions of theirs count now. */
  readonly sessions: number;
  /** Null for users. */
  readonly invitation: { readonly by: string; readonly endsAt: Instant } | null;
}

export interface PeopleFilter extends Page {
  /** Matches e-mail address and name. */
  readonly text?: string;
  readonly state?: PersonState;
}

export interface NewInvitation {
  readonly email: string;
  readonly name: string;
  readonly tokenHash: string;
  /** User name of whoever invites. */
  readonly by: string;
  readonly at: Instant;
  readonly endsAt: Instant;
}

export interface NewAuditEvent {
  readonly at: Instant;
  readonly actor: Actor;
  /** Verb and noun, e.g. `settings.saved`, `connection.removed`, `job.submitted`. */
  readonly action: string;
  readonly subject: string | null;
  readonly before: Json;
  readonly after: Json;
}

export interface AuditFilter extends Page {
  /** Matches action, subject and values, in any case. */
  readonly text?: string;
  /** Matches who did it, a sysadmin behind a masquerade included. */
  readonly person?: string;
}

export interface AuditEvent extends NewAuditEvent {
  readonly id: string;
}

/** What belongs to no tenant yet, or to all: signing in, the list of clients, the schedule. */
export interface RootStore {
  forTenant(tenantId: string): TenantStore;

  /** Answers once database, migrations and queue are there. */
  ready(): Promise<boolean>;

  findUser(username: string): Promise<User | null>;
  findUserById(id: string): Promise<User | null>;
  /** Who a resource of the PSA is here. */
  findUserByPsa(link: PsaLink): Promise<User | null>;
  /** @throws Refusal `username_taken`. */
  addUser(user: NewUser): Promise<User>;
  /** Sets a password, ends every session of the user and spends every ticket, all or nothing. */
  setPassword(userId: string, passwordHash: string, now: Instant): Promise<void>;
  /**
   * Spends a ticket to set a password, sets it, ends every session of the user and spends every other ticket, all or
   * nothing. Null when the ticket is unknown, spent or over. Of two that race, one wins.
   */
  setPasswordByTicket(hash: string, passwordHash: string, now: Instant): Promise<User | null>;
  addTenant(tenant: Omit<Tenant, 'id'>): Promise<Tenant>;
  /**
   * Adds a client and its first user, both or none.
   *
   * @param registeredAs the PSA database by which the client registers.
   * @throws Refusal `company_registered` when a client registered by the same before, `username_taken`.
   */
  registerTenant(
    tenant: Omit<Tenant, 'id'>,
    user: Omit<NewUser, 'tenantId'>,
    registeredAs: string,
  ): Promise<{ readonly tenant: Tenant; readonly user: User }>;
  /** What an invitation asks for, while it stands and is not over. */
  readInvitation(
    tokenHash: string,
    now: Instant,
  ): Promise<{ readonly email: string; readonly name: string; readonly tenant: Tenant } | null>;
  /**
   * Makes a user of an invitation, which is gone then. Null when it is unknown, used or over; of two that race, one wins.
   *
   * @throws Refusal `username_taken` when the address belongs to a user by now; the invitation stays.
   */
  acceptInvitation(tokenHash: string, passwordHash: string, now: Instant): Promise<User | null>;
  listTenants(): Promise<readonly Tenant[]>;
  /** Tenants whose active connection leads to this company. */
  findConnected(service: Service, externalId: string): Promise<readonly string[]>;
  /** Tenants whose connection leads to this company, or led there last. */
  findHolders(service: Service, externalId: string): Promise<readonly CompanyHolder[]>;
  findTenant(id: string): Promise<Tenant | null>;
  readTenantDetail(id: string): Promise<TenantDetail | null>;

  /**
   * Begins a session, and notes the sign-in of its user unless somebody acts as a client with it. False when what the
   * session would rest on has changed since it was checked: the user has another password or other roles by now, was
   * deactivated or removed.
   */
  addSession(session: NewSession): Promise<boolean>;
  /** The session while it is neither revoked nor over, and its user still is what they were when it began. */
  readSession(jti: string, now: Instant): Promise<Session | null>;
  /** The session of the browser that holds the cookie with this hash; null likewise. */
  readSessionByCookie(cookieHash: string, now: Instant): Promise<Session | null>;
  /** Every session of a user that counts, newest first. */
  listSessionsOf(userId: string, now: Instant): Promise<readonly Session[]>;
  /** Notes that a session was used. */
  markSessionUsed(jti: string, now: Instant): Promise<void>;
  revokeSession(jti: string, now: Instant): Promise<void>;
  /** Ends the sessions of a user, or all but one; answers how many counted until then. */
  revokeSessionsOf(userId: string, now: Instant, options?: { readonly exceptJti: string }): Promise<number>;

  /** Keeps the hash of a one-time code. */
  addTicket(ticket: Ticket): Promise<void>;
  /** Looks at a ticket without spending it. */
  readTicket(hash: string, purpose: Ticket['purpose'], now: Instant): Promise<Ticket | null>;
  /** Answers and spends a ticket; null when unknown, spent or over. Of two that race, one wins. */
  spendTicket(hash: string, purpose: Ticket['purpose'], now: Instant): Promise<Ticket | null>;
  /** Spends every ticket of a user for one purpose. */
  spendTicketsOf(userId: string, purpose: Ticket['purpose'], now: Instant): Promise<void>;

  /** Counts failed sign-ins per account and address, for throttling; answers the number in the window. */
  countFailures(keys: readonly string[], since: Instant): Promise<number>;
  addFailure(keys: readonly string[], at: Instant): Promise<void>;
  /**
   * Counts a try under each key, unless under one of them so many stand since then; false when they do, and then it
   * counts under none. Of many at the same moment no more get through than of many in a row.
   */
  admitTry(
    counters: readonly { readonly key: string; readonly limit: number }[],
    since: Instant,
    at: Instant,
  ): Promise<boolean>;
  /** Takes back one try that was counted at this moment under each key. */
  forgetTry(keys: readonly string[], at: Instant): Promise<void>;

  /** The second factor of a user, begun or confirmed; null when there is none. Costs the same for ids of nobody. */
  readSecondFactor(userId: string): Promise<SecondFactor | null>;
  /** Which of these users are asked for a second factor. */
  listSecured(userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Keeps a secret that is not confirmed yet, in place of an earlier one; false when a confirmed one stands. */
  beginSecondFactor(userId: string, secret: string, now: Instant): Promise<boolean>;
  /**
   * Confirms what was begun, with its first code and its recovery codes, and ends every session of the user. Of two that
   * race, one is answered true.
   */
  confirmSecondFactor(
    userId: string,
    version: string,
    first: { readonly step: number; readonly recoveryHashes: readonly string[]; readonly now: Instant },
  ): Promise<boolean>;
  /** Uses up the code of a half minute and all before it; false when it was used. Of two that race, one wins. */
  spendCodeStep(userId: string, version: string, step: number): Promise<boolean>;
  /** Uses up a recovery code; false when there is none such. Of two that race, one wins. */
  spendRecoveryCode(userId: string, hash: string, now: Instant): Promise<boolean>;
  replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** False when there was none. */
  removeSecondFactor(userId: string): Promise<boolean>;
  /** True when the users of this client must have a second factor. */
  requiresSecondFactor(tenantId: string): Promise<boolean>;
  /** Says whether they must; those without one lose their sessions. False when it was so already. */
  requireSecondFactor(tenantId: string, isRequired: boolean, now: Instant): Promise<boolean>;

  /** Clients with something that may be worth a mail now. */
  tenantsWithNews(now: Instant, limit: number): Promise<readonly string[]>;
  /**
   * Takes the mail that waits longest, for this caller alone; null when none is due. A mail whose sender died is taken
   * once more and then let go.
   */
  takeMail(now: Instant): Promise<TakenMail | null>;
  /** The mail was sent, or will not be tried again; its words are forgotten. */
  endMail(mail: Pick<TakenMail, 'tenantId' | 'id'>, now: Instant): Promise<void>;
  /** The mail server has not taken it: it is tried again then. */
  retryMail(mail: Pick<TakenMail, 'tenantId' | 'id'>, at: Instant): Promise<void>;
  /** Whether a user wants mails about what needs them. */
  receivesAlerts(userId: string): Promise<boolean>;
  setReceivesAlerts(userId: string, doesReceive: boolean): Promise<void>;

  /**
   * Removes a portion of what nobody needs any more: logs and jobs from before the one instant, mails, sessions and codes
   * that ended before the other. Answers how many rows went; 0 when nothing is left to remove.
   */
  removeOld(before: { readonly records: Instant; readonly traces: Instant }, limit: number): Promise<number>;
  /**
   * Removes a client and everything that belongs to it, and notes that it happened, all or nothing.
   *
   * @returns how many rows of each table went; null when there is no such client.
   */
  deleteTenant(id: string, event: DeploymentEvent): Promise<Readonly<Record<string, number>> | null>;

  /** Notes what was done to the deployment itself, e.g. that a client was deleted. */
  addDeploymentEvent(event: DeploymentEvent): Promise<void>;
  /** Newest first. */
  listDeploymentEvents(limit: number): Promise<readonly DeploymentEvent[]>;

  /**
   * Tenants without a live lease that have work to do: queued or interrupted jobs, unfinished attempts that are due, or
   * a cycle of the schedule. Whoever was served longest ago comes first.
   */
  dueTenants(now: Instant, limit: number): Promise<readonly string[]>;
  /** Tenants whose connection to the books is to be looked after, longest overdue first. */
  tenantsToCareFor(now: Instant, limit: number): Promise<readonly string[]>;
}

/** A tenant and its connection to a company. */
export interface CompanyHolder {
  readonly tenantId: string;
  readonly tenantStatus: SubscriptionStatus;
  /** False: it was disconnected, or lost. */
  readonly isActive: boolean;
}

/** What a system administrator sees of a client; nothing of its documents. */
export interface TenantDetail extends Tenant {
  /** Why it was suspended or cancelled; null while it is neither. */
  readonly reason: string | null;
  readonly createdAt: Instant;
  /** Active users. */
  readonly users: number;
  /** When one of them signed in last; null: never. */
  readonly lastSignInAt: Instant | null;
}

export interface User {
  readonly id: string;
  /** Signs in by it: the e-mail address, lower case. */
  readonly username: string;
  readonly passwordHash: string;
  readonly roles: readonly Role[];
  /** Null for a sysadmin without a client of their own. */
  readonly tenantId: string | null;
  readonly isActive: boolean;
  /** First and last name; empty when nobody told. */
  readonly name: string;
  /** Who the person is in the PSA; null when nobody proved it. */
  readonly psaLink: PsaLink | null;
  /** Rises with each new password, change of roles, deactivation and reactivation; sessions count under one version. */
  readonly accessVersion: number;
}

/** What makes the one-time codes of a user. */
export interface SecondFactor {
  /** Changes with the secret. */
  readonly version: string;
  /** Base32, as apps take it. Never logged. */
  readonly secret: string;
  /** Null until the first right code; nothing is asked at the login before. */
  readonly confirmedAt: Instant | null;
  /** Hashes of the recovery codes that are left. */
  readonly recoveryHashes: readonly string[];
}

/** Something that was done outside any client's own audit trail. */
export interface DeploymentEvent {
  readonly at: Instant;
  /** A user name, or `command line`. */
  readonly actor: string;
  /** Noun and verb, e.g. `tenant.deleted`. */
  readonly action: string;
  readonly subject: string;
  readonly detail: JsonObject;
}

/** A person as the PSA's links name them. */
export interface PsaLink {
  /** The PSA database, `PsaIdentity.databaseId`. */
  readonly databaseId: string;
  readonly resourceId: number;
}

export type NewUser = Omit<User, 'id' | 'name' | 'psaLink' | 'accessVersion'> & Partial<Pick<User, 'name' | 'psaLink'>>;

export interface Session {
  /** What screens call it by. */
  readonly id: string;
  /** What its token calls it by. */
  readonly jti: string;
  readonly userId: string;
  readonly tenantId: string | null;
  readonly roles: readonly Role[];
  /** Of a masquerading sysadmin. */
  readonly masquerader: string | null;
  /** Hash of the cookie that the token is bound to; null for programs that are not browsers. */
  readonly cookieHash: string | null;
  /** {@link User.accessVersion} when the user proved who they are. */
  readonly accessVersion: number;
  /** What the browser or program called itself; empty when it did not. */
  readonly userAgent: string;
  /** Where on the network it was begun from. */
  readonly address: string;
  readonly createdAt: Instant;
  /** To the minute. */
  readonly lastUsedAt: Instant;
  readonly endsAt: Instant;
}

export type NewSession = Omit<Session, 'id' | 'lastUsedAt'>;

export interface Ticket {
  readonly hash: string;
  readonly purpose: 'connect_psa' | 'connect_accounting' | 'oauth_state' | 'sign_on' | 'reset_password';
  readonly userId: string | null;
  readonly tenantId: string | null;
  readonly data: JsonObject;
  readonly endsAt: Instant;
}
