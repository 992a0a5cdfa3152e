import { describe, expect, test } from 'vitest';
import { isSimilar } from './similar-names.ts';

const email = 'ap@blueridge.example';

describe('similar names', () => {
  test.each([
    ['Blue Ridge Dental, Inc.', 'Blue Ridge Dental Inc'],
    ['Blue Ridge Dental, Inc.', 'Blue Ridge Dental'],
    ['BLUE-RIDGE DENTAL', 'Blue Ridge  Dental LLC'],
    ['The Blue Ridge Dental L.L.C.', 'Blue Ridge Dental Co.'],
    ['Café Noir', 'Cafe Noir Ltd'],
    ['Smith & Sons', 'Smith and Sons, Inc'],
    ["O'Brien Supply", 'OBrien Supply'],
    ['Ｓｕｍｍｉｔ Group', 'summit group'],
    ['Müller GmbH', 'Mueller'],
    ['Müller', 'Muller'],
    ['MÜLLER', 'mueller gmbh'],
    ['Bäcker Böhm', 'Baecker Boehm'],
    ['Strauß Reisen', 'Strauss Reisen'],
    ['Sørensen ApS', 'Soerensen Aps'],
    ['Sørensen', 'Sorensen'],
    ['Åbenrå Havn', 'Aabenraa Havn'],
    ['Ångström Labs', 'Angstrom Labs'],
    ['Cœur & Sœurs', 'Coeur and Soeurs'],
    ['Æsir Hosting', 'Aesir Hosting'],
    ['Łódź Logistics', 'Lodz Logistics'],
    ['Señor Frío', 'Senor Frio'],
    ['Smith + Sons', 'Smith &amp; Sons'],
  ])('%s and %s are similar', (a, b) => {
    expect(isSimilar({ names: [a] }, { names: [b] })).toBe(true);
    expect(isSimilar({ names: [b] }, { names: [null, a] })).toBe(true);
  });

  test.each([
    ['Blue Ridge Dental', 'Blue Ridge Dental Group'],
    ['Summit Group', 'Summit Partners'],
    ['Summit Group (Austin)', 'Summit Group (Houston)'],
    ['Acme 1', 'Acme 2'],
    ['Müller', 'Miller'],
    ['Blue Bus', 'Bleu Bus'],
    ['株式会社', 'Inc'],
  ])('%s and %s are not similar', (a, b) => {
    expect(isSimilar({ names: [a] }, { names: [b] })).toBe(false);
  });

  test('a shared email address or phone number makes a longer name similar', () => {
    const [short, long] = [['Blue Ridge Dental'], ['Blue Ridge Dental Group']];
    expect(isSimilar({ names: short, email }, { names: long, email: email.toUpperCase() })).toBe(true);
    expect(isSimilar({ names: short, phone: '(512) 555-0142' }, { names: long, phone: '+1 512 555 0142' })).toBe(true);
    expect(isSimilar({ names: short, email }, { names: long, email: 'other@blueridge.example' })).toBe(false);
    expect(isSimilar({ names: short, phone: '' }, { names: long, phone: '' })).toBe(false);
    expect(isSimilar({ names: ['Carolina Vet'], email }, { names: ['Blue Ridge Dental'], email })).toBe(false);
  });

  test('names without letters or digits are never similar', () => {
    expect(isSimilar({ names: ['---'] }, { names: ['***'] })).toBe(false);
  });
});
