import { kinds } from '#core/kinds.ts';
import type { AttentionDocument, AttentionGroupReply } from '#contract/attention.ts';
import { countOf, formatSums, sumsByCurrency } from '../../data/format.ts';

/** The parts of a document that a summary uses. */
export type Countable = Pick<AttentionDocument, 'type' | 'what' | 'amount' | 'currency'>;

/** Returns the number and the total of documents: “12 invoices, $18,430.20”. */
export function describeDocuments(documents: readonly Countable[]): string {
  const sum = formatSums(sumsByCurrency(documents));
  return sum === '' ? countByKind(documents) : `${countByKind(documents)}, ${sum}`;
}

/** Returns the number of documents by kind: “12 invoices and 1 purchase order”. Credit memos count separately. */
export function countByKind(documents: readonly Pick<Countable, 'type' | 'what'>[]): string {
  const nouns = new Map<string, number>();
  for (const { type, what } of documents) {
    const noun = what === 'Credit memo' && type === 'invoice' ? 'credit memo' : kinds[type].label.toLowerCase();
    nouns.set(noun, (nouns.get(noun) ?? 0) + 1);
  }
  return [...nouns].map(([noun, count]) => countOf(count, noun)).join(' and ');
}

/** Returns {@link describeDocuments} for the middle of a sentence: “12 invoices, $18,430.20,”. */
export function describeWithinSentence(documents: readonly Countable[]): string {
  const text = describeDocuments(documents);
  return text.includes(', ') ? `${text},` : text;
}

/** Returns the documents of several causes, each once. */
export const documentsOf = (
  groups: readonly Pick<AttentionGroupReply, 'documents'>[],
): readonly AttentionDocument[] => [
  ...new Map(
    groups.flatMap(({ documents }) => documents.map((one) => [`${one.type} ${one.entityid}`, one] as const)),
  ).values(),
];
