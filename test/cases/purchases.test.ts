import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Vendor, Item } from '#core/documents/reference-data.ts';
import type { DocumentDecision } from '#core/planning/decision.ts';
import { planExpenseReport } from '#core/planning/plan-expense-report.ts';
import { planPurchaseOrder, type PurchaseOrderFacts } from '#core/planning/plan-purchase-order.ts';
import type { PurchaseForm } from '#core/planning/plan.ts';
import { equals, round2, sum, times } from '#core/values/decimal.ts';
import {
  books,
  expenseMappings,
  expenseReport,
  mapping,
  mappings,
  orderFactsFor,
  psa,
  purchaseOrder,
  reportFactsFor,
} from './sample-world.ts';

/**
 * The worked examples of what is bought (domain reference 9.5 and 10.6), and the telling documents of the sample world.
 * `given.json` names what differs from it; `plan.json` and `transcript.txt` say what a bookkeeper expects.
 */
interface Given {
  readonly about: string;
  readonly order?: Parameters<typeof purchaseOrder>[0];
  readonly report?: Parameters<typeof expenseReport>[0];
  readonly settings?: Partial<PurchaseOrderFacts['settings']>;
  readonly preferences?: Partial<PurchaseOrderFacts['books']['preferences']>;
  readonly modules?: Partial<PurchaseOrderFacts['psa']['modules']>;
  readonly country?: string;
  readonly mappings?: readonly (readonly [Parameters<typeof mapping>[0], string, string])[];
  /** Records of the books put in place of those with the same id. */
  readonly vendors?: readonly (Partial<Vendor> & { readonly id: string })[];
  readonly withoutItems?: readonly string[];
  readonly moreItems?: readonly Item[];
  readonly numberTakenBy?: PurchaseOrderFacts['numberTakenBy'];
}

interface Expected {
  readonly outcome: DocumentDecision<string>['outcome'];
  readonly commands?: unknown;
  /** What is made, in order. */
  readonly makes?: readonly string[];
  readonly total?: string;
  /** One row per line: `amount target`. */
  readonly lines?: readonly string[];
  readonly warnings?: readonly string[];
  readonly problems?: readonly string[];
  readonly treatment?: string;
  readonly mark?: string | null;
  readonly message?: string;
}

const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** What every kind of document that is bought shares. */
const worldOf = (given: Given) => ({
  mappings: [...mappings, ...(given.mappings ?? []).map(([namespace, from, to]) => mapping(namespace, from, to))],
  psa: { ...psa, modules: { ...psa.modules, ...given.modules } },
  books: {
    ...books,
    company: { ...books.company, country: given.country ?? books.company.country },
    preferences: { ...books.preferences, ...given.preferences },
    vendors: books.vendors.map((vendor) => ({ ...vendor, ...given.vendors?.find(({ id }) => id === vendor.id) })),
    items: [...books.items.filter(({ id }) => !(given.withoutItems ?? []).includes(id)), ...(given.moreItems ?? [])],
  },
});

const decide: Readonly<Record<string, (given: Given) => DocumentDecision<string>>> = {
  'purchase-order': (given) => {
    const order = purchaseOrder(given.order ?? {});
    const facts = orderFactsFor(order, { ...worldOf(given), numberTakenBy: given.numberTakenBy ?? null });
    return planPurchaseOrder({ ...facts, settings: { ...facts.settings, ...given.settings } });
  },
  'expense-report': (given) => {
    const world = worldOf(given);
    const withCategories = given.mappings === undefined ? [...world.mappings, ...expenseMappings] : world.mappings;
    const facts = reportFactsFor(expenseReport(given.report ?? {}), { ...world, mappings: withCategories });
    return planExpenseReport({ ...facts, settings: { ...facts.settings, ...given.settings } });
  },
};

const formOf = (decision: DocumentDecision<string>): PurchaseForm | null => {
  const last = decision.outcome === 'plan' ? decision.plan.commands.at(-1) : undefined;
  if (last === undefined) return null;
  return 'order' in last ? last.order : 'bill' in last ? last.bill : null;
};

const said = (problems: readonly { readonly code: string; readonly message: string }[]) =>
  problems.map(({ code, message }) => `${code} ${message}`);

const cases = Object.keys(decide).flatMap((kind) =>
  readdirSync(join(import.meta.dirname, kind)).map((name) => ({ kind, name })),
);

describe.each(cases)('$kind $name', ({ kind, name }) => {
  const folder = join(import.meta.dirname, kind, name);
  const given = parse(join(folder, 'given.json')) as Given;
  const expected = parse(join(folder, 'plan.json')) as Expected;
  const decision = decide[kind]?.(given);
  if (decision === undefined) throw new Error(`Nobody decides a ${kind}`);

  test(given.about, () => {
    expect(decision.outcome === 'refuse' ? said(decision.problems) : []).toEqual(expected.problems ?? []);
    expect(decision.outcome).toBe(expected.outcome);
    if (decision.outcome === 'plan') {
      expect(said(decision.plan.warnings)).toEqual(expected.warnings ?? []);
      if (expected.commands !== undefined) expect(decision.plan.commands).toEqual(expected.commands);
      if (expected.makes !== undefined) expect(decision.plan.commands.map((one) => one.do)).toEqual(expected.makes);
      if (expected.total !== undefined) expect(decision.plan.expected.subtotal).toBe(expected.total);
    } else if (decision.outcome === 'refuse')
      expect(decision).toMatchObject({ treatment: expected.treatment, mark: expected.mark });
    else expect(decision.message).toBe(expected.message);
  });

  if (expected.outcome === 'plan')
    test('every line to the cent', () => {
      const lines = formOf(decision)?.lines ?? [];
      if (expected.lines !== undefined)
        expect(
          lines.map((line) =>
            line.by === 'item'
              ? `${line.quantity} x ${line.unitPrice} = ${line.amount} item ${'id' in line.item ? line.item.id : `of command ${line.item.fromCommand}`}`
              : `${line.amount} account ${line.accountId}`,
          ),
        ).toEqual(expected.lines);
      for (const line of lines)
        if (line.by === 'item') expect(equals(round2(times(line.quantity, line.unitPrice)), line.amount)).toBe(true);
      if (decision.outcome === 'plan')
        expect(sum(lines.map(({ amount }) => amount))).toBe(decision.plan.expected.subtotal);
    });

  if (existsSync(join(folder, 'transcript.txt')))
    test('the transcript tells why', () => {
      const notes = decision.outcome === 'plan' ? decision.plan.notes : decision.notes;
      const text = notes.map(({ level, text: words }) => `${level.toUpperCase().padEnd(5)} ${words}`).join('\n');
      expect(`${text}\n`).toBe(readFileSync(join(folder, 'transcript.txt'), 'utf8'));
    });
});
