import { documentName, type Kind } from '#core/kinds.ts';
import { numberMissing } from '#core/planning/document-fields.ts';
import type { Posting } from '#core/records/postings.ts';
import { problem } from '#core/problems.ts';
import type { Decision, KindFlow, Searcher } from './kind.ts';

type Refusal = Extract<Decision, { outcome: 'refuse' }>;

/** Returns the decision about a document without facts. */
export const decideMissing = (
  run: Pick<Searcher, 'psa'>,
  { kind, whenMissing }: Pick<KindFlow<unknown>, 'kind' | 'whenMissing'>,
  psaId: number,
): Decision => whenMissing ?? missingInPsa(run, kind, psaId);

/** Returns the decision about a document that the PSA does not have, or that we may not read. */
export const missingInPsa = (run: Pick<Searcher, 'psa'>, kind: Kind, psaId: number): Refusal => ({
  outcome: 'refuse',
  problems: [
    problem('PSA_DOCUMENT_MISSING', {
      psa: run.psa.describe.label,
      what: documentName(kind, psaId).toLowerCase(),
    }),
  ],
  notes: [],
  mark: null,
});

/** Returns the decision about a posted document that still has no number in QuickBooks: the PSA gets no reference. */
export const refuseWithoutNumber = (
  run: Pick<Searcher, 'psa'>,
  of: { readonly kind: Kind; readonly psaId: number },
  { targetId }: Pick<Posting, 'targetId'>,
): Refusal => ({
  outcome: 'refuse',
  problems: [numberMissing(run, of, targetId)],
  notes: [],
  mark: null,
});
