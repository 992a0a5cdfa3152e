import { inflateRawSync } from 'node:zlib';
import { HyperFormula, type RawCellContent } from 'hyperformula';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { totalsOf, type Proof } from '#core/reconciliation/close.ts';
import { withoutFormulaMarks } from '#core/values/csv.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { noNames } from '#core/reconciliation/record-names.ts';
import { documentOf, lineOf, postingOf, sourceOf } from '#core/reconciliation/testing.ts';
import { closeOf, proofOf } from '#test/support/closes.ts';
import { bundleOf } from './bundle.ts';
import { summaryPdf } from './summary.ts';
import { workbookOf, type FileFacts } from './workbook.ts';

/** Returns a month with every kind of row: matching, rounded, different tax, missing, in two currencies. */
function busyProof(): Proof {
  const sources = [
    sourceOf(1, '699'),
    sourceOf(2, '1224.40', { tax: decimal('41.25') }),
    sourceOf(3, '205.75', { ifMissing: 'missing_error', party: { id: 176, name: 'Birch "Legal", LLP' } }),
    sourceOf(4, '10.01', { linesNet: decimal('10'), linesAddUp: true }),
    sourceOf(5, '1620', { currency: 'CAD' }),
  ];
  const documents = [
    documentOf(1, '699'),
    documentOf(2, '1183.15', { total: decimal('1226.28'), tax: decimal('43.13') }),
    documentOf(4, '10'),
    documentOf(5, '1620', { currency: 'CAD', exchangeRate: decimal('0.7402') }),
    documentOf(6, '70', { type: 'SalesReceipt' }),
  ];
  const postings = [1, 2, 4, 5].flatMap((id) => {
    const source = sources.find((one) => one.id === id);
    const document = documents.find((one) => one.id === String(id));
    return source === undefined || document === undefined ? [] : [postingOf(source, document)];
  });
  return {
    ...proofOf({ sources, documents, postings }),
    tieOuts: [
      {
        name: 'receivables_movement',
        label: 'Accounts receivable, movement',
        leftLabel: 'Opening balance and documents of the month',
        rightLabel: 'Trial balance',
        left: decimal('1935.29'),
        right: decimal('1900'),
        difference: decimal('35.29'),
        mustBeZero: true,
        rows: [
          { label: 'Balance before the month', left: decimal('0.01'), right: null },
          { label: 'Invoices', left: decimal('1935.28'), right: null },
        ],
      },
    ],
  };
}

function factsOf(proof: Proof): FileFacts & { readonly state: 'ready' } {
  const close = {
    ...closeOf(proof),
    id: '7f0c6a50-0000-4000-8000-000000000001',
    preparedAt: instant('2026-03-01T15:00:00Z'),
    undecided: 0,
  };
  return { close, signatures: [], decisions: new Map(), changes: [], timeZone: 'America/Chicago', state: 'ready' };
}

/** Returns the entries of a ZIP by name (APPNOTE 4.3), from its central directory. */
function unzip(file: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left -= 1) {
    const method = file.readUInt16LE(at + 10);
    const size = file.readUInt32LE(at + 20);
    const [name, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = file.readUInt32LE(at + 42);
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const content = file.subarray(start, start + size);
    entries.set(file.toString('utf8', at + 46, at + 46 + name), method === 0 ? content : inflateRawSync(content));
    at += 46 + name + extra + comment;
  }
  return entries;
}

const plain = (xml: string): string =>
  xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');

/** Returns the sheets of a workbook as another program reads them: numbers, texts and formulas. */
function sheetsOf(file: Buffer): Record<string, RawCellContent[][]> {
  const entries = unzip(file);
  const text = (name: string) => entries.get(name)?.toString('utf8') ?? '';
  const strings = [...text('xl/sharedStrings.xml').matchAll(/<si>(.*?)<\/si>/gs)].map(([, inner = '']) =>
    plain([...inner.matchAll(/<t[^>]*>(.*?)<\/t>/gs)].map(([, part = '']) => part).join('')),
  );
  const names = [...text('xl/workbook.xml').matchAll(/<sheet [^>]*name="([^"]*)"/g)].map(([, name = '']) =>
    plain(name),
  );
  return Object.fromEntries(
    names.map((name, index) => {
      const rows: RawCellContent[][] = [];
      for (const [, row = '', cells = ''] of text(`xl/worksheets/sheet${index + 1}.xml`).matchAll(
        /<row r="(\d+)"[^>]*>(.*?)<\/row>/gs,
      )) {
        const values: RawCellContent[] = [];
        for (const [, column = '', rest = '', inner = ''] of cells.matchAll(
          /<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs,
        )) {
          const formula = /<f>(.*?)<\/f>/s.exec(inner)?.[1];
          const value = /<v>(.*?)<\/v>/s.exec(inner)?.[1];
          const place = column.split('').reduce((all, letter) => all * 26 + letter.charCodeAt(0) - 64, 0) - 1;
          values[place] =
            formula !== undefined
              ? `=${plain(formula)}`
              : value === undefined
                ? null
                : rest.includes('t="s"')
                  ? (strings[Number(value)] ?? null)
                  : Number(value);
        }
        rows[Number(row) - 1] = Array.from(values, (one) => one ?? null);
      }
      return [name, Array.from(rows, (row) => row ?? [])];
    }),
  );
}

