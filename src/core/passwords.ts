import { commonPasswords } from './common-passwords.ts';

/** Minimum and maximum length of a password (contract, section 2). */
export const passwordLength = { min: 8, max: 100 } as const;

export interface PasswordCircumstances {
  /** Email address of the user; the password must differ from it. */
  readonly email: string;
  /** Registration also requires a special character; a reset does not. */
  readonly needsSpecial?: boolean;
}

/** One rule of a password, as text for the user who chooses it. */
export interface PasswordRule {
  readonly sentence: string;
  readonly isMet: boolean;
}

/**
 * Checks a password rule by rule (contract, section 2); screens show the rules while the user types.
 *
 * @param circumstances an empty email address means unknown: its rule is left out.
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
 * Checks a password as a whole; the server rejects one that fails a rule.
 *
 * @returns one sentence for each rule that is not met; empty when the password is valid.
 */
export const unmetPasswordRules = (password: string, circumstances: PasswordCircumstances): readonly string[] =>
  passwordRules(password, circumstances)
    .filter(({ isMet }) => !isMet)
    .map(({ sentence }) => sentence);

/** Names that users are likely to build passwords from: the product and the services that it connects. */
const ownNames = ['tallybridge', 'autotask', 'quickbooks'];

/** Letters that digits and symbols replace; `1` replaces both `l` and `i`, so these two count as one letter. */
const letterOf: Readonly<Record<string, string>> = { 0: 'o', 1: 'l', 3: 'e', '@': 'a', $: 's', i: 'l' };
const read = (text: string): string => text.replace(/[013@$i]/g, (sign) => letterOf[sign] ?? sign);

/**
 * Whether a password is one of our names with fewer than four other letters. Digits and symbols around the name are the
 * usual additions.
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

/** Whether a password is on the list, ignoring case and trailing symbols: `Password1!` counts as `password1`. */
function isCommon(password: string): boolean {
  const lower = password.trim().toLowerCase();
  return commonPasswords.has(lower) || commonPasswords.has(/^.*[\p{L}\p{N}]/su.exec(lower)?.[0] ?? '');
}
