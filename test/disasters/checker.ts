import * as conduct from './invariants-conduct.ts';
import * as documents from './invariants-documents.ts';
import type { Evidence } from './evidence.ts';

/** A broken rule with its detail. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** A place where an invariant is broken. */
export interface Finding {
  /** For example `invoice 48213`; null when no single document is affected. */
  readonly document: string | null;
  readonly problem: string;
}

interface Rule {
  /** Number in reliability reference 1.3. */
  readonly name: string;
  readonly promise: string;
  /** Whether the rule holds at any time or only after all work ended. */
  readonly holds: 'always' | 'quiet';
  /** Whether the rule needs to know all documents and their end states. */
  readonly needsExpected?: true;
  readonly find: (evidence: Evidence) => Finding[];
}

/** All invariants, with the function that checks each. */
const rules = [
  { name: 'I1', promise: 'no duplicate', holds: 'always', needsExpected: true, find: documents.noDuplicate },
  { name: 'I1', promise: 'no duplicate record or email', holds: 'always', find: documents.noDuplicateRecord },
  { name: 'I2', promise: 'none missing', holds: 'quiet', needsExpected: true, find: documents.noneMissing },
  { name: 'I3', promise: 'references agree', holds: 'quiet', find: documents.referencesAgree },
  { name: 'I4', promise: 'the log is complete', holds: 'quiet', find: conduct.logIsComplete },
  {
    name: 'I4',
    promise: 'the ledger is complete',
    holds: 'quiet',
    needsExpected: true,
    find: conduct.ledgerIsComplete,
  },
  { name: 'I5', promise: 'amounts match', holds: 'always', needsExpected: true, find: documents.moneyToTheCent },
  { name: 'I6', promise: 'tenants are isolated', holds: 'always', find: conduct.tenantsAreApart },
  { name: 'I7', promise: 'service limits are respected', holds: 'always', find: conduct.limitsAreRespected },
  { name: 'I8', promise: 'a test sync writes nothing', holds: 'always', find: conduct.testWritesNothing },
  { name: 'I9', promise: 'all work ends', holds: 'quiet', find: conduct.allWorkEnds },
  { name: 'I10', promise: 'tokens are safe', holds: 'always', find: conduct.tokensAreSafe },
  { name: 'I11', promise: 'states only move forward', holds: 'always', find: conduct.statesMoveForward },
  { name: 'I12', promise: 'sends are limited', holds: 'always', find: conduct.sendsAreLimited },
  { name: 'I12', promise: 'rows are limited', holds: 'always', needsExpected: true, find: conduct.rowsAreLimited },
  { name: 'I13', promise: 'a forced sync adds one document', holds: 'quiet', find: documents.forcedSyncAddsOne },
  { name: 'I14', promise: 'outcomes are true', holds: 'always', find: conduct.outcomesAreTrue },
] as const satisfies readonly Rule[];

export type Invariant = (typeof rules)[number]['name'];

/**
 * Checks the evidence against the invariants.
 *
 * @param when `now` skips the invariants that hold only after all work ended.
 */
export function check(evidence: Evidence, when: 'now' | 'quiet'): Violation[] {
  return (rules as readonly Rule[]).flatMap(({ name, promise, holds, needsExpected, find }) =>
    (holds === 'quiet' && when === 'now') || (needsExpected === true && !evidence.areExpected)
      ? []
      : find(evidence).map(({ document, problem }) => ({
          rule: `${name} (${promise})`,
          detail: document === null ? problem : `${document}: ${problem}`,
        })),
  );
}

/** Formats a violation on one line, for example `I1 (no duplicate): invoice 48213: expected at most 1, …`. */
export const violationText = ({ rule, detail }: Violation): string => `${rule}: ${detail}`;
