import type { InvoiceLine } from '../documents/invoice.ts';
import type { AccountingPreferences } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { Source } from '../problems/entry.ts';
import { note, type Note } from '../transcript.ts';
import type { AccountingIndex, MappingIndex, PsaIndex } from './reference-index.ts';

/** Classes of a document and of its lines, in the order of the given lines. */
export interface ClassChoice {
  readonly perLine: readonly (string | null)[];
  readonly ofDocument: string | null;
  readonly warnings: readonly Problem[];
  readonly notes: readonly Note[];
}

/**
 * Returns the class that the line's line of business is mapped to; null if it has none or the class no longer exists.
 */
export function mappedClass(
  line: Pick<InvoiceLine, 'lineOfBusinessId'>,
  books: AccountingIndex,
  mappings: MappingIndex,
): string | null {
  if (line.lineOfBusinessId === null) return null;
  const target = mappings.LineOfBusiness?.get(String(line.lineOfBusinessId))?.targetValue;
  return target !== undefined && books.activeClassIds.has(target) ? target : null;
}

export const hasClassMappings = (mappings: MappingIndex): boolean => (mappings.LineOfBusiness?.size ?? 0) > 0;

/** Returns the names of the lines of business on these lines, each once, as a list for a sentence. */
export const businessNames = (lines: readonly InvoiceLine[], psa: PsaIndex): string =>
  [...new Set(lines.map((line) => businessName(line.lineOfBusinessId, psa)))].join(', ');

/** Returns the lines of business on these lines, each once, as mapping sources. */
export const businessSources = (lines: readonly InvoiceLine[], psa: PsaIndex): readonly Source[] =>
  [...new Set(lines.flatMap(({ lineOfBusinessId }) => lineOfBusinessId ?? []))].map((id) => ({
    id,
    name: psa.linesOfBusiness.get(id) ?? String(id),
  }));

const unmappedClasses = (lines: readonly InvoiceLine[], psa: PsaIndex): Problem =>
  problem('CLASS_NOT_MAPPED', { list: businessNames(lines, psa), linesOfBusiness: businessSources(lines, psa) });

const businessName = (id: number | null, psa: PsaIndex): string =>
  id === null ? 'no line of business' : `“${psa.linesOfBusiness.get(id) ?? id}”`;

/**
 * Assigns the mapped classes to lines (domain reference 5.9). A line without a class is still sent, so no revenue is
 * dropped silently.
 */
export function chooseClasses(
  lines: readonly InvoiceLine[],
  preferences: Pick<AccountingPreferences, 'classPerLine' | 'classPerTransaction'>,
  psa: PsaIndex,
  books: AccountingIndex,
  mappings: MappingIndex,
): ClassChoice {
  const none = lines.map(() => null);
  if (!hasClassMappings(mappings)) return { perLine: none, ofDocument: null, warnings: [], notes: [] };
  if (!preferences.classPerLine && !preferences.classPerTransaction) {
    const notes = [note('info', 'Classes: not tracked in QuickBooks, none set')];
    return { perLine: none, ofDocument: null, warnings: [], notes };
  }
  const perLine = lines.map((line) => mappedClass(line, books, mappings));
  const unmapped = lines.filter((line, index) => line.lineOfBusinessId !== null && perLine[index] === null);
  const warnings = unmapped.length === 0 ? [] : [unmappedClasses(unmapped, psa)];
  if (preferences.classPerLine) return { perLine, ofDocument: null, warnings, notes: [] };
  const [first, ...others] = new Set(perLine.filter((id) => id !== null));
  if (others.length > 0) warnings.push(problem('CLASSES_DIFFER'));
  return { perLine: none, ofDocument: others.length === 0 ? (first ?? null) : null, warnings, notes: [] };
}

/**
 * Returns the class of a document that repeats lines of posted documents, and a function that returns the class of a
 * line: QuickBooks rejects a class where it does not track classes.
 *
 * @param lines lines of posted documents; where one class is tracked per document, each has that class
 */
export function repeatedClasses(
  lines: readonly { readonly classId: string | null }[],
  { classPerLine, classPerTransaction }: Pick<AccountingPreferences, 'classPerLine' | 'classPerTransaction'>,
): {
  readonly ofDocument: string | null;
  readonly ofLine: (line: { readonly classId: string | null }) => string | null;
} {
  if (classPerLine) return { ofDocument: null, ofLine: ({ classId }) => classId };
  const [first, ...others] = new Set(lines.map(({ classId }) => classId));
  return { ofDocument: classPerTransaction && others.length === 0 ? (first ?? null) : null, ofLine: () => null };
}