describe('the workbook of a proof', () => {
  test('computes the same totals with its formulas in another program', async () => {
    const proof = busyProof();
    const sheets = sheetsOf(await workbookOf(factsOf(proof)));
    expect(Object.keys(sheets)).toEqual([
      'A Completeness',
      'B Tie-outs',
      'C Exceptions',
      'D Changes',
      'E Sign-off',
      'Rows',
      'Findings',
    ]);
    const engine = HyperFormula.buildFromSheets(sheets, { licenseKey: 'gpl-v3' });
    const sheet = engine.getSheetId('A Completeness') ?? -1;
    const values = engine.getSheetValues(sheet);
    for (const total of totalsOf(proof)) {
      const from = values.findIndex(([label]) => label === `Invoices and credit memos, ${total.currency}`);
      const own = values.slice(from);
      const at = (label: string) => own.find(([first]) => first === label) ?? [];
      const accounting = at('Dated in the month, QuickBooks');
      expect([total.currency, accounting.slice(2, 5)]).toEqual([
        total.currency,
        [total.psaTotal, total.accountingTotal, total.difference].map(Number),
      ]);
      expect(at('Explained')[4]).toBe(Number(total.explained));
      expect(at('Unexplained')[4]).toBe(Number(total.unexplained));
    }
    const ties = engine.getSheetValues(engine.getSheetId('B Tie-outs') ?? -1);
    expect(ties[1]?.slice(1, 4)).toEqual([1935.29, 1900, 35.29]);
    const formulas = Object.values(sheets)
      .flat(2)
      .filter((cell) => typeof cell === 'string' && cell.startsWith('='));
    expect(formulas.length).toBeGreaterThan(20);
    engine.destroy();
  });

  test('recalculates when a user changes an amount', async () => {
    const sheets = sheetsOf(await workbookOf(factsOf(busyProof())));
    const engine = HyperFormula.buildFromSheets(sheets, { licenseKey: 'gpl-v3' });
    const rows = engine.getSheetId('Rows') ?? -1;
    const sheet = engine.getSheetId('A Completeness') ?? -1;
    const unexplained = () =>
      engine
        .getSheetValues(sheet)
        .filter(([label]) => label === 'Unexplained')
        .map((row) => row[4]);
    expect(unexplained()).toEqual([0, 0]);
    const [first] = engine.getSheetValues(rows).flatMap((row, index) => (row[5] === 'USD' ? [index] : []));
    engine.setCellContents({ sheet: rows, row: first ?? 1, col: 12 }, 1_000_000);
    expect(unexplained()).toContain(999_301);
    engine.destroy();
  });
});

describe('the archive of a proof', () => {
  const contentOf = async (proof: Proof, names = noNames): Promise<Map<string, Buffer>> => {
    const facts = factsOf(proof);
    const close = { ...facts.close, setup: { ...facts.close.setup, names } };
    const { content } = await bundleOf({ ...facts, close });
    return unzip(Buffer.concat(await content.toArray()));
  };

  test('contains every part with its hash', async () => {
    const entries = await contentOf(busyProof());
    const manifest = JSON.parse(entries.get('manifest.json')?.toString() ?? '') as {
      files: { name: string; bytes: number; sha256: string }[];
    };
    expect([...entries.keys()]).toEqual([...manifest.files.map(({ name }) => name), 'manifest.json']);
    const { createHash } = await import('node:crypto');
    for (const { name, sha256 } of manifest.files)
      expect([
        name,
        createHash('sha256')
          .update(entries.get(name) ?? '')
          .digest('hex'),
      ]).toEqual([name, sha256]);
    expect(manifest.files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['summary.pdf', 'proof.xlsx', 'rows.csv', 'lines.csv', 'quickbooks/trial_balance.json']),
    );
  });

  test('lists every document once in rows.csv, quoted for spreadsheets', async () => {
    const rows = (await contentOf(busyProof())).get('rows.csv')?.toString().split('\r\n') ?? [];
    expect(rows[0]).toMatch(/^\uFEFF"kind","psa_id","psa_number",/);
    expect(rows).toHaveLength(1 + busyProof().rows.length + 1);
    expect(rows.join('\n')).toContain('"Birch ""Legal"", LLP"');
  });

  test('shows posted and current lines side by side in lines.csv', async () => {
    const edited = documentOf(1, '699', { lines: [lineOf('500'), lineOf('199', { itemId: '27' })] });
    const proof = proofOf({
      sources: [sourceOf(1, '699', { paidOn: calendarDate('2026-02-20') }), sourceOf(2, '80')],
      documents: [edited],
      // The second was deleted in QuickBooks.
      postings: [
        postingOf(sourceOf(1, '699'), documentOf(1, '699')),
        postingOf(sourceOf(2, '80'), documentOf(2, '80')),
      ],
    });
    const names = { ...noNames, item: { '27': 'Setup' } };
    const entries = await contentOf(proof, names);
    const [, ...lines] = entries.get('lines.csv')?.toString().split('\r\n') ?? [];
    // An item without a known name shows its ID.
    expect(lines.map((line) => line.split(',').slice(1, 20).join(','))).toEqual([
      '1,"Invoice",1,1,"Remote support",11,,,"NON",1,699,699,11,,,"NON",1,500,500',
      '1,"Invoice",1,2,"Remote support",,,,,,,,"Setup",,,"NON",1,199,199',
      '2,,,1,,11,,,"NON",1,80,80,,,,,,,',
      '',
    ]);
    expect(entries.get('rows.csv')?.toString()).toContain(',"2026-02-20",');
  });

  test('has a one-page summary for any number of differences', async () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      sourceOf(index, '10', { datedOn: calendarDate('2026-02-02') }),
    );
    const pdf = await summaryPdf(factsOf(proofOf({ sources: many })));
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1);
  });
});

