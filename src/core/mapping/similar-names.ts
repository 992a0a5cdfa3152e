import { normalized, textOrNull } from '../values/text.ts';
import { oncePer } from '../values/once-per.ts';

/** The fields of a customer or vendor that are compared for similarity. */
export interface NamedParty {
  readonly names: readonly (string | null)[];
  readonly email?: string | null;
  readonly phone?: string | null;
}

const legalForms = new Set(
  'inc incorporated llc llp lp ltd limited corp corporation co company pllc pc plc gmbh ag sa sarl bv pty'.split(' '),
);

/** Letters that Unicode does not split into a letter and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
};
/** The same and other letters as names without them are often written: `Mueller`, `Soerensen`, `Aabenraa`. */
const spelled: Readonly<Record<string, string>> = { ...letters, ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/**
 * Returns the words of a name without case, accents, punctuation and trailing legal form.
 *
 * @param table replacements of single letters
 */
function wordsOf(name: string, table: Readonly<Record<string, string>>): readonly string[] {
  const plain = normalized(name)
    .replaceAll(/\p{L}/gu, (letter) => table[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/&amp;|[&+]/g, ' and ')
    // `L.L.C.` is `llc`, `O'Brien` is `obrien`.
    .replaceAll(/[.'’]/g, '');
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  while (words.length > 1 && legalForms.has(words.at(-1) ?? '')) words.pop();
  return words[0] === 'the' && words.length > 1 ? words.slice(1) : words;
}

/**
 * Returns the forms of a name that are compared for similarity: one is equal for `Blue Ridge Dental, Inc.` and
 * `blue-ridge dental`, and one for `Müller` and `Mueller`.
 */
const similarityKeys = (name: string): readonly string[] => [
  ...new Set([letters, spelled].map((table) => wordsOf(name, table).join(''))),
];

/** Whether two names are equal apart from case, accents, punctuation and legal form. */
export function haveSameName(one: string, other: string): boolean {
  if (normalized(one) === normalized(other)) return true;
  const keys = similarityKeys(other).filter((key) => key !== '');
  return similarityKeys(one).some((key) => keys.includes(key));
}

const digitsOf = (phone: string | null | undefined): string => (phone ?? '').replaceAll(/\D/g, '').slice(-10);

/** Whether two parties have the same email address or the same phone number. */
export function sharesContact(party: NamedParty, other: NamedParty): boolean {
  const email = textOrNull(party.email)?.toLowerCase();
  const phone = digitsOf(party.phone);
  return (
    (email !== undefined && email === textOrNull(other.email)?.toLowerCase()) ||
    (phone.length >= 7 && phone === digitsOf(other.phone))
  );
}

/**
 * Whether two parties are probably the same: their names are equal apart from case, punctuation, spaces and legal form;
 * or they share an email address or phone number and one name is a prefix of the other.
 */
export function isSimilar(party: NamedParty, other: NamedParty): boolean {
  const [own, others] = [keysOf(party), keysOf(other)];
  if (own.some((key) => others.includes(key))) return true;
  const begins = (a: string, b: string) => a.length >= minPrefixLength && b.startsWith(a);
  const mayBeOne = own.some((key) => others.some((two) => begins(key, two) || begins(two, key)));
  return mayBeOne && sharesContact(party, other);
}

/** Returns the comparison keys of a party's names; made once, because every new company is compared with all parties. */
const keysOf = oncePer(({ names }: NamedParty): readonly string[] =>
  names
    .flatMap((name) => textOrNull(name) ?? [])
    .flatMap((name) => similarityKeys(name).flatMap((key) => textOrNull(key) ?? [])),
);

/** Minimum length of a name that counts as a prefix of another one. */
const minPrefixLength = 4;
