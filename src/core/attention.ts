import type { Unresolved } from './ports/log.ts';
import type { Problem, Repair } from './problems.ts';
import { absolute, plus, zero, compare, type Decimal } from './values/decimal.ts';

/**
 * State of a document that is not through: `needs_you` waits for a person, `held` for a date or a limit, `retrying` for
 * a service that did not answer.
 */
export type AttentionState = 'needs_you' | 'held' | 'retrying';

/** Documents with one cause: they are mended together. */
export interface AttentionGroup {
  /** Tells groups apart, and stays the same while the cause does. */
  readonly key: string;
  readonly state: AttentionState;
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
  readonly screen: string | null;
  readonly repairs: readonly Repair[];
  /** Newest first. */
  readonly documents: readonly Unresolved[];
}

/**
 * Puts documents that are not through together by their cause: the same code of problem with the same repairs. A document
 * with several problems stands under the first one that needs a person. Those that need somebody come first, and among
 * equals those that hold most money.
 */
export function groupByCause(documents: readonly Unresolved[]): readonly AttentionGroup[] {
  const groups = new Map<string, AttentionGroup>();
  for (const document of documents) {
    const problem = causeOf(document);
    const repairs = problem?.repairs ?? [];
    const state = stateOf(document.problems);
    const code = problem?.code ?? 'UNKNOWN';
    // A repair in a service names the document itself; the others name the cause, and only those put documents
    // together.
    const shared = repairs.flatMap((one) => (one.do === 'open_in_service' ? [] : [JSON.stringify(one)])).toSorted();
    const words = (problem?.remedy ?? problem?.message ?? document.message).replaceAll(/\d+/g, '#');
    const key = JSON.stringify([state, code, shared.length > 0 ? shared : words]);
    const known = groups.get(key);
    groups.set(key, {
      key,
      state,
      code,
      message: known?.message ?? problem?.message ?? document.message,
      remedy: known?.remedy ?? problem?.remedy ?? null,
      screen: known?.screen ?? problem?.screen ?? null,
      repairs,
      documents: [...(known?.documents ?? []), document],
    });
  }
  return [...groups.values()].toSorted(
    (a, b) =>
      order.indexOf(a.state) - order.indexOf(b.state) ||
      compare(heldBy(b), heldBy(a)) ||
      b.documents.length - a.documents.length,
  );
}

const order: readonly AttentionState[] = ['needs_you', 'held', 'retrying'];

/** The first problem of the strongest treatment, which is what a person mends first. */
function causeOf({ problems }: Unresolved): Problem | undefined {
  const state = stateOf(problems);
  return problems.find((one) => stateOf([one]) === state) ?? problems[0];
}

function stateOf(problems: readonly Problem[]): AttentionState {
  const treatments = new Set(problems.map(({ treatment }) => treatment));
  if (treatments.has('person') || treatments.has('stops_run')) return 'needs_you';
  if (treatments.has('held')) return 'held';
  return treatments.has('transient') ? 'retrying' : 'needs_you';
}

/** Money that a group holds, whatever its sign, in the currency that it holds most of: one never adds to another. */
const heldBy = ({ documents }: AttentionGroup): Decimal => {
  const sums = new Map<string | null, Decimal>();
  for (const { amount, currency } of documents)
    if (amount !== null) sums.set(currency, plus(sums.get(currency) ?? zero, absolute(amount)));
  return [...sums.values()].reduce((most, sum) => (compare(sum, most) > 0 ? sum : most), zero);
};

/** How many documents wait for what. */
export function countByState(
  groups: readonly Pick<AttentionGroup, 'state' | 'documents'>[],
): Readonly<Record<AttentionState, number>> {
  const counts = { needs_you: 0, held: 0, retrying: 0 };
  for (const { state, documents } of groups) counts[state] += documents.length;
  return counts;
}
