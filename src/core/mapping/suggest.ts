import { collapsed, normalized } from '../values/text.ts';
import { indexOwners, type Mapping, type MappingNamespace, partySideOf } from './mapping.ts';
import { haveSameName } from './similar-names.ts';
import type { Target } from './targets.ts';

/** A PSA record that may be mapped. */
export interface SuggestionSource {
  readonly value: string;
  readonly name: string;
  /** External number or stock keeping unit. */
  readonly number: string | null;
}

export interface Suggestion {
  readonly sourceValue: string;
  readonly targetValue: string;
  readonly targetLabel: string;
  /** 80 to 100; users and tests see the same number. */
  readonly score: number;
  /** Reason, as text for people. */
  readonly reason: string;
}

/**
 * Minimum score of a suggestion: below it, no suggestion is better than a guess. The best target must also lead by
 * {@link minLead} (domain reference 14).
 */
const minScore = 80;
const minLead = 5;

/**
 * Suggests a target for each source without a mapping (domain reference 14). Nothing is saved until a user decides. A
 * customer or vendor is suggested for one source only, and not when it is mapped already: several companies may have
 * the same name.
 *
 * @param targets targets that cannot be chosen are ignored.
 * @param mappings of all namespaces that share the target list.
 */
export function suggestTargets(
  namespace: MappingNamespace,
  sources: readonly SuggestionSource[],
  targets: readonly Target[],
  mappings: readonly Mapping[],
): readonly Suggestion[] {
  const side = partySideOf(namespace);
  const { ofRecord } = indexOwners(mappings);
  const eligible = targets
    .filter(({ whyNot, value }) => whyNot === null && (side === undefined || ofRecord(side, value).length === 0))
    .map((target) => ({ target, forms: [target.label, ...target.names].map((name) => formsOf(name, target.number)) }));
  const mapped = new Set(
    mappings.filter((mapping) => mapping.namespace === namespace).map((mapping) => mapping.sourceValue),
  );
  const candidates = candidatesAmong(eligible, sources.length);
  const found = sources.flatMap((source): Suggestion[] => {
    if (mapped.has(source.value)) return [];
    const forms = formsOf(source.name, source.number);
    let best: { readonly target: Target; readonly score: number; readonly reason: string } | undefined;
    let second = 0;
    for (const { target, forms: others } of candidates(forms)) {
      const scored = others.map((other) => scoreOf(forms, other)).reduce((a, b) => (b.score > a.score ? b : a));
      if (best === undefined || scored.score > best.score) {
        second = best?.score ?? 0;
        best = { target, ...scored };
      } else second = Math.max(second, scored.score);
    }
    if (best === undefined || best.score < minScore || best.score - second < minLead) return [];
    const { target, score, reason } = best;
    return [{ sourceValue: source.value, targetValue: target.value, targetLabel: target.label, score, reason }];
  });
  return side === undefined ? found : bestOfEach(found, new Map(sources.map(({ value, name }) => [value, name])));
}

/**
 * Returns the best suggestion for each target; none for a target that several sources match almost equally well, or
 * whose sources have the same name apart from punctuation and legal form.
 */
function bestOfEach(found: readonly Suggestion[], names: ReadonlyMap<string, string>): readonly Suggestion[] {
  const byTarget = Map.groupBy(found, ({ targetValue }) => targetValue);
  const nameOf = ({ sourceValue }: Suggestion) => names.get(sourceValue) ?? '';
  return found.filter((suggestion) =>
    (byTarget.get(suggestion.targetValue) ?? []).every(
      (other) =>
        other === suggestion ||
        (suggestion.score - other.score >= minLead && !haveSameName(nameOf(suggestion), nameOf(other))),
    ),
  );
}

interface Candidate {
  readonly target: Target;
  readonly forms: readonly Forms[];
}

/** Above this number of pairs, only names that share a word or a number are compared. */
const maxPairs = 1_000_000;

/** Returns the targets to compare with a source: all of them, or fewer when that would take too long. */
function candidatesAmong(eligible: readonly Candidate[], sourceCount: number): (source: Forms) => readonly Candidate[] {
  if (eligible.length * sourceCount <= maxPairs) return () => eligible;
  const byWord = new Map<string, Candidate[]>();
  for (const candidate of eligible)
    for (const word of new Set(candidate.forms.flatMap(wordsOf))) {
      const list = byWord.get(word);
      if (list === undefined) byWord.set(word, [candidate]);
      else list.push(candidate);
    }
  return (source) => {
    const lists = wordsOf(source)
      .flatMap((word) => byWord.get(word) ?? [])
      .slice(0, 2_000);
    return [...new Set(lists)];
  };
}

const wordsOf = ({ sorted, number }: Forms): readonly string[] => [
  ...sorted.split(' ').filter((word) => word.length > 1 && !emptyWords.has(word)),
  ...(number === '' ? [] : [`#${number}`]),
];

interface Forms {
  readonly number: string;
  readonly name: string;
  /** Name without punctuation and filler words. */
  readonly bare: string;
  /** Words in alphabetical order. */
  readonly sorted: string;
}

function formsOf(name: string, number: string | null): Forms {
  const normal = normalized(name);
  const words = collapsed(normal.replace(/[^\p{L}\p{N}\s]/gu, ' ')).split(' ');
  return {
    number: normalized(number ?? ''),
    name: normal,
    bare: words.filter((word) => !emptyWords.has(word)).join(' '),
    sorted: words.sort().join(' '),
  };
}

const emptyWords: ReadonlySet<string> = new Set(['the', 'and', 'service', 'services', 'support', 'item']);

function scoreOf(source: Forms, target: Forms): { readonly score: number; readonly reason: string } {
  if (source.number !== '' && source.number === target.number) return { score: 100, reason: 'Same number' };
  if (source.name === target.name) return { score: 95, reason: 'Same name' };
  if (source.bare !== '' && source.bare === target.bare)
    return { score: 90, reason: 'Same name except for common words and punctuation' };
  return { score: Math.round(100 * similarity(source.sorted, target.sorted)), reason: 'Similar name' };
}

/**
 * Returns twice the longest common subsequence divided by both lengths: 1 for equal texts, 0 without a common letter.
 */
function similarity(a: string, b: string): number {
  const total = a.length + b.length;
  // Lengths differ too much to reach the minimum score or to compete with a suggestion.
  if (total === 0 || (2 * Math.min(a.length, b.length)) / total < (minScore - minLead) / 100) return 0;
  let previous = new Uint16Array(b.length + 1);
  for (const letter of a) {
    const current = new Uint16Array(b.length + 1);
    for (let at = 1; at <= b.length; at += 1)
      current[at] =
        letter === b[at - 1] ? (previous[at - 1] ?? 0) + 1 : Math.max(previous[at] ?? 0, current[at - 1] ?? 0);
    previous = current;
  }
  return (2 * (previous[b.length] ?? 0)) / total;
}
