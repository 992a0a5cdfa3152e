import type { DocumentViewReply, SourceReply } from '#contract/planned.ts';
import { equals, decimal, negate } from '#core/values/decimal.ts';
import { setCalendarDay } from '../../lib/format.ts';
import { comparedWords, previewWords } from './words.ts';

type BooksLine = DocumentViewReply['lines'][number];
type SourceLine = SourceReply['lines'][number];

/** One fact of a document, as each service says it. */
export interface ComparedFact {
  readonly label: string;
  readonly psa: string | null;
  readonly books: string | null;
  /** Why both differ; null where they say the same. */
  readonly why: string | null;
}

/** A line of one service beside the line that became of it in the other; null: there is none. */
export interface ComparedLine {
  readonly psa: SourceLine | null;
  readonly books: BooksLine | null;
  readonly why: string | null;
}

/** Why an amount of the foot differs; null where both services say the same. */
export interface ComparedAmounts {
  readonly tax: string | null;
  readonly total: string | null;
}

const isSame = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && equals(decimal(a), decimal(b)));

/** The PSA's amounts with the sign of the document in the books: a credit memo is positive there. */
function inBooksSign(source: SourceReply, form: DocumentViewReply['form']): SourceReply {
  if (form !== 'credit_memo') return source;
  const turned = (amount: string) => negate(decimal(amount));
  return {
    ...source,
    lines: source.lines.map((line) => ({
      ...line,
      unit_price: line.unit_price === null ? null : turned(line.unit_price),
      amount: turned(line.amount),
    })),
    tax: turned(source.tax),
    total: turned(source.total),
  };
}

/** Customer, number and days of a document, each as both services say it. */
export function compareFacts(document: DocumentViewReply, books: string): readonly ComparedFact[] {
  const { source } = document;
  const day = (on: string | null) => (on === null ? null : setCalendarDay(on));
  const fact = (label: string, psa: string | null, own: string | null, reason: string): ComparedFact => ({
    label,
    psa,
    books: own,
    why: source === null || psa === own || (psa === null && label === comparedWords.number) ? null : reason,
  });
  const isSale = document.form === 'invoice' || document.form === 'credit_memo';
  const party = source === null || source.party === document.party ? 'same' : comparedWords.otherName(books);
  const due =
    document.form === 'credit_memo'
      ? comparedWords.notDue
      : document.terms === null
        ? comparedWords.bySettings
        : comparedWords.byTerms(books);
  return [
    fact(
      isSale || document.form === 'void'
        ? comparedWords.customer
        : document.form === 'payment'
          ? comparedWords.from
          : comparedWords.vendor,
      source?.party ?? null,
      document.party,
      party,
    ),
    fact(
      comparedWords.number,
      source?.number ?? null,
      document.number ?? comparedWords.given(books),
      document.number === null ? comparedWords.numberedBy(books) : comparedWords.numberedBySettings,
    ),
    fact(previewWords.date, day(source?.date ?? null), day(document.date), comparedWords.moved),
    ...(document.terms === null ? [] : [{ label: previewWords.terms, psa: null, books: document.terms, why: null }]),
    ...(document.due === null && (source?.due ?? null) === null
      ? []
      : [
          fact(
            previewWords.due,
            day(source?.due ?? null),
            day(document.due) ?? (document.terms === null ? null : comparedWords.by(document.terms)),
            due,
          ),
        ]),
  ];
}

/**
 * The lines of both services, each beside what became of it: first those of the same amount, the words deciding between
 * several; then, where as many are left on both sides, in their order.
 */
export function compareLines(document: DocumentViewReply, psaName: string): readonly ComparedLine[] {
  if (document.source === null) return document.lines.map((books) => ({ psa: null, books, why: null }));
  const { lines: said } = document.source;
  const { lines } = inBooksSign(document.source, document.form);
  // Lines are compared with the sign of the books and shown as the PSA has them.
  const asSaid = (line: SourceLine) => said[lines.indexOf(line)] ?? line;
  const partner = new Map<BooksLine, SourceLine>();
  const left = new Set(lines);
  const pair = (books: BooksLine, found: SourceLine | undefined) => {
    if (found === undefined) return;
    partner.set(books, found);
    left.delete(found);
  };
  const open = () => document.lines.filter((line) => !partner.has(line));
  const sameAmount = (books: BooksLine) => [...left].filter(({ amount }) => isSame(amount, books.amount));
  for (const books of document.lines)
    pair(
      books,
      sameAmount(books).find(({ description }) => description !== '' && books.description.includes(description)),
    );
  for (const books of open()) pair(books, sameAmount(books)[0]);
  const rest = open();
  if (rest.length === left.size) for (const books of rest) pair(books, [...left][0]);
  return [
    ...document.lines.map((books) => {
      const psa = partner.get(books) ?? null;
      return { psa: psa && asSaid(psa), books, why: whyOfLine(psa, books, psaName) };
    }),
    ...[...left].map((psa) => ({
      psa: asSaid(psa),
      books: null,
      why: comparedWords.noLine,
    })),
  ];
}

function whyOfLine(psa: SourceLine | null, books: BooksLine, psaName: string): string | null {
  if (psa === null) return comparedWords.noPsaLine(psaName);
  if (!isSame(psa.amount, books.amount)) return comparedWords.otherAmount;
  if (books.quantity === null || psa.quantity === null) return null;
  return isSame(psa.quantity, books.quantity) && isSame(psa.unit_price, books.unit_price) ? null : comparedWords.priced;
}

/** Why tax and total differ. */
export function compareAmounts(document: DocumentViewReply, books: string): ComparedAmounts {
  if (document.source === null) return { tax: null, total: null };
  const source = inBooksSign(document.source, document.form);
  const tax = !document.tax_known
    ? comparedWords.decidesTax(books)
    : isSame(source.tax, document.tax)
      ? null
      : comparedWords.byRates(books);
  return { tax, total: isSame(source.total, document.total) ? null : comparedWords.follows };
}
