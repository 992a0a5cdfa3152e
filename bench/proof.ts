import { exceptionsOf } from '#core/reconciliation/close.ts';
import type { CompletenessFacts } from '#core/reconciliation/completeness.ts';
import { documentOf, postingOf, provedOf, sourceOf } from '#core/reconciliation/testing.ts';
import { quantile } from './compare.ts';

/** How often each size is proved. */
const rounds = 15;
/** Four times the documents may take five times as long. */
const maxGrowth = 1.25;

/**
 * Compares the time per document of the proofs of a small and a large month. A rule that scans all documents for each
 * one grows with their number.
 *
 * @returns false when a document of the large month takes more than 1.25 times as long.
 */
export function proof(small: number, large: number): Promise<boolean> {
  const months = [small, large].map((count) => ({ count, facts: monthOf(count), times: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1)
    for (const { facts, times } of months) {
      // Processor time of this thread: other programs do not matter.
      const began = process.threadCpuUsage();
      exceptionsOf(provedOf(facts));
      const { user, system } = process.threadCpuUsage(began);
      // The first round compiles the code.
      if (round > 0) times.push((user + system) / 1_000);
    }
  // The fastest round has the least garbage collection.
  const fastest = months.map(({ count, times }) => ({ count, took: quantile(times, 0) }));
  for (const { count, took } of fastest)
    console.log(`${count} documents: ${took.toFixed(1)} ms, ${((took / count) * 1_000).toFixed(1)} µs each`);
  const [few, many] = fastest.map(({ count, took }) => took / count);
  const growth = (many ?? Number.NaN) / (few ?? Number.NaN);
  console.log(`a document of the large month takes ${growth.toFixed(2)} times as long, at most ${maxGrowth}`);
  return Promise.resolve(growth <= maxGrowth);
}

/**
 * Returns a month in which one document of fifty is gone, and of ten, one was changed, one has no source, one was never
 * posted, and one has a document that bills a difference.
 */
function monthOf(count: number): Partial<CompletenessFacts> {
  const parts = Array.from({ length: count }, (_, index) => {
    const [id, amount] = [index + 1, `${100 + index}.37`];
    const source = sourceOf(id, amount);
    const document = documentOf(10_000 + id, amount, { party: { id: String(id % 50), name: `Client ${id % 50}` } });
    const posting = postingOf(source, document);
    const whole = { sources: [source], documents: [document], postings: [posting], extras: [] };
    switch (index % 10) {
      case 0:
        return index % 50 === 0 ? { ...whole, documents: [] } : whole;
      case 1:
        return { ...whole, documents: [documentOf(10_000 + id, '99')] };
      case 2:
        return { ...whole, sources: [], postings: [] };
      case 3:
        return { ...whole, documents: [], postings: [] };
      case 4: {
        const billed = documentOf(50_000 + id, '10');
        const extra = { role: 'difference', psaId: id, type: billed.type, id: billed.id } as const;
        return { ...whole, documents: [document, billed], extras: [extra] };
      }
      default:
        return whole;
    }
  });
  return {
    sources: parts.flatMap(({ sources }) => sources),
    documents: parts.flatMap(({ documents }) => documents),
    postings: parts.flatMap(({ postings }) => postings),
    extras: parts.flatMap(({ extras }) => extras),
  };
}
