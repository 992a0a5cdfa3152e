import { kinds } from '#core/kinds.ts';
import type { AttentionDocument, AttentionGroupReply } from '#contract/attention.ts';
import { countOf, setSums, sumsByCurrency } from '../../lib/format.ts';

/** A document as a headline counts it. */
export type Counted = Pick<AttentionDocument, 'type' | 'what' | 'amount' | 'currency'>;

/** “12 invoices, $18,430.20”: how many documents and what they come to. */
export function worthOf(documents: readonly Counted[]): string {
  const sum = setSums(sumsByCurrency(documents));
  return sum === '' ? countedOf(documents) : `${countedOf(documents)}, ${sum}`;
}

/** “12 invoices and 1 purchase order”; credit memos are named as such. */
export function countedOf(documents: readonly Pick<Counted, 'type' | 'what'>[]): string {
  const nouns = new Map<string, number>();
  for (const { type, what } of documents) {
    const noun = what === 'Credit memo' && type === 'invoice' ? 'credit memo' : kinds[type].label.toLowerCase();
    nouns.set(noun, (nouns.get(noun) ?? 0) + 1);
  }
  return [...nouns].map(([noun, count]) => countOf(count, noun)).join(' and ');
}

/** The same as part of a sentence: “12 invoices, $18,430.20,”. */
export function worthWithin(documents: readonly Counted[]): string {
  const worth = worthOf(documents);
  return worth.includes(', ') ? `${worth},` : worth;
}

/** Returns the documents of several causes, each once. */
export const documentsOf = (
  groups: readonly Pick<AttentionGroupReply, 'documents'>[],
): readonly AttentionDocument[] => [
  ...new Map(
    groups.flatMap(({ documents }) => documents.map((one) => [`${one.type} ${one.entityid}`, one] as const)),
  ).values(),
];
