import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unknownPayment, type PaymentState } from '#core/documents/payment.ts';
import type { SalesState } from '#core/documents/sales-state.ts';
import { planPayment, type PaymentDecision, type PaymentFacts } from '#core/planning/plan-payment.ts';
import { planVoid, type VoidDecision, type VoidFacts } from '#core/planning/plan-void.ts';
import type { Note } from '#core/transcript.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { books, companies, mappings, settings } from './sample-world.ts';

/**
 * What becomes of invoices after they were posted: the worked examples of payments (domain reference 8.2, 8.3) and of
 * voids (7). `given.json` tells how both sides stand, `plan.json` what a bookkeeper expects of it.
 */
interface Given {
  readonly about: string;
  /** The invoice in the PSA. */
  readonly invoice?: Partial<PaymentFacts['invoice'] & VoidFacts['invoice']>;
  readonly companyId?: number;
  /** What was posted; null: nothing, or by an earlier tool. */
  readonly link?: (Partial<PaymentFacts['link']> & { readonly type?: string }) | null;
  /** The document in the books; null: it is gone. */
  readonly document?: Partial<SalesState> | null;
  readonly appliedOn?: PaymentFacts['appliedOn'];
  readonly state?: Partial<PaymentState>;
  readonly isPaidByUs?: boolean;
  readonly settings?: Partial<PaymentFacts['settings']>;
  readonly closedThrough?: PaymentFacts['invoice']['paidOn'];
  readonly now?: string;
}

interface Expected {
  readonly outcome: PaymentDecision['outcome'] | VoidDecision['outcome'];
  /** What the PSA is told, null: that it is not paid. */
  readonly paidOn?: string | null;
  readonly message?: string;
  readonly commands?: unknown;
  readonly warnings?: readonly string[];
  readonly problems?: readonly string[];
  readonly remedies?: readonly string[];
  /** What is remembered of the payment. */
  readonly state?: Partial<PaymentState>;
  /** What the ledger says of the document from then on. */
  readonly standing?: string | null;
}

const document: SalesState = {
  type: 'Invoice',
  id: '9177',
  syncToken: '3',
  number: '1042',
  customer: { id: '58', name: 'Acme Dental' },
  datedOn: calendarDate('2025-03-03'),
  total: decimal('1966.25'),
  balance: decimal('1966.25'),
  currency: 'USD',
  isVoided: false,
  tax: decimal('0'),
  privateNote: null,
  changedAt: instant('2025-03-03T15:00:08Z'),
  applied: [],
  document: {},
};
const invoice = {
  id: 48_213,
  number: '1042',
  total: decimal('1966.25'),
  paidOn: null,
  isVoided: false,
};
const documentOf = (given: Given): SalesState | null =>
  given.document === null ? null : { ...document, ...given.document };
const preferences = (given: Given) => ({
  ...books.preferences,
  closedThrough: given.closedThrough ?? books.preferences.closedThrough,
});

function paymentOf(given: Given): PaymentDecision {
  const total = given.document?.total ?? document.total;
  return planPayment({
    invoice: { ...invoice, total, ...given.invoice },
    link: { id: '9177', number: '1042', total, psaTotal: total, ...given.link },
    document: documentOf(given),
    appliedOn: given.appliedOn ?? [],
    state: { ...unknownPayment(given.invoice?.id ?? invoice.id), isDue: true, ...given.state },
    isPaidByUs: given.isPaidByUs ?? false,
    settings: { ...settings, ...given.settings },
    preferences: preferences(given),
    paidFrom: calendarDate('2025-02-17'),
    now: instant(given.now ?? '2025-03-03T15:00:07Z'),
    timeZone: 'America/Chicago',
    psaLabel: 'Autotask',
  });
}

function voidOf(given: Given): VoidDecision {
  const found = documentOf(given);
  const { link = {} } = given;
  return planVoid({
    invoice: { ...invoice, isVoided: true, ...given.invoice },
    company: companies.find(({ id }) => id === (given.companyId ?? 175)) ?? null,
    link: link === null ? null : { type: 'Invoice', id: '9177', number: '1042', ...link },
    documents: found === null ? [] : [found],
    books: { ...books, preferences: preferences(given) },
    mappings,
    psaLabel: 'Autotask',
  });
}

const decide: Readonly<Record<string, (given: Given) => PaymentDecision | VoidDecision>> = {
  payment: paymentOf,
  void: voidOf,
};
const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const said = (problems: readonly { readonly code: string; readonly message: string }[]) =>
  problems.map(({ code, message }) => `${code} ${message}`);
const notesOf = (decision: PaymentDecision | VoidDecision): readonly Note[] =>
  decision.outcome === 'plan' ? decision.plan.notes : decision.outcome === 'rest' ? [] : decision.notes;
const cases = Object.keys(decide).flatMap((kind) =>
  readdirSync(join(import.meta.dirname, kind)).map((name) => ({ kind, name })),
);

describe.each(cases)('$kind $name', ({ kind, name }) => {
  const folder = join(import.meta.dirname, kind, name);
  const given = parse(join(folder, 'given.json')) as Given;
  const expected = parse(join(folder, 'plan.json')) as Expected;
  const decision = decide[kind]?.(given);
  if (decision === undefined) throw new Error(`Nobody decides a ${kind}`);

  test(given.about, () => {
    expect(decision.outcome).toBe(expected.outcome);
    if (decision.outcome === 'plan') {
      expect(decision.plan.commands).toEqual(expected.commands);
      expect(said(decision.plan.warnings)).toEqual(expected.warnings ?? []);
    }
    if (decision.outcome === 'refuse') {
      expect(said(decision.problems)).toEqual(expected.problems);
      if (expected.remedies !== undefined)
        expect(decision.problems.map(({ remedy }) => remedy)).toEqual(expected.remedies);
    }
    if (decision.outcome === 'tell') {
      expect(decision.paidOn).toBe(expected.paidOn);
      expect(decision.message).toBe(expected.message);
    }
    if (decision.outcome === 'skip') {
      expect(decision.message).toBe(expected.message);
      expect(decision.standing).toBe(expected.standing);
      expect(said(decision.warnings)).toEqual(expected.warnings ?? []);
    }
    if (expected.state !== undefined) expect('state' in decision ? decision.state : null).toMatchObject(expected.state);
  });

  if (existsSync(join(folder, 'transcript.txt')))
    test('the transcript tells why', () => {
      const text = notesOf(decision).map(({ level, text: words }) => `${level.toUpperCase().padEnd(5)} ${words}`);
      expect(`${text.join('\n')}\n`).toBe(readFileSync(join(folder, 'transcript.txt'), 'utf8'));
    });
});
