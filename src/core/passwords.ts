import { commonPasswords } from './common-passwords.ts';

/** Fewest and most characters of a password (contract, section 2). */
export const passwordLength = { min: 8, max: 100 } as const;

export interface PasswordCircumstances {
  /** Email address of the user; the password must not be it. */
  readonly email: string;
  /** Registration asks for a special character too; a reset does not. */
  readonly needsSpecial?: boolean;
}

/** One rule of a password, in words for whoever chooses it. */
export interface PasswordRule {
  readonly sentence: string;
  readonly isMet: boolean;
}

/**
 * Judges a password rule by rule (contract, section 2); screens show it while somebody types.
 *
 * @param circumstances an empty email address is one that is not known: there is no rule about it then.
 */
export function passwordRules(
  password: string,
  { email, needsSpecial }: PasswordCircumstances,
): readonly PasswordRule[] {
  const length = Array.from(password).length;
  const rules: readonly (readonly [isMet: boolean, sentence: string, applies?: boolean])[] = [
    [
      length >= passwordLength.min && length <= passwordLength.max,
      `Use ${passwordLength.min} to ${passwordLength.max} characters.`,
    ],
    [/\p{Nd}/u.test(password), 'Use at least one digit.'],
    [/\p{Ll}/u.test(password), 'Use at least one lower-case letter.'],
    [/\p{Lu}/u.test(password), 'Use at least one upper-case letter.'],
    [/[^\p{L}\p{N}\s]/u.test(password), 'Use at least one special character.', needsSpecial === true],
    [!isCommon(password) && !isNamed(password), 'Do not use a common password.'],
    [password.trim().toLowerCase() !== email.trim().toLowerCase(), 'Do not use your email address.', email !== ''],
  ];
  return rules.filter(([, , applies]) => applies !== false).map(([isMet, sentence]) => ({ sentence, isMet }));
}

/**
 * Judges a password as a whole; the server refuses one that misses a rule.
 *
 * @returns one sentence per rule that is not met; empty when the password may be used.
 */
export const unmetPasswordRules = (password: string, circumstances: PasswordCircumstances): readonly string[] =>
  passwordRules(password, circumstances)
    .filter(({ isMet }) => !isMet)
    .map(({ sentence }) => sentence);

/** Names that people here make passwords of: the product and what it connects. */
const ownNames = ['tallybridge', 'autotask', 'quickbooks'];

/** Letters that digits and signs stand for; `1` stands for `l` as well as for `i`, which count as one. */
const letterOf: Readonly<Record<string, string>> = { 0: 'o', 1: 'l', 3: 'e', '@': 'a', $: 's', i: 'l' };
const read = (text: string): string => text.replace(/[013@$i]/g, (sign) => letterOf[sign] ?? sign);

/**
 * True when a password is one of our names and fewer than four letters besides: digits and signs around it are what
 * everybody adds.
 */
function isNamed(password: string): boolean {
  const signs = password
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}013@$]/gu, '');
  return ownNames.some((name) => {
    const at = read(signs).indexOf(read(name));
    const others = signs.slice(0, at) + signs.slice(at + name.length);
    return at >= 0 && others.replace(/\P{L}/gu, '').length < 4;
  });
}

/** True when a password is on the list, also in other case or with signs behind it: `Password1!` is `password1`. */
function isCommon(password: string): boolean {
  const lower = password.trim().toLowerCase();
  return commonPasswords.has(lower) || commonPasswords.has(lower.replace(/[^\p{L}\p{N}]+$/u, ''));
}
