import type { JobReply } from '#contract/jobs.ts';

type Outcome = JobReply['results'][number]['outcome'];

const ranks: Partial<Record<Outcome, number>> = { failed: 0, held: 1 };

/** Returns the results with failures first, then held documents, then the others; each newest first. */
export const inOrder = <Result extends { readonly outcome: Outcome }>(results: readonly Result[]): readonly Result[] =>
  results.toReversed().toSorted((a, b) => (ranks[a.outcome] ?? 2) - (ranks[b.outcome] ?? 2));
