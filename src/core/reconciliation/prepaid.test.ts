import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { invoice } from '#test/cases/sample-world.ts';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import { decimal, sum, type Decimal } from '../values/decimal.ts';
import { movesByContract, prepaidBalances, prepaidMoves, worthOf, type PrepaidMove } from './prepaid.ts';
import { entryOf } from './testing.ts';

const entry = (id: string | null, amount: string) => entryOf(amount, { id, number: id });
const move = (contractId: number, amount: string): PrepaidMove => ({ contractId, amount: decimal(amount) });
const documentsOf = (moves: Record<string, PrepaidMove[]>, rate = '1') =>
  new Map(Object.entries(moves).map(([id, own]) => [id, { moves: own, rate: decimal(rate) }] as const));
const balances = (entries: readonly LedgerEntry[], moves: Record<string, PrepaidMove[]>, rate = '1') => {
  const { byContract, others } = prepaidBalances(entries, documentsOf(moves, rate));
  return [Object.fromEntries(byContract), others.map(({ id, amount }) => [id, amount])];
};

test('divides a matching document among its contracts', () => {
  expect(balances([entry('1', '3000'), entry('1', '-487.5')], { 1: [move(7, '3000'), move(8, '-487.5')] })).toEqual([
    { 7: '3000', 8: '-487.5' },
    [],
  ]);
});

test('ignores usage that was not posted; a credit memo reverses', () => {
  const moves = [move(7, '3000'), move(8, '-487.5')];
  expect(balances([entry('1', '3000')], { 1: moves })).toEqual([{ 7: '3000' }, []]);
  expect(balances([entry('2', '-3000')], { 2: moves })).toEqual([{ 7: '-3000' }, []]);
});

test('divides a foreign document at its exchange rate, to the cent of the ledger', () => {
  // 100.01 × 0.7402 = 74.0274 twice, and QuickBooks rounds their sum: 148.05.
  const moves = [move(7, '100.01'), move(8, '100.01')];
  expect(balances([entry('1', '148.05')], { 1: moves }, '0.7402')).toEqual([{ 7: '74.03', 8: '74.02' }, []]);
  expect(balances([entry('1', '-148.05')], { 1: moves }, '0.7402')).toEqual([{ 7: '-74.03', 8: '-74.02' }, []]);
  expect(balances([entry('1', '148.03')], { 1: moves }, '0.7402')[0]).toEqual({});
  // In the home currency, a difference of a cent is a difference.
  expect(balances([entry('1', '200.03')], { 1: moves })[0]).toEqual({});
});

test('values what is left of a contract at the rates of its newest sales', () => {
  const documents = [
    { moves: [move(7, '1350'), move(8, '500')], rate: decimal('0.7402') },
    { moves: [move(7, '-405')], rate: decimal('0.7402') },
    { moves: [move(7, '1000')], rate: decimal('0.75') },
  ];
  const moves = movesByContract(documents);
  const worth = (left: string, contractId: number, booked: string | null = null) =>
    worthOf(decimal(left), moves.get(contractId) ?? [], booked === null ? null : decimal(booked));
  expect(worth('800', 7)).toBe('600');
  expect(worth('1945', 7)).toBe('1449.49');
  expect(worth('500', 8)).toBe('370.1');
  // A sale that this product did not post.
  expect(worth('600', 8)).toBe('444.12');
  expect(worth('600', 9)).toBe('600');
  // QuickBooks rounds each of the three documents to a cent.
  expect(worth('1945', 7, '1449.5')).toBe('1449.5');
  expect(worth('1945', 7, '1449.52')).toBe('1449.49');
  expect(worth('600', 9, '600.01')).toBe('600');
});

test('assigns a changed document to its only contract, or to none of several', () => {
  expect(balances([entry('1', '2900')], { 1: [move(7, '3000')] })).toEqual([{ 7: '2900' }, []]);
  expect(balances([entry('1', '2900')], { 1: [move(7, '3000'), move(8, '-50')] })).toEqual([{}, [['1', '2900']]]);
  expect(balances([entry(null, '40'), entry('9', '2')], {})).toEqual([
    {},
    [
      [null, '40'],
      ['9', '2'],
    ],
  ]);
});

test('accounts for every cent under a contract or as unassigned', () => {
  const cents = fc.integer({ min: -90_000, max: 90_000 }).map((amount): Decimal => decimal((amount / 100).toFixed(2)));
  const id = fc.constantFrom('1', '2', '3', null);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(id, cents)),
      fc.dictionary(
        fc.constantFrom('1', '2', '3'),
        fc.array(fc.record({ contractId: fc.integer({ min: 1, max: 3 }), amount: cents })),
      ),
      (entries, moves) => {
        const all = entries.map(([of, amount]) => entry(of, amount));
        const { byContract, others } = prepaidBalances(all, documentsOf(moves));
        const parts = [...byContract.values(), ...others.map(({ amount }) => amount)];
        expect(sum(parts)).toBe(sum(all.map(({ amount }) => amount)));
      },
    ),
  );
});

test('counts sales of every kind and their draws as balance changes', () => {
  const units = new Map([[7, 'hours'] as const, [8, 'tickets'] as const]);
  const work = { contractId: 7, quantity: decimal('4'), rate: decimal('165'), amount: decimal(0) };
  const block = { kind: 'block_purchase', contractId: 7, quantity: decimal('10'), amount: decimal('1350') } as const;
  const tickets = { ...block, kind: 'ticket_purchase', contractId: 8, amount: decimal('1900') } as const;
  const invoices = [
    invoice({ id: 1, lines: [work] }),
    invoice({ id: 2, lines: [block, tickets] }),
    invoice({ id: 3, lines: [work] }),
  ];
  const moves = prepaidMoves(invoices, units, []);
  expect([...moves.values()]).toEqual([[move(7, '0')], [move(7, '1350'), move(8, '1900')], [move(7, '-540')]]);
  // The first draw belongs to its contract, although no sale has money left.
  expect(balances([entry('1', '-100')], { 1: [...(moves.get(1) ?? [])] })).toEqual([{ 7: '-100' }, []]);
});
