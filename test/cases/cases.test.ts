import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Posted } from '#core/attempt.ts';
import type { Invoice } from '#core/documents/invoice.ts';
import type { Customer, Item } from '#core/documents/reference-data.ts';
import { planInvoice, type InvoiceDecision, type InvoiceFacts } from '#core/planning/plan-invoice.ts';
import type { SalesDocument } from '#core/planning/plan.ts';
import { verify } from '#core/planning/verify.ts';
import { books, factsFor, invoice, mappings, psa, settings } from './sample-world.ts';

/**
 * The worked examples of the domain reference and the telling invoices of its sample world. `given.json` names what
 * differs from the sample world; `plan.json` and `transcript.txt` say what a bookkeeper expects.
 */
const root = join(import.meta.dirname, 'invoice');

interface Given {
  readonly about: string;
  readonly invoice: Parameters<typeof invoice>[0];
  /** The lines given, so many times over. */
  readonly repeatLines?: number;
  readonly settings?: Partial<InvoiceFacts['settings']>;
  readonly preferences?: Partial<InvoiceFacts['books']['preferences']>;
  readonly modules?: Partial<InvoiceFacts['psa']['modules']>;
  /** Records of the books put in place of those with the same id. */
  readonly customers?: readonly (Partial<Customer> & { readonly id: string })[];
  readonly withoutItems?: readonly string[];
  readonly withoutMappings?: readonly string[];
  readonly moreItems?: readonly Item[];
  readonly numberTakenBy?: InvoiceFacts['numberTakenBy'];
  readonly mode?: InvoiceFacts['mode'];
  readonly generation?: number;
  /** Tax codes of the books, where they are not the sample world's. */
  readonly taxCodes?: InvoiceFacts['books']['taxCodes'];
  /** Where the tenant lives, when not in the US: the books' country, and both sides' own currency. */
  readonly abroad?: { readonly country: string; readonly currency: string };
  /** What the books answer, where the case is about checking it. */
  readonly posted?: Posted;
}

interface Expected {
  readonly outcome: InvoiceDecision['outcome'];
  readonly commands?: unknown;
  /** Amounts as the reference prints them: one row per line `quantity x price = amount code`. */
  readonly figures?: { readonly lines?: readonly string[]; readonly subtotal: string; readonly lineCount?: number };
  readonly expected?: unknown;
  readonly warnings?: readonly string[];
  readonly problems?: readonly string[];
  readonly treatment?: string;
  readonly mark?: string | null;
  readonly message?: string;
  readonly verified?: readonly string[];
}

const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

function factsOf(given: Given): InvoiceFacts {
  const one = invoice(given.invoice);
  const lines = Array.from({ length: given.repeatLines ?? 1 }).flatMap(() => one.lines);
  const whole: Invoice = { ...one, lines: lines.map((line, index) => ({ ...line, id: index + 1 })) };
  return factsFor(whole, {
    settings: { ...settings, ...given.settings },
    mappings: mappings.filter(({ namespace }) => !(given.withoutMappings ?? []).includes(namespace)),
    psa: {
      ...psa,
      modules: { ...psa.modules, ...given.modules },
      currencies: psa.currencies.map((one) =>
        one.isInternal && given.abroad !== undefined ? { ...one, code: given.abroad.currency } : one,
      ),
    },
    books: {
      ...books,
      company: { ...books.company, country: given.abroad?.country ?? books.company.country },
      taxCodes: given.taxCodes ?? books.taxCodes,
      preferences: {
        ...books.preferences,
        homeCurrency: given.abroad?.currency ?? books.preferences.homeCurrency,
        ...given.preferences,
      },
      customers: books.customers.map((customer) => ({
        ...customer,
        ...given.customers?.find(({ id }) => id === customer.id),
      })),
      items: [...books.items.filter(({ id }) => !(given.withoutItems ?? []).includes(id)), ...(given.moreItems ?? [])],
    },
    numberTakenBy: given.numberTakenBy ?? null,
    mode: given.mode ?? 'live',
    generation: given.generation ?? 1,
  });
}

const documentOf = (decision: InvoiceDecision): SalesDocument | null => {
  const last = decision.outcome === 'plan' ? decision.plan.commands.at(-1) : undefined;
  return last !== undefined && 'document' in last ? last.document : null;
};

const said = (problems: readonly { readonly code: string; readonly message: string }[]) =>
  problems.map(({ code, message }) => `${code} ${message}`);

describe.each(readdirSync(root))('%s', (name) => {
  const given = parse(join(root, name, 'given.json')) as Given;
  const expected = parse(join(root, name, 'plan.json')) as Expected;
  const decision = planInvoice(factsOf(given));

  test(given.about, () => {
    expect(decision.outcome).toBe(expected.outcome);
    if (decision.outcome === 'plan') {
      const { plan } = decision;
      expect(said(plan.warnings)).toEqual(expected.warnings ?? []);
      if (expected.commands !== undefined) expect(plan.commands).toEqual(expected.commands);
      if (expected.expected !== undefined) expect(plan.expected).toEqual(expected.expected);
      expect(plan.expected.subtotal).toBe(expected.figures?.subtotal);
    } else if (decision.outcome === 'refuse') {
      expect(said(decision.problems)).toEqual(expected.problems);
      expect(decision).toMatchObject({ treatment: expected.treatment, mark: expected.mark });
    } else expect(decision.message).toBe(expected.message);
  });

  if (expected.figures !== undefined)
    test(`${name}: every line to the cent`, () => {
      const lines = documentOf(decision)?.lines ?? [];
      if (expected.figures?.lineCount !== undefined) expect(lines).toHaveLength(expected.figures.lineCount);
      if (expected.figures?.lines !== undefined)
        expect(
          lines.map((one) => `${one.quantity} x ${one.unitPrice} = ${one.amount} ${one.taxCode ?? ''}`.trim()),
        ).toEqual(expected.figures.lines);
    });

  if (existsSync(join(root, name, 'transcript.txt')))
    test(`${name}: the transcript tells why`, () => {
      const notes = decision.outcome === 'plan' ? decision.plan.notes : decision.notes;
      const text = notes.map(({ level, text }) => `${level.toUpperCase().padEnd(5)} ${text}`).join('\n');
      expect(`${text}\n`).toBe(readFileSync(join(root, name, 'transcript.txt'), 'utf8'));
    });

  if (given.posted !== undefined)
    test(`${name}: the answer of the books is checked`, () => {
      if (decision.outcome !== 'plan' || given.posted === undefined) throw new Error('Nothing was planned');
      expect(said(verify(decision.plan, given.posted, 'Autotask').warnings)).toEqual(expected.verified);
    });
});
