import { expect, test } from 'vitest';
import type { AccountingTaxes } from '../documents/accounting-report.ts';
import { decimal } from '../values/decimal.ts';
import { type DocumentRow } from './completeness.ts';
import { taxByAgency, taxByRegion } from './tax-tie-outs.ts';
import { documentOf, postingOf, provedOf, sourceOf } from './testing.ts';
import type { TieOut } from './tie-out.ts';

const rates = [
  { id: '9', name: 'Travis County', agencyId: '1', agency: 'Texas Comptroller' },
  { id: '10', name: 'Austin transit', agencyId: '1', agency: 'Texas Comptroller' },
  { id: '11', name: 'King County', agencyId: '2', agency: 'Washington DOR' },
];
const tax = (rateId: string, amount: string) => ({ rateId, amount: decimal(amount) });
const shown = (ties: readonly TieOut[]) =>
  ties.map(({ rows, left, right }) => [...rows.map((row) => [row.label, row.left, row.right]), [left, right]]);

test("sums tax by agency and rate, subtracts credit memos, and compares each agency's summary", () => {
  const documents = [
    documentOf(1, '500', { taxes: [tax('9', '41.25'), tax('10', '5')] }),
    documentOf(2, '100', { type: 'CreditMemo', taxes: [tax('9', '8.25')] }),
    documentOf(3, '100', { taxes: [tax('11', '10.10')], exchangeRate: decimal('2') }),
    documentOf(4, '100'),
  ];
  const summaries: AccountingTaxes['summaries'] = [
    { agencyId: '1', raw: {}, rates: [{ rateId: '9', tax: decimal('30') }] },
  ];
  expect(shown(taxByAgency(documents, { rates, summaries }))).toEqual([
    [
      ['Texas Comptroller · Austin transit', '5', '0'],
      ['Texas Comptroller · Travis County', '33', '30'],
      // Its agency has no summary.
      ['Washington DOR · King County', '20.2', null],
      ['58.2', '30'],
    ],
  ]);
  expect(taxByAgency([documentOf(4, '100')], { rates, summaries: [] })).toEqual([]);
});

test('groups matching Autotask tax by region and lists differing or missing documents separately', () => {
  const taxed = (id: number, inPsa: string, region: string | null) =>
    sourceOf(id, '100', { tax: decimal(inPsa), ...(region === null ? {} : { taxRegion: region }) });
  const sources = [
    taxed(1, '8.25', 'Travis County'),
    taxed(2, '8.25', 'Travis County'),
    taxed(3, '8.25', 'Travis County'),
    taxed(4, '10.10', null),
    taxed(5, '0', 'King County'),
  ];
  const document = (id: number, amount: string) => documentOf(id, '100', { tax: decimal(amount) });
  const documents = [document(1, '8.25'), document(2, '8.25'), document(3, '8.63'), document(5, '0')];
  const { rows } = provedOf({
    sources,
    documents,
    postings: sources.flatMap((source) => {
      const own = documents.find(({ id }) => id === String(source.id));
      return own === undefined ? [] : [postingOf(source, own)];
    }),
  });
  expect(shown(taxByRegion(rows, 'Autotask'))).toEqual([
    [
      ['Travis County: 2 invoices that agree', '16.5', '16.5'],
      ['Travis County · AT-3 · Acme Dental', '8.25', '8.63'],
      ['Without a tax region · AT-4 · Acme Dental', '10.1', null],
      ['34.85', '25.13'],
    ],
  ]);
});

test.each([
  ['an order', { kind: 'purchase_order' }],
  ['a document missing in the PSA', { psa: null }],
  ['a document void in the PSA', { psa: sourceOf(1, '100', { tax: decimal('8.25'), isVoided: true }) }],
  ['a document void in QuickBooks', { accounting: documentOf(1, '100', { tax: decimal('8.25'), isVoided: true }) }],
] as const)('ignores the tax of %s', (_, of) => {
  const psa = sourceOf(1, '100', { tax: decimal('8.25') });
  const accounting = documentOf(1, '100', { tax: decimal('8.25') });
  const row: DocumentRow = {
    kind: 'invoice',
    currency: 'USD',
    psa,
    accounting,
    psaAmount: decimal('100'),
    accountingAmount: decimal('100'),
    difference: decimal('0'),
    findings: [],
    unexplained: decimal('0'),
    changes: [],
  };
  expect(taxByRegion([row], 'Autotask')).toHaveLength(1);
  expect(taxByRegion([{ ...row, ...of }], 'Autotask')).toEqual([]);
});

test('lists the tax of an invoice in another currency once, without the amount in that currency', () => {
  const source = sourceOf(1, '135', { tax: decimal('10.80'), currency: 'CAD', taxRegion: 'Travis County' });
  const document = documentOf(1, '100', { tax: decimal('8') });
  const { rows } = provedOf({
    sources: [source],
    documents: [document],
    postings: [postingOf(source, document)],
  });
  const [tie] = taxByRegion(rows, 'Autotask');
  expect(tie?.rows).toEqual([
    { label: 'Travis County · AT-1 · Acme Dental', left: null, right: '8', note: 'Billed in CAD' },
  ]);
});
