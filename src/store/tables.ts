import type { Preference } from '#core/planning/update-merge.ts';
import { sql, type ColumnType, type Generated, type GeneratedAlways, type RawBuilder } from 'kysely';
import type { AccountingRecord } from '#core/documents/accounting-change.ts';
import type { Kind, Mode, Trigger } from '#core/kinds.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Preview } from '#core/planning/preview.ts';
import type { Problem } from '#core/problems.ts';
import type { DriftKind } from '#core/reconciliation/drift.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import type { Actor } from '#core/records/audit.ts';
import type { CloseDecision, NewClose } from '#core/records/closes.ts';
import type { UnexpectedKind } from '#core/records/unexpected-answers.ts';
import type { DraftState, NewDraft } from '#core/records/drafts.ts';
import type { ApiKeyScope } from '#core/api-key.ts';
import type { ChosenChannels, NoticeChannel, NoticeGroup } from '#core/notice-preferences.ts';
import type { Notice, NoticeKind } from '#core/notices.ts';
import type { testEvent, WebhookEndpointState, WebhookEvent } from '#core/webhook-event.ts';
import type { ChatKind } from '#core/chat.ts';
import type { JobResult, JobStatus } from '#core/records/jobs.ts';
import type { SignatureKind } from '#core/reconciliation/close.ts';
import type { EarlierBill, PostingStatus } from '#core/records/postings.ts';
import type { Fingerprint } from '#core/reconciliation/fingerprint.ts';
import type { OneTimeToken } from '#core/records/one-time-tokens.ts';
import type { Attempt } from '#core/attempt.ts';
import type { ClientRole, Role } from '#core/roles.ts';
import type { GuideState, Service, SubscriptionStatus } from '#core/tenant.ts';
import type { LogLevel } from '#core/transcript.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import type { SignInProof } from '#core/records/sign-in-providers.ts';
import type { ProviderKind } from '#core/sign-in-provider.ts';
import type { Decimal } from '#core/values/decimal.ts';
import type { WrappedKey } from './vault.ts';
import type { Mail } from '#core/ports/mailer.ts';

/** Read as a value, written as JSON text (see {@link toJson}). */
type JsonColumn<T> = ColumnType<T, string, string>;
/** Computed by the database. */
type Computed<T> = ColumnType<T, never, never>;

/** An email about an account contains login links, so all of it is encrypted under a separate key. */
export interface SealedMail {
  readonly key: WrappedKey;
  readonly sealed: string;
}
/** What is needed to send a message; deleted after it was sent or given up. */
type OutboxContent = Mail | SealedMail | { readonly chatId: string; readonly notice: Notice };

