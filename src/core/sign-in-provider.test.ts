import { describe, expect, test } from 'vitest';
import {
  accountOf,
  domainOf,
  issuerFault,
  kindOf,
  type ProviderClaims,
  type ProviderKind,
} from './sign-in-provider.ts';

const directory = '5f0c1f3e-9a57-4d3a-8a5e-0c8d1b2e7f10';
const entra = `https://login.microsoftonline.com/${directory}/v2.0`;
const domains = ['northwind.example'];
const betty = 'Betty@Northwind.example';
const account = (kind: ProviderKind, claims: Partial<ProviderClaims>) =>
  accountOf({ kind, issuer: kind === 'microsoft' ? entra : 'https://id.example', domains }, { sub: 's', ...claims });

describe('an account at Microsoft', () => {
  const claims = { oid: 'O1', tid: directory, email: betty };

  test('is the object of the directory, with its address in the client’s domains', () => {
    expect(account('microsoft', claims)).toEqual({
      isAccepted: true,
      subject: 'o1',
      email: 'betty@northwind.example',
      mayHaveSecondStep: true,
    });
    expect(account('microsoft', { ...claims, email: undefined, preferred_username: betty })).toMatchObject({
      email: 'betty@northwind.example',
    });
  });

  test.each<[string, Partial<ProviderClaims>]>([
    ['of another domain', { email: 'betty@else.example' }],
    ['of a subdomain', { email: 'betty@x.northwind.example' }],
    ['of an unverified domain', { xms_edov: '0' }],
    ['that is not verified', { email_verified: false }],
    ['with two @', { email: 'betty@else.example@northwind.example' }],
  ])('has no address %s', (_what, more) => {
    expect(account('microsoft', { ...claims, ...more })).toMatchObject({ isAccepted: true, email: null });
  });

  test.each<[string, Partial<ProviderClaims>]>([
    ['another directory', { tid: 'else' }],
    ['no directory', { tid: undefined }],
    ['no object', { oid: undefined }],
  ])('is rejected with %s', (_what, more) => {
    expect(account('microsoft', { ...claims, ...more }).isAccepted).toBe(false);
  });
});

test('other providers must verify the address', () => {
  expect(account('other', { email: betty, email_verified: true })).toMatchObject({
    subject: 's',
    email: 'betty@northwind.example',
  });
  for (const verified of [undefined, false, 'false', 0, null])
    expect(account('other', { email: betty, email_verified: verified })).toMatchObject({ email: null });
});

test('an account at Google belongs to the company’s Workspace', () => {
  const claims = { email: betty, email_verified: true };
  expect(account('google', { ...claims, hd: 'northwind.example' })).toMatchObject({ isAccepted: true });
  expect(account('google', claims).isAccepted).toBe(false);
});

test('a reported login without a second step is none', () => {
  const steps = (amr: unknown) => {
    const found = account('other', { amr });
    return found.isAccepted && found.mayHaveSecondStep;
  };
  expect([undefined, [], ['pwd', 'mfa'], ['fido']].map(steps)).toEqual([true, true, true, true]);
  expect([['pwd'], ['pwd', 1]].map(steps)).toEqual([false, false]);
});

test.each<[ProviderKind, string, boolean]>([
  ['microsoft', entra, true],
  ['microsoft', entra.replace('.com', '.us'), true],
  ['microsoft', `${entra}/`, false],
  ['microsoft', 'https://login.microsoftonline.com/common/v2.0', false],
  ['microsoft', 'https://login.microsoftonline.com/organizations/v2.0', false],
  ['microsoft', 'https://login.microsoftonline.com/9188040D-6C67-4C5B-B112-36A304B66DAD/v2.0', false],
  ['microsoft', `https://login.microsoftonline.com.evil.example/${directory}/v2.0`, false],
  ['google', 'https://accounts.google.com', true],
  ['google', 'https://id.example', false],
  ['other', 'https://id.example/realms/one', true],
  ['other', 'https://id.example?x=1', false],
  ['other', entra, false],
  ['other', 'https://accounts.google.com', false],
])('%s: the issuer %s fits: %s', (kind, issuer, isFit) => {
  expect(issuerFault(kind, new URL(issuer), false) === null).toBe(isFit);
});

test('names the kind of an issuer', () => {
  expect([entra, 'https://accounts.google.com', 'https://id.example'].map(kindOf)).toEqual([
    'microsoft',
    'google',
    'other',
  ]);
});

test('reads the domain of an address', () => {
  expect(domainOf(' A@Northwind.Example ')).toBe('northwind.example');
  for (const text of ['', 'a', '@b.example', 'a@b', 'a@b@c.example', 'a@b..example', 'a@b c.example'])
    expect(domainOf(text)).toBeNull();
});
