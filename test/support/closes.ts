import type { NewClose } from '#core/records/closes.ts';
import { changedSincePosting, contentText, leftOutOf, totalsOf, type Proof } from '#core/reconciliation/close.ts';
import { proveCompleteness, type CompletenessFacts } from '#core/reconciliation/completeness.ts';
import { readingText } from '#core/reconciliation/reading.ts';
import { differencesOf } from '#core/reconciliation/undecided.ts';
import { month } from '#core/reconciliation/month.ts';
import { documentOf, postingOf, sourceOf } from '#core/reconciliation/testing.ts';
import { instant } from '#core/values/dates.ts';
import { createHash } from 'node:crypto';

/** A reconciliation of February 2026 for documents, without tie-outs. */
export function proofOf(facts: Partial<CompletenessFacts> = {}): Proof {
  const source = sourceOf(1, '100');
  const document = documentOf(11, '100');
  return {
    month: month('2026-02'),
    homeCurrency: 'USD',
    ...proveCompleteness({
      extras: [],
      kind: 'invoice',
      month: month('2026-02'),
      sources: [source],
      documents: [document],
      postings: [postingOf(source, document)],
      mappedPartyIds: new Set(),
      homeCurrency: 'USD',
      psaLabel: 'Autotask',
      ...facts,
    }),
    tieOuts: [],
  };
}

/** The stored close of a reconciliation. */
export const closeOf = (proof: Proof, change: Partial<NewClose> = {}): NewClose => ({
  month: proof.month,
  preparedAt: instant('2026-03-01T15:00:00Z'),
  preparedBy: 'admin@northwind-msp.example',
  sha256: createHash('sha256').update(contentText(proof)).digest('hex'),
  readingSha256: createHash('sha256').update(readingText(proof)).digest('hex'),
  isProved: true,
  totals: totalsOf(proof),
  proof,
  reports: {
    trial_balance: { Header: { ReportName: 'TrialBalance' } },
    general_ledger: {},
    aged_receivables: {},
    aged_payables: {},
    customer_sales: {},
  },
  setup: {
    version: '0.1.0',
    company: 'Northwind IT Services',
    psaLabel: 'Autotask',
    closedThrough: null,
    settings: {},
    mappings: [],
  },
  changedSince: changedSincePosting(proof),
  leftOut: leftOutOf(proof, null),
  differences: differencesOf(proof),
  ...change,
});
