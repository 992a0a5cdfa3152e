import { describe, expect, test } from 'vitest';
import { commonPasswords } from './common-passwords.ts';
import { unmetPasswordRules } from './passwords.ts';

const email = 'Admin1@northwind-msp.example';
const unmet = (password: string, needsSpecial = false) => unmetPasswordRules(password, { email, needsSpecial });

describe('passwords', () => {
  test.each(['Demo-Passw0rd!', 'Blue7Lantern', `Aa1${'x'.repeat(97)}`, 'Größe7Straße', 'aB3aB3a!'])(
    'accepts %s',
    (password) => {
      expect(unmet(password)).toEqual([]);
    },
  );

  test.each([
    ['Ab1defg', ['Use 8 to 100 characters.']],
    [`Aa1${'x'.repeat(98)}`, ['Use 8 to 100 characters.']],
    ['LanternBlue', ['Use at least one digit.']],
    ['BLUE7LANTERN', ['Use at least one lower-case letter.']],
    ['blue7lantern', ['Use at least one upper-case letter.']],
    ['Password1', ['Do not use a common password.']],
    ['Welcome2025!!', ['Do not use a common password.']],
    ['P@ssw0rd', ['Do not use a common password.']],
    ['admin1@northwind-msp.example', ['Use at least one upper-case letter.', 'Do not use your email address.']],
    ['Admin1@Northwind-MSP.example', ['Do not use your email address.']],
    [
      '',
      [
        'Use 8 to 100 characters.',
        'Use at least one digit.',
        'Use at least one lower-case letter.',
        'Use at least one upper-case letter.',
      ],
    ],
  ])('“%s” breaks exactly these rules: %j', (password, rules) => {
    expect(unmet(password)).toEqual(rules);
  });

  test.each([
    ['AutotaskAbc7', false],
    ['AutotaskAbcd7', true],
    ['Autotask1013', false],
    ['AutotaskAbc1', false],
    ['AutotaskAbcd1', true],
    ['Qu1ckb00ks31', false],
    ['Aut0task-2025!', false],
    ['Quick800ks', true],
    ['T@llyBridge77', false],
  ])('“%s”, which contains a product name, is accepted with at least four other letters: %s', (word, may) => {
    expect(unmet(word).length === 0).toBe(may);
  });

  test('requires a special character only at registration', () => {
    expect(unmet('Blue7Lantern', true)).toEqual(['Use at least one special character.']);
    expect(unmet('Blue7 Lantern', true)).toEqual(['Use at least one special character.']);
    expect(unmet('Blue7-Lantern', true)).toEqual([]);
  });

  test('counts a character outside the basic plane once', () => {
    expect(unmet('Ab1\u{1F600}\u{1F600}\u{1F600}\u{1F600}')).toEqual(['Use 8 to 100 characters.']);
  });

  test('the common passwords are lower case and meet all other rules', () => {
    expect(commonPasswords.size).toBeGreaterThan(200);
    for (const word of commonPasswords) {
      expect(word).toBe(word.toLowerCase());
      expect(word.length).toBeGreaterThanOrEqual(8);
    }
  });
});