/** Every table as the migrations create it; see the comments there. */
export interface Tables {
  tenants: {
    id: Generated<string>;
    name: string;
    status: SubscriptionStatus;
    time_zone: string;
    created_at: Generated<Instant>;
    next_sync_at: Instant | null;
    consecutive_failures: Generated<number>;
    registered_as: string | null;
    maintenance_at: Generated<Instant | null>;
    requires_second_factor: Generated<boolean>;
    status_reason: string | null;
    proved_at: Generated<Instant | null>;
    gaps_settled: Generated<number>;
    ledger_gaps_settled: Generated<number>;
    guide: Generated<GuideState>;
    moved_at: Generated<Instant | null>;
    before_move: ColumnType<unknown, string | null | undefined, string | null>;
  };
  users: {
    id: Generated<string>;
    username: string;
    password_hash: string;
    roles: readonly Role[];
    tenant_id: string | null;
    is_active: boolean;
    created_at: Generated<Instant>;
    name: Generated<string>;
    psa_database_id: string | null;
    psa_resource_id: number | null;
    access_version: Generated<number>;
    last_sign_in_at: Instant | null;
    email_proved_at: Generated<Instant | null>;
  };
  sessions: {
    jti: string;
    user_id: string;
    tenant_id: string | null;
    roles: readonly Role[];
    masquerader: string | null;
    cookie_hash: string | null;
    created_at: Instant;
    ends_at: Instant;
    revoked_at: Instant | null;
    id: Generated<string>;
    access_version: number;
    user_agent: string;
    address: string;
    last_used_at: Instant;
    proof: Generated<SignInProof>;
  };
  sign_in_providers: {
    tenant_id: string;
    kind: ProviderKind;
    issuer: string;
    client_id: string;
    client_secret: string;
    covers_second_step: boolean;
    tested_at: Generated<Instant | null>;
    is_required: Generated<boolean>;
    break_glass_user_id: Generated<string | null>;
  };
  sign_in_domains: {
    domain: string;
    tenant_id: string;
  };
  sign_in_links: {
    user_id: string;
    issuer: string;
    subject: string;
    linked_at: Instant;
    checked_at: Instant;
    next_check_at: Generated<Instant | null>;
    key_id: Generated<string | null>;
    root_key_id: Generated<string | null>;
    wrapped_key: Generated<string | null>;
    refresh_token: Generated<string | null>;
  };
  api_keys: {
    tenant_id: string;
    id: Generated<string>;
    name: string;
    scope: ApiKeyScope;
    key_hash: string;
    created_by: string;
    owner: Generated<string | null>;
    created_at: Instant;
    ends_at: Instant;
    last_used_at: Generated<Instant | null>;
  };
  notices: {
    tenant_id: string;
    id: Generated<string>;
    user_id: string;
    kind: NoticeKind;
    at: Instant;
    facts: JsonColumn<Notice>;
    once: Generated<string>;
    read_at: Generated<Instant | null>;
    channel: Generated<NoticeChannel>;
    mail_at: Generated<Instant | null>;
  };
  notice_preferences: {
    tenant_id: string;
    user_id: string;
    channels: JsonColumn<ChosenChannels>;
    digest_hour: number;
  };
  chats: {
    tenant_id: string;
    id: Generated<string>;
    kind: ChatKind;
    name: string;
    address: string;
    address_end: string;
    groups: readonly NoticeGroup[];
    created_by: string;
    owner: Generated<string | null>;
    created_at: Instant;
    delivered_at: Generated<Instant | null>;
    failed_at: Generated<Instant | null>;
    error: Generated<string | null>;
  };
  outbox: {
    id: Generated<string>;
    tenant_id: string | null;
    kind: 'mail' | 'chat';
    recipient: string | null;
    subject: string | null;
    chat_id: string | null;
    content: ColumnType<OutboxContent | null, string, string | null>;
    created_at: Instant;
    next_try_at: Instant;
    tries: Generated<number>;
    taken_at: Instant | null;
    was_lost: Generated<boolean>;
    ended_at: Instant | null;
  };
  webhook_endpoints: {
    tenant_id: string;
    id: Generated<string>;
    address: string;
    shown_address: string;
    secret: string;
    old_secret: Generated<string | null>;
    old_secret_ends_at: Generated<Instant | null>;
    events: readonly WebhookEvent[];
    state: Generated<WebhookEndpointState>;
    created_by: string;
    owner: Generated<string | null>;
    created_at: Instant;
    read_to: Instant;
    failures: Generated<number>;
    failing_since: Generated<Instant | null>;
    wait_until: Generated<Instant | null>;
    delivered_at: Generated<Instant | null>;
    failed_at: Generated<Instant | null>;
    tested_at: Generated<Instant | null>;
  };
  webhook_deliveries: {
    tenant_id: string;
    id: Generated<string>;
    endpoint_id: string;
    source: string;
    event: WebhookEvent | typeof testEvent;
    subject: string;
    body: string;
    created_at: Instant;
    next_try_at: Instant;
    tries: Generated<number>;
    taken_at: Generated<Instant | null>;
    tried_at: Generated<Instant | null>;
    ended_at: Generated<Instant | null>;
    is_delivered: Generated<boolean>;
    status: Generated<number | null>;
    answer: Generated<string | null>;
  };
  invitations: {
    tenant_id: string;
    id: Generated<string>;
    email: string;
    name: string;
    role: Generated<ClientRole>;
    token_hash: string;
    invited_by: string;
    invited_at: Instant;
    ends_at: Instant;
  };
  one_time_tokens: {
    hash: string;
    purpose: OneTimeToken['purpose'];
    user_id: string | null;
    tenant_id: string | null;
    data: JsonColumn<OneTimeToken['data']>;
    ends_at: Instant;
    spent_at: Instant | null;
  };
  sign_in_failures: { key: string; at: Instant };
  second_factors: {
    user_id: string;
    key_id: string;
    root_key_id: string;
    wrapped_key: string;
    secret: string;
    begun_at: Instant;
    confirmed_at: Instant | null;
    last_step: Generated<number>;
  };
  recovery_codes: { user_id: string; hash: string; spent_at: Instant | null };
  alert_states: {
    tenant_id: string;
    is_pending: Generated<boolean>;
    seen_seq: Generated<number>;
    not_before: Instant | null;
    lost_services: Generated<readonly string[]>;
    loss_mailed_at: Instant | null;
  };
  stalls: {
    tenant_id: string;
    since: Instant;
    last_at: Instant;
    failures: number;
    error: string;
    mailed_at: Instant | null;
  };
  metered_reads: { tenant_id: string; month: string; reads: number };
  unexpected_answers: {
    service: Service;
    kind: UnexpectedKind;
    fact: string;
    name: string;
    operation: string;
    shape: string;
    count: number;
    first_at: Instant;
    last_at: Instant;
  };
  metered_read_alerts: { month: string; percent: number; share: number; sent_at: Instant };
  service_pauses: {
    tenant_id: string;
    service: Service;
    since: Instant;
    last_at: Instant;
    next_try_at: Instant | null;
    code: string;
    detail: string;
    mailed_at: Instant | null;
    refused_read: string | null;
  };
  data_folders: {
    id: string;
    beat: number;
    seen_at: Instant;
  };
  deployment_events: {
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    at: Instant;
    actor: string;
    action: string;
    subject: string;
    detail: JsonColumn<unknown>;
  };
  data_keys: {
    tenant_id: string;
    id: string;
    root_key_id: string;
    wrapped: string;
    created_at: Generated<Instant>;
  };
  connections: {
    tenant_id: string;
    service: Service;
    status: 'active' | 'inactive';
    name: string;
    user_name: string | null;
    external_id: string | null;
    external_hash: string | null;
    connected_at: Instant | null;
    problem: string | null;
    credentials: string | null;
    consent_ends_at: Generated<Instant | null>;
    ended: Generated<string | null>;
    ended_at: Generated<Instant | null>;
  };
  settings: {
    tenant_id: string;
    section: 'settings' | 'item_settings';
    value: JsonColumn<Record<string, unknown>>;
    saved_at: Generated<Instant>;
  };
  mappings: {
    tenant_id: string;
    id: Generated<string>;
    namespace: MappingNamespace;
    source_entity: string;
    source_value: string;
    source_label: string | null;
    target_entity: string;
    target_value: string;
    target_label: string | null;
    saved_at: Generated<Instant>;
  };
  reference_data: { tenant_id: string; key: string; value: JsonColumn<unknown>; fetched_at: Instant };
  sync_states: {
    tenant_id: string;
    kind: Kind;
    polled_at: Instant | null;
    synced_at: Instant | null;
    info: string | null;
    fingerprint: string | null;
  };
  cdc_states: {
    tenant_id: string;
    last_notification_at: Instant | null;
    cursor: Instant | null;
    polled_at: Instant | null;
    before_gap_cursor: Instant | null;
    before_gap_polled_at: Instant | null;
  };
  notifications: {
    tenant_id: string;
    record: AccountingRecord;
    target_id: string;
    seq: GeneratedAlways<number>;
    received_at: Instant;
    due_at: Instant | null;
  };
  leases: {
    tenant_id: string;
    owner: string | null;
    fence: number;
    ends_at: Instant;
  };
  jobs: {
    tenant_id: string;
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    kind: Kind;
    mode: Mode;
    force: boolean;
    revises: Generated<boolean>;
    prefers: JsonColumn<Preference> | null;
    reviews: string | null;
    trigger: Trigger;
    log_level: LogLevel;
    psa_ids: readonly number[] | null;
    submitted_by: JsonColumn<Actor> | null;
    same_as: string;
    approves: Generated<boolean>;
    status: JobStatus;
    total: number | null;
    done: Generated<number>;
    succeeded: Generated<number>;
    failed: Generated<number>;
    skipped: Generated<number>;
    held: Generated<number>;
    message: string | null;
    fence: number | null;
    waits_since: Generated<Instant | null>;
    keeps_order: Generated<boolean>;
    stop_code: Generated<string | null>;
    cancel_requested_at: Instant | null;
    created_at: Instant;
    started_at: Instant | null;
    finished_at: Instant | null;
  };
  job_results: {
    tenant_id: string;
    job_id: string;
    psa_id: number;
    seq: GeneratedAlways<number>;
    outcome: JobResult['outcome'];
    message: string;
    log_key: string | null;
  };
  attempts: {
    tenant_id: string;
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    job_id: string | null;
    kind: Kind;
    psa_id: number;
    mode: Mode;
    force: boolean;
    revises: Generated<boolean>;
    trigger: Trigger;
    log_level: LogLevel;
    state: Attempt['state'];
    is_ended: Computed<boolean>;
    generation: number;
    revision: number;
    started_at: Instant;
    sent_at: Instant | null;
    not_before: Instant | null;
    answered: Generated<number>;
    transcript: JsonColumn<Attempt['transcript']>;
    warnings: JsonColumn<Attempt['warnings']>;
    body: JsonColumn<Record<string, unknown>>;
    plan: ColumnType<Plan | null, string | null, string | null>;
  };
  postings: {
    tenant_id: string;
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    kind: Kind;
    psa_id: number;
    generation: number;
    revision: number;
    status: PostingStatus;
    request_id: string;
    body: JsonColumn<unknown>;
    psa_total: Decimal | null;
    target_type: string | null;
    target_id: string | null;
    number: string | null;
    total: Decimal | null;
    tax: Decimal | null;
    created_at: Instant;
    superseded_at: Instant | null;
    was_adopted: Generated<boolean>;
    drift: ColumnType<readonly DriftKind[], string | undefined, string>;
    answered: ColumnType<Fingerprint | null, string | undefined, string>;
    earlier: ColumnType<readonly Omit<EarlierBill, 'psaId'>[], string | undefined, string>;
  };
  payment_states: {
    tenant_id: string;
    psa_id: number;
    balance: Decimal | null;
    was_paid: Generated<boolean>;
    written_on: CalendarDate | null;
    seen_on: CalendarDate | null;
    seen_at: Instant | null;
    seen_balance: Decimal | null;
    held_on: CalendarDate | null;
    is_due: Generated<boolean>;
  };
  found_marks: { tenant_id: string; kind: Kind; psa_id: number; first_seen_at: Instant; last_seen_at: Instant };
  suppressions: { tenant_id: string; kind: Kind; psa_id: number; at: Instant; reason: string };
  logs: {
    tenant_id: string;
    key: string;
    seq: GeneratedAlways<number>;
    at: Instant;
    type: Kind;
    psa_id: number;
    is_test: boolean;
    is_manual: boolean;
    success: boolean;
    number: string | null;
    what: string | null;
    party: string | null;
    dated: CalendarDate | null;
    amount: Decimal | null;
    currency: string | null;
    message: string;
    awaits_approval: boolean;
    marked_paid: boolean | null;
  };
  log_details: {
    tenant_id: string;
    key: string;
    transcript: string;
    /** Written by any version: `repairs` and `document` are absent in older rows. */
    problems: JsonColumn<readonly Partial<Problem>[]>;
    document: JsonColumn<Record<string, unknown>> | null;
    preview: JsonColumn<Preview> | null;
  };
  closes: {
    tenant_id: string;
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    month: string;
    prepared_at: Instant;
    prepared_by: string;
    sha256: string;
    is_proved: boolean;
    totals: JsonColumn<NewClose['totals']>;
    proof: JsonColumn<NewClose['proof']>;
    reports: JsonColumn<NewClose['reports']>;
    setup: JsonColumn<NewClose['setup']>;
    changed_since: JsonColumn<NewClose['changedSince']>;
    left_out: JsonColumn<NewClose['leftOut']>;
    reading_sha256: string | null;
    differences: JsonColumn<NewClose['differences']>;
  };
  close_signatures: {
    tenant_id: string;
    id: Generated<string>;
    close_id: string;
    signed_as: SignatureKind;
    signed_by: string;
    signed_at: Instant;
    checked: readonly string[];
    reason: string | null;
    by_one_allowed: Generated<boolean>;
  };
  close_decisions: {
    tenant_id: string;
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    month: string;
    key: string;
    amount: Decimal;
    decision: CloseDecision['decision'];
    reason: string;
    decided_by: string;
    decided_at: Instant;
  };
  close_runs: {
    tenant_id: string;
    month: string;
    started_at: Instant;
    ended_at: Instant | null;
    problem: string | null;
    checked_at: Instant | null;
    sources_sha256: string | null;
  };
  drafts: {
    tenant_id: string;
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    kind: Kind;
    psa_id: number;
    force: boolean;
    revises: Generated<boolean>;
    state: DraftState;
    plan: JsonColumn<NewDraft['plan']>;
    plan_hash: string;
    psa_hash: string;
    what: string;
    number: string | null;
    party: string | null;
    dated: CalendarDate | null;
    amount: Decimal | null;
    currency: string | null;
    home_currency: string;
    view: JsonColumn<NewDraft['view']>;
    effect: JsonColumn<NewDraft['effect']>;
    warnings: JsonColumn<NewDraft['warnings']>;
    prepared_by: string | null;
    prepared_at: Instant;
    first_approved_by: string | null;
    decided_by: string | null;
    decided_at: Instant | null;
    reason: string | null;
    job_id: string | null;
    replaces: string | null;
  };
  audit_events: {
    tenant_id: string;
    id: Generated<string>;
    seq: GeneratedAlways<number>;
    at: Instant;
    username: string;
    masquerader: string | null;
    action: string;
    subject: string | null;
    before: JsonColumn<unknown>;
    after: JsonColumn<unknown>;
  };
}

/** Ids of tenants that were moved to another deployment, as a subquery. */
export const movedTenants = sql`(select id from tenants where moved_at is not null)`;

/** Writes a value for a JSON column. */
export const toJson = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** Characters that never appear unescaped in JSON text: a separator, and a placeholder for a missing value. */
const [separator, none] = ['\u001E', '\u001F'];

/**
 * Returns values for a JSON column of many rows, as an array of texts in one parameter; null for each undefined value.
 * An array literal would need an escape before each quotation mark, which costs time on both sides.
 */
export const jsonArray = (values: readonly unknown[]): RawBuilder<readonly (string | null)[]> =>
  sql`string_to_array(
    ${values.map((value) => (value === undefined ? none : toJson(value))).join(separator)}, ${separator}, ${none}
  )`;

/** Replaces U+0000 and halves of a character, which PostgreSQL's text or JSON cannot hold, with the replacement character. */
export const clean = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
export const cleanOrNull = (text: string | null): string | null => (text === null ? null : clean(text));

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns false for text that cannot be an id of this database: it matches no row, and is not an error. */
export const isId = (text: string): boolean => uuid.test(text);
