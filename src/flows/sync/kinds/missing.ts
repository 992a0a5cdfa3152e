import type { Posting } from '#core/ports/postings.ts';
import { problem } from '#core/problems.ts';
import type { Decision, Searcher } from './kind.ts';

/**
 * Returns the decision about a document that the PSA does not have, or that we may not read.
 *
 * @param name from {@link KindFlow.name}.
 */
export const missingInPsa = (run: Pick<Searcher, 'psa'>, name: string): Extract<Decision, { outcome: 'refuse' }> => ({
  outcome: 'refuse',
  problems: [problem('PSA_DOCUMENT_MISSING', { psa: run.psa.describe.label, what: name.toLowerCase() })],
  notes: [],
  mark: null,
});

/** Returns the decision about a posted document that still has no number in QuickBooks: Autotask gets no reference. */
export const refuseWithoutNumber = (
  name: string,
  { targetId }: Pick<Posting, 'targetId'>,
): Extract<Decision, { outcome: 'refuse' }> => ({
  outcome: 'refuse',
  problems: [problem('NUMBER_MISSING', { name, id: targetId ?? '' })],
  notes: [],
  mark: null,
});
