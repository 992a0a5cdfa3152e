import type { Item } from '../documents/reference-data.ts';
import { lineItemTypes } from '../planning/reference-index.ts';
import { collapsed, normalized } from '../values/text.ts';
import type { Mapping } from './mapping.ts';

/** A billing code (`ItemBilling`) or a product (`ItemPurchasing`). */
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
  /** 80 to 100; the same number for people and tests. */
  readonly score: number;
}

/** Below it a guess is worse than none; the winner must lead by so much (domain reference 14). */
const leastScore = 80;
const leastLead = 5;

/**
 * Proposes an item for each source without a mapping (domain reference 14). Nothing is saved: a person decides.
 *
 * @param items all items; those that cannot carry the lines of the namespace are left out here.
 */
export function suggestItems(
  namespace: 'ItemBilling' | 'ItemPurchasing',
  sources: readonly SuggestionSource[],
  items: readonly Item[],
  mappings: readonly Mapping[],
): readonly Suggestion[] {
  const account = namespace === 'ItemBilling' ? 'incomeAccountId' : 'expenseAccountId';
  const eligible = items
    .filter((item) => item.isActive && lineItemTypes.has(item.type) && item[account] !== null)
    .map((item) => ({ item, ...formsOf(item.name, item.sku) }));
  const mapped = new Set(mappings.filter((one) => one.namespace === namespace).map((one) => one.sourceValue));
  return sources.flatMap((source): Suggestion[] => {
    if (mapped.has(source.value)) return [];
    const forms = formsOf(source.name, source.number);
    let best: { readonly item: Item; readonly score: number } | undefined;
    let second = 0;
    for (const target of eligible) {
      const score = scoreOf(forms, target);
      if (best === undefined || score > best.score) {
        second = best?.score ?? 0;
        best = { item: target.item, score };
      } else second = Math.max(second, score);
    }
    if (best === undefined || best.score < leastScore || best.score - second < leastLead) return [];
    const { item, score } = best;
    return [{ sourceValue: source.value, targetValue: item.id, targetLabel: item.fullyQualifiedName, score }];
  });
}

interface Forms {
  readonly number: string;
  readonly name: string;
  /** Without punctuation and words that say nothing. */
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

function scoreOf(source: Forms, target: Forms): number {
  if (source.number !== '' && source.number === target.number) return 100;
  if (source.name === target.name) return 95;
  if (source.bare !== '' && source.bare === target.bare) return 90;
  return Math.round(100 * similarity(source.sorted, target.sorted));
}

/** Twice the longest common subsequence over both lengths: 1 for equal texts, 0 for texts without a common letter. */
function similarity(a: string, b: string): number {
  const total = a.length + b.length;
  // Too different in length to matter: neither a suggestion nor a rival of one.
  if (total === 0 || (2 * Math.min(a.length, b.length)) / total < (leastScore - leastLead) / 100) return 0;
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
