import { problem } from '#core/problems.ts';
import type { Decision, Searcher } from './kind.ts';

/**
 * Decision on a document that the PSA does not have, or that we may not read.
 *
 * @param name as {@link KindFlow.name} says it.
 */
export const missingInPsa = (run: Pick<Searcher, 'psa'>, name: string): Extract<Decision, { outcome: 'refuse' }> => ({
  outcome: 'refuse',
  problems: [problem('PSA_DOCUMENT_MISSING', { psa: run.psa.describe.label, what: name.toLowerCase() })],
  notes: [],
  mark: null,
});
