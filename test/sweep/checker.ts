import * as conduct from './invariants-conduct.ts';
import * as documents from './invariants-documents.ts';
import type { Evidence } from './evidence.ts';

/** A broken rule. */
export interface Finding {
  /** For example `invoice 48213`; null when no single document is affected. */
  readonly document: string | null;
  readonly problem: string;
}

export interface Violation extends Finding {
  /** `I1` to `I14` (reliability reference 1.3). */
  readonly invariant: Invariant;
  readonly promise: string;
}

interface Rule {
  readonly promise: string;
  /** Whether the rule holds at any time or only after all work ended. */
  readonly holds: 'always' | 'quiet';
  readonly find: (evidence: Evidence) => Finding[];
}

/** All invariants, with the function that checks each. */
export const invariants = {
  I1: { promise: 'no duplicate', holds: 'always', find: documents.noDuplicate },
  I2: { promise: 'none missing', holds: 'quiet', find: documents.noneMissing },
  I3: { promise: 'references agree', holds: 'quiet', find: documents.referencesAgree },
  I4: { promise: 'the log is complete', holds: 'quiet', find: conduct.logIsComplete },
  I5: { promise: 'amounts match', holds: 'always', find: documents.moneyToTheCent },
  I6: { promise: 'tenants are isolated', holds: 'always', find: conduct.tenantsAreApart },
  I7: { promise: 'service limits are respected', holds: 'always', find: conduct.limitsAreRespected },
  I8: { promise: 'a test sync writes nothing', holds: 'always', find: conduct.testWritesNothing },
  I9: { promise: 'all work ends', holds: 'quiet', find: conduct.allWorkEnds },
  I10: { promise: 'tokens are safe', holds: 'always', find: conduct.tokensAreSafe },
  I11: { promise: 'states only move forward', holds: 'always', find: conduct.statesMoveForward },
  I12: { promise: 'sends and rows are limited', holds: 'always', find: conduct.sendsAreLimited },
  I13: { promise: 'a forced sync adds one document', holds: 'quiet', find: documents.forcedSyncAddsOne },
  I14: { promise: 'outcomes are true', holds: 'always', find: conduct.outcomesAreTrue },
} as const satisfies Readonly<Record<string, Rule>>;

export type Invariant = keyof typeof invariants;

/**
 * Checks the evidence against the invariants.
 *
 * @param when `now` skips the invariants that hold only after all work ended.
 */
export function check(evidence: Evidence, when: 'now' | 'quiet'): Violation[] {
  return Object.entries(invariants).flatMap(([name, { promise, holds, find }]) =>
    holds === 'quiet' && when === 'now'
      ? []
      : // The keys are known.
        find(evidence).map((finding) => ({ invariant: name as Invariant, promise, ...finding })),
  );
}

/**
 * Formats a violation on one line, for example `I1 (no duplicate) invoice 48213: expected at most 1, QuickBooks has …`.
 */
export const violationText = ({ invariant, promise, document, problem }: Violation): string =>
  `${invariant} (${promise})${document === null ? '' : ` ${document}`}: ${problem}`;
