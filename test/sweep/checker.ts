import * as conduct from './invariants-conduct.ts';
import * as documents from './invariants-documents.ts';
import type { Evidence } from './evidence.ts';

/** Something that must never be, with where it was seen. */
export interface Finding {
  /** E.g. `invoice 48213`; null when it is about no single document. */
  readonly document: string | null;
  readonly saw: string;
}

export interface Violation extends Finding {
  /** `I1` to `I14` (reliability reference 1.3). */
  readonly invariant: Invariant;
  readonly promise: string;
}

interface Rule {
  readonly promise: string;
  /** Whether it holds at any moment, or only once everything is quiet. */
  readonly holds: 'always' | 'quiet';
  readonly find: (evidence: Evidence) => Finding[];
}

/** Every invariant, each by one function of the evidence. */
export const invariants = {
  I1: { promise: 'no duplicate', holds: 'always', find: documents.noDuplicate },
  I2: { promise: 'none missing', holds: 'quiet', find: documents.noneMissing },
  I3: { promise: 'references agree', holds: 'quiet', find: documents.referencesAgree },
  I4: { promise: 'the log is complete', holds: 'quiet', find: conduct.logIsComplete },
  I5: { promise: 'money to the cent', holds: 'always', find: documents.moneyToTheCent },
  I6: { promise: 'tenants are apart', holds: 'always', find: conduct.tenantsAreApart },
  I7: { promise: 'polite to the services', holds: 'always', find: conduct.polite },
  I8: { promise: 'a test writes nothing', holds: 'always', find: conduct.testWritesNothing },
  I9: { promise: 'everything comes to an end', holds: 'quiet', find: conduct.comesToAnEnd },
  I10: { promise: 'the token chain holds', holds: 'always', find: conduct.tokenChainHolds },
  I11: { promise: 'states only move forward', holds: 'always', find: conduct.statesMoveForward },
  I12: { promise: 'everything is bounded', holds: 'always', find: conduct.bounded },
  I13: { promise: 'once more adds exactly one', holds: 'quiet', find: documents.onceMoreAddsOne },
  I14: { promise: 'no half truth', holds: 'always', find: conduct.noHalfTruth },
} as const satisfies Readonly<Record<string, Rule>>;

export type Invariant = keyof typeof invariants;

/**
 * Holds the evidence against every invariant.
 *
 * @param when `now` leaves out what is only promised once everything is quiet.
 */
export function check(evidence: Evidence, when: 'now' | 'quiet'): Violation[] {
  return Object.entries(invariants).flatMap(([name, { promise, holds, find }]) =>
    holds === 'quiet' && when === 'now'
      ? []
      : // The names are the table's own.
        find(evidence).map((finding) => ({ invariant: name as Invariant, promise, ...finding })),
  );
}

/** A violation in one line, e.g. `I1 (no duplicate) invoice 48213: asked for 1, the books made …`. */
export const violationText = ({ invariant, promise, document, saw }: Violation): string =>
  `${invariant} (${promise})${document === null ? '' : ` ${document}`}: ${saw}`;
