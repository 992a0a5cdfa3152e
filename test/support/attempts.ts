import type { endedStates, In, Posted } from '#core/attempt.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { AdvanceEffects, NewAttempt } from '#core/records/attempts.ts';
import type { NewJob } from '#core/records/jobs.ts';
import type { RootStore } from '#store/root-store.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import { instant, type Instant } from '#core/values/dates.ts';
import { decimal, zero } from '#core/values/decimal.ts';

/** The start time of store tests. */
export const began: Instant = instant('2025-03-03T15:00:00Z');

let counter = 0;

/** Creates a tenant and returns its store. */
export async function newTenant(store: RootStore, name?: string): Promise<TenantStore> {
  counter += 1;
  const { id } = await store.addTenant({
    name: name ?? `Tenant ${counter}`,
    status: 'active',
    timeZone: 'America/Chicago',
  });
  return store.forTenant(id);
}

export const newJob = (change: Partial<NewJob> = {}): NewJob => {
  counter += 1;
  return {
    kind: 'invoice',
    mode: 'live',
    force: false,
    trigger: 'manual',
    logLevel: 'debug',
    psaIds: null,
    submittedBy: { username: 'admin@example.com' },
    createdAt: began,
    sameAs: `job ${counter}`,
    ...change,
  };
};

export const newAttempt = (change: Partial<NewAttempt> = {}): NewAttempt => ({
  jobId: null,
  kind: 'invoice',
  psaId: 48213,
  mode: 'live',
  force: false,
  trigger: 'manual',
  logLevel: 'debug',
  startedAt: began,
  ...change,
});

const command = {
  do: 'create_item',
  item: { name: 'Hardware', sku: null, incomeAccountId: '5', expenseAccountId: null, isTaxable: true },
} as const;

/** A plan with N commands. Their content is irrelevant to the store. */
export const planOf = (commands: number): Plan => ({
  commands: Array.from({ length: commands }, () => command),
  notes: [],
  warnings: [],
  expected: { subtotal: decimal('1925'), tax: zero, dueOn: null },
});

export const postedAs = (id: string, number: string | null = null): Posted => ({
  type: 'Invoice',
  id,
  syncToken: '0',
  number,
  total: decimal('1966.25'),
  tax: decimal('41.25'),
  subtotal: decimal('1925'),
  dueOn: null,
  name: null,
  document: { Id: id, DocNumber: number ?? undefined, TotalAmt: '1966.25' },
});

export const toPosting = (attempt: In<'planning'>, commands = 1): In<'posting'> => ({
  ...attempt,
  state: 'posting',
  plan: planOf(commands),
  mark: 'ERROR',
  posted: [],
  sentAt: null,
});

export const opens = (requestId: string): AdvanceEffects => ({
  opensPosting: { requestId, body: { TxnDate: '2025-03-03' }, psaTotal: decimal('1966.25') },
});

export const toPosted = (attempt: In<'posting'> | In<'unsure'>, answer: Posted): In<'posted'> => ({
  ...attempt,
  state: 'posted',
  notBefore: null,
  sentAt: attempt.sentAt ?? began,
  posted: [...attempt.posted, answer],
});

type EndedState = (typeof endedStates)[number];

/** Ends an attempt. The state determines success. */
export function ended(
  attempt: In<'planning'> | In<'posting'> | In<'posted'> | In<'unsure'>,
  state: EndedState,
  message = 'Invoice 48213 was created in QuickBooks as 1042.',
): In<EndedState> {
  return {
    id: attempt.id,
    jobId: attempt.jobId,
    kind: attempt.kind,
    psaId: attempt.psaId,
    mode: attempt.mode,
    force: attempt.force,
    trigger: attempt.trigger,
    logLevel: attempt.logLevel,
    generation: attempt.generation,
    revision: attempt.revision,
    startedAt: attempt.startedAt,
    transcript: attempt.transcript,
    warnings: attempt.warnings,
    notBefore: null,
    state,
    success: state !== 'refused' && state !== 'postponed',
    message,
    problems: [],
    document: { DocNumber: '1042' },
  };
}

export const logged = (at: Instant = began): AdvanceEffects => ({ log: { at, transcript: '15:00:08 RESULT OK' } });
