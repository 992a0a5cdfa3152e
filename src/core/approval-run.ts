import type { Kind } from './kinds.ts';
import { addEffects, type LedgerEffect } from './planning/ledger-effect.ts';
import type { NewRecord } from './planning/plan-view.ts';
import type { Draft, PostedSum } from './records/drafts.ts';
import type { Problem } from './problems.ts';
import { absolute, compare, sum, zero, type Decimal } from './values/decimal.ts';

/**
 * Totals of the drafts that wait for approval, as one page shows them. Credit memos and other currencies have separate
 * totals.
 */
export interface RunSummary {
  readonly count: number;
  readonly sums: readonly CurrencySum[];
  /** Customers, vendors and employees, largest amount first. */
  readonly parties: readonly PartySum[];
  /** Debits and credits by currency. */
  readonly effects: readonly (LedgerEffect & { readonly currency: string })[];
  readonly newRecords: readonly (NewRecord & { readonly documents: number })[];
  /** Warnings by code, each with its drafts. */
  readonly warnings: readonly WarningGroup[];
}

export interface CurrencySum {
  readonly kind: Kind;
  readonly currency: string;
  readonly count: number;
  readonly amount: Decimal;
}

/** One customer, vendor or employee. */
export interface PartySum extends CurrencySum {
  readonly party: string;
  /** Number and amount of the documents posted for the party in the previous month. */
  readonly lastMonth: { readonly count: number; readonly amount: Decimal };
}

export interface WarningGroup {
  readonly code: string;
  /** Message of the first warning. */
  readonly message: string;
  readonly draftIds: readonly string[];
}

export type Summed = Pick<Draft, 'id' | 'kind' | 'about' | 'homeCurrency' | 'effect' | 'view' | 'warnings'>;

/** Totals the drafts that wait for approval. */
export function summarize(drafts: readonly Summed[], lastMonth: readonly PostedSum[]): RunSummary {
  const currencyOf = ({ about, homeCurrency }: Summed): string => about.currency ?? homeCurrency;
  const groups = (key: (draft: Summed) => unknown) =>
    [...Map.groupBy(drafts, (draft) => JSON.stringify(key(draft))).values()].flatMap((group) =>
      group[0] === undefined ? [] : [{ first: group[0], group }],
    );
  const summed = (group: readonly Summed[]): Decimal => sum(group.map(({ about }) => about.amount ?? zero));
  return {
    count: drafts.length,
    sums: groups((one) => [one.kind, currencyOf(one)]).map(({ first, group }) => ({
      kind: first.kind,
      currency: currencyOf(first),
      count: group.length,
      amount: summed(group),
    })),
    parties: groups((one) => [one.kind, one.about.party, currencyOf(one)])
      .map(({ first, group }): PartySum => {
        const before = lastMonth.filter(
          (one) =>
            one.kind === first.kind &&
            one.party === first.about.party &&
            (one.currency ?? first.homeCurrency) === currencyOf(first),
        );
        return {
          kind: first.kind,
          party: first.about.party ?? '',
          currency: currencyOf(first),
          count: group.length,
          amount: summed(group),
          lastMonth: {
            count: before.reduce((count, one) => count + one.count, 0),
            amount: sum(before.map(({ amount }) => amount)),
          },
        };
      })
      .toSorted((a, b) => compare(absolute(b.amount), absolute(a.amount)) || a.party.localeCompare(b.party, 'en')),
    effects: groups(currencyOf).map(({ first, group }) => ({
      currency: currencyOf(first),
      ...addEffects(group.map(({ effect }) => effect)),
    })),
    newRecords: [
      ...Map.groupBy(
        drafts.flatMap(({ view }) => view.newRecords),
        (one) => JSON.stringify([one.list, one.name, one.account]),
      ).values(),
    ].flatMap((same) => (same[0] === undefined ? [] : [{ ...same[0], documents: same.length }])),
    warnings: warningsOf(drafts),
  };
}

function warningsOf(drafts: readonly Summed[]): readonly WarningGroup[] {
  const listed = drafts.flatMap(({ id, warnings }) => warnings.map((warning) => ({ id, warning })));
  return [...Map.groupBy(listed, ({ warning }): Problem['code'] => warning.code)]
    .map(([code, same]) => ({
      code,
      message: same[0]?.warning.message ?? '',
      draftIds: [...new Set(same.map(({ id }) => id))],
    }))
    .toSorted((a, b) => b.draftIds.length - a.draftIds.length || a.code.localeCompare(b.code, 'en'));
}