/** Extreme names from users and imports. */
const extremeNames = [
  'x'.repeat(500),
  'شركة الاختبار للتقنية "المحدودة"',
  '👩‍👩‍👧‍👦 O\'Neill & "Sons": a/b\\c; ltd.',
  '<b>bold</b> &amp; <img src=x onerror=alert(1)> ]]>',
  'one\r\ntwo\nthree',
  'a sign\u0001 of no letter, half a picture \uD83D, no name at all \uFFFF',
  ...['=', '+', '-', '@', '\t=', '\r=', 'Acme;='].map((sign) => `${sign}HYPERLINK("http://evil.example","click")`),
];

describe('extreme names', () => {
  const sources = extremeNames.map((name, index) =>
    sourceOf(index + 1, '10', { party: { id: index + 1, name }, ifMissing: 'missing_error' }),
  );
  const proof = proofOf({ sources, documents: [], postings: [] });
  const facts = (company: string) => ({
    ...factsOf(proof),
    close: { ...factsOf(proof).close, setup: { ...factsOf(proof).close.setup, company } },
  });
  /** Matches characters allowed in XML 1.0 (section 2.2): no control characters except tab and line breaks, no lone surrogates. */
  const isXml = (sign: string): boolean =>
    ['\t', '\n', '\r'].includes(sign) || (sign >= ' ' && sign !== '\uFFFE' && sign !== '\uFFFF' && sign.isWellFormed());
  const xmlText = (name: string) => Array.from(name).filter(isXml).join('');

  test('appear as text in the workbook, never as a formula', async () => {
    const file = await workbookOf(factsOf(proof));
    const sheets = sheetsOf(file);
    const cells = Object.values(sheets).flat(2);
    for (const name of extremeNames) expect(cells).toContain(xmlText(name));
    const formulas = [...unzip(file)].flatMap(([entry, content]) =>
      entry.startsWith('xl/worksheets/') ? [...content.toString().matchAll(/<f>(.*?)<\/f>/gs)] : [],
    );
    expect(formulas.filter(([formula]) => formula.includes('HYPERLINK'))).toEqual([]);
    for (const [entry, content] of unzip(file))
      if (entry.endsWith('.xml'))
        expect([entry, Array.from(content.toString()).filter((sign) => !isXml(sign))]).toEqual([entry, []]);
  });

  test('are read back from rows.csv in one field and run in no spreadsheet', async () => {
    const { content } = await bundleOf(factsOf(proof));
    const text =
      unzip(Buffer.concat(await content.toArray()))
        .get('rows.csv')
        ?.toString() ?? '';
    const { data, errors } = Papa.parse<string[]>(text.replace('\uFEFF', ''), { skipEmptyLines: true });
    expect(errors).toEqual([]);
    expect(data).toHaveLength(1 + extremeNames.length);
    expect(new Set(data.map(({ length }) => length)).size).toBe(1);
    const fields = data.flat();
    for (const name of extremeNames) expect(fields.map(withoutFormulaMarks)).toContain(name.toWellFormed());
    expect(fields.filter((field) => /^[=+@\t\r]|^-(?![\d.]+$)/.test(field))).toEqual([]);
  });

  test.each(extremeNames)('keep the summary on one page: %j', async (name) => {
    const pdf = await summaryPdf({ ...facts(name), signatures: [] });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1);
  });
});
