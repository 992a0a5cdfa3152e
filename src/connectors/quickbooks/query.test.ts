import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '#core/service-error.ts';
import { wrongShape } from './errors.ts';
import { takeUnexpected } from '../unexpected.ts';
import type { QuickbooksApi, ReadCall } from './api.ts';
import { equalText, type FirstRows, like, quote, select } from './query.ts';

/** Parses a quoted text like the query language: up to the first quote without a preceding backslash. */
function closesAtItsEnd(literal: string): boolean {
  if (!literal.startsWith("'")) return false;
  let position = 1;
  while (position < literal.length && literal[position] !== "'") position += literal[position] === '\\' ? 2 : 1;
  return position === literal.length - 1;
}

/** Parses without escaped backslashes: only `\'` is an escape. */
const closesWithoutDoubling = (literal: string): boolean => /^'(?:[^'\\]|\\')*'$/.test(literal);

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom("'", '\\', '%', ' ', 'a', 'O', '"', '\n', '’', '–', 'é', ' OR ', ')') }),
);

describe('a text in a query', () => {
  test('never ends before its closing quote, with any content', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const literal of [quote(text), like(text)]) {
          if (literal === null) continue;
          expect(closesAtItsEnd(literal)).toBe(true);
          expect(closesWithoutDoubling(literal)).toBe(true);
        }
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  test('is quoted for the query language', () => {
    expect(quote("O'Neil")).toBe(String.raw`'O\'Neil'`);
    expect(quote("' OR '1' = '1")).toBe(String.raw`'\' OR \'1\' = \'1'`);
    expect(quote('Müller & Söhne')).toBe("'Müller & Söhne'");
  });

  test('becomes a pattern with a later exact comparison if the language cannot express it', () => {
    expect(quote('back\\slash')).toBeNull();
    expect(equalText('DisplayName', 'Joe’s – Bar')).toBe("DisplayName LIKE 'Joe%s % Bar'");
    expect(equalText('DisplayName', 'Acme')).toBe("DisplayName = 'Acme'");
    expect(like('50 % off')).toBe("'50 % off'");
  });
});

/** A company whose list answers statements as QuickBooks does. */
function company(
  count: number,
  {
    createdAt = (n: number) => n,
    order = 'creation',
  }: { createdAt?: (n: number) => number; order?: 'creation' | 'latest' | 'refused' } = {},
) {
  interface Row {
    readonly id: number;
    readonly created: number;
    changed: number;
  }
  const timeOf = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().replace('.000', '');
  let clock = 100_000;
  let nextId = count + 1;
  let rows: Row[] = Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    created: createdAt(n),
    changed: createdAt(n),
  }));
  const statements: string[] = [];
  let between: () => void = () => undefined;
  const answer = (statement: string) => {
    statements.push(statement);
    const of = (member: string, operator: string) =>
      new RegExp(`MetaData\\.${member} ${operator} '([^']+)'`).exec(statement)?.[1];
    const bound = (member: string, operator: string, fallback: number) =>
      (Date.parse(of(member, operator) ?? timeOf(fallback)) - Date.UTC(2026, 0, 1)) / 1_000;
    const [from, before] = [bound('CreateTime', '>=', -1), bound('CreateTime', '<', 1e7)];
    const [through, since] = [bound('CreateTime', '<=', 1e7), bound('LastUpdatedTime', '>=', -1)];
    const found = rows.filter(
      ({ created, changed }) => created >= from && created < before && created <= through && changed >= since,
    );
    if (statement.startsWith('SELECT COUNT')) return { QueryResponse: { totalCount: found.length } };
    const isSorted = statement.includes('ORDERBY MetaData.CreateTime');
    if (isSorted && order === 'refused')
      throw new ServiceError({
        service: 'accounting',
        operation: 'read',
        outcome: 'not_applied',
        next: 'refuse',
        code: 'QBO_VALIDATION',
        detail: 'not sortable',
        vendorCode: '4001',
      });
    found.sort(
      (a, b) => (isSorted && order === 'creation' ? a.created - b.created : 0) || b.changed - a.changed || b.id - a.id,
    );
    const [, start = '1', size = '100'] = /STARTPOSITION (\d+) MAXRESULTS (\d+)$/.exec(statement) ?? [];
    const page = found.slice(Number(start) - 1, Number(start) - 1 + Number(size)).map(({ id, created }) => ({
      Id: `${id}`,
      MetaData: { CreateTime: timeOf(created) },
    }));
    const time = timeOf(clock);
    between();
    return { QueryResponse: page.length === 0 ? {} : { Item: page, PurchaseOrder: page }, time };
  };
  const api: QuickbooksApi = {
    read: async ({ statement = '' }: ReadCall) => answer(statement),
    write: () => Promise.reject(wrongShape('write', 'not here')),
  };
  return {
    api,
    statements,
    onRead: (change: () => void) => (between = change),
    ids: () => rows.map(({ id }) => `${id}`),
    create: () => rows.push({ id: nextId++, created: ++clock, changed: clock }),
    change: (place: number) => {
      const row = rows[place % rows.length];
      if (row !== undefined) row.changed = ++clock;
    },
    remove: (place: number) => {
      const gone = rows[place % rows.length];
      rows = rows.filter((row) => row !== gone);
      return `${gone?.id ?? ''}`;
    },
  };
}

describe('reading all rows', () => {
  const read = async (of: ReturnType<typeof company>, first?: FirstRows) =>
    (await select(of.api, 'Item', { operation: 'read Item', where: ['Active IN (true, false)'], size: 10, first })).map(
      ({ Id }) => String(Id),
    );
  const inOrder = (ids: readonly string[]) => ids.toSorted((a, b) => Number(a) - Number(b));

  test.each([
    [0, 1],
    [1, 1],
    [9, 1],
    [10, 3],
    [11, 3],
    [25, 4],
  ])('reads %i rows with %i calls', async (count, calls) => {
    const of = company(count);
    expect(inOrder(await read(of))).toEqual(of.ids());
    expect(of.statements).toHaveLength(calls);
    expect(of.statements[0]).toBe(
      'SELECT * FROM Item WHERE Active IN (true, false) ORDERBY MetaData.CreateTime STARTPOSITION 1 MAXRESULTS 10',
    );
    expect(of.statements.join(' ')).not.toMatch(/ORDERBY Id|Id [<>]/);
  });

  test('sorts no list that QuickBooks may not sort', async () => {
    const of = company(3);
    await expect(select(of.api, 'TaxRate', { operation: 'read TaxRate' })).resolves.toEqual([]);
    expect(of.statements).toEqual(['SELECT * FROM TaxRate STARTPOSITION 1 MAXRESULTS 1000']);
  });

  const ties = { spread: (n: number) => n, import: () => 5, imports: (n: number) => Math.floor(n / 17) } as const;
  const orders = ['creation', 'latest', 'refused'] as const;
  for (const [name, createdAt] of Object.entries(ties))
    for (const order of orders) {
      test(`reads all rows of a ${name} list in order ${order}`, async () => {
        const of = company(41, { createdAt, order });
        const found = await read(of);
        expect(inOrder(found)).toEqual(of.ids());
      });

      test(`D16 keeps each row of a changing ${name} list in order ${order}`, async () => {
        for (let seed = 1; seed <= 40; seed += 1) {
          const of = company(41, { createdAt, order });
          let at = seed;
          const random = () => (at = (at * 48_271) % 2_147_483_647);
          const all = new Set(of.ids());
          const touched = new Set<string>();
          let reads = 0;
          of.onRead(() => {
            // Users save for a while; then the company is quiet.
            reads += 1;
            if (reads > 12) return;
            for (let n = 0; n < 3; n += 1) {
              const kind = random() % 3;
              if (kind === 0) of.create();
              else if (kind === 1) of.change(random());
              else touched.add(of.remove(random()));
            }
          });
          const found = await read(of);
          const lost = [...all].filter((id) => !touched.has(id) && !found.includes(id));
          expect(lost, `seed ${seed}`).toEqual([]);
          expect(new Set(found).size).toBe(found.length);
          expect(of.statements.length).toBeLessThan(100);
        }
      });
    }

  test('D16 ends when the list never stops changing', async () => {
    const of = company(41, { createdAt: () => 5, order: 'latest' });
    let at = 0;
    of.onRead(() => {
      for (let n = 0; n < 5; n += 1) of.change((at += 15));
      of.create();
    });
    expect(new Set(await read(of)).size).toBeGreaterThanOrEqual(41);
    expect(of.statements.length).toBeLessThan(100);
  });

  test('continues after rows that were read before', async () => {
    const of = company(25);
    const rows = Array.from({ length: 10 }, (_, n) => ({
      Id: `${n + 1}`,
      MetaData: { CreateTime: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString() },
    }));
    expect(inOrder(await read(of, { rows, isWhole: false }))).toEqual(of.ids());
    expect(of.statements[0]).toContain("MetaData.CreateTime >= '2026-01-01T00:00:09.000Z'");
  });

  test('reads again when QuickBooks counts more rows than it returned', async () => {
    const of = company(15);
    let pages = 0;
    const api: QuickbooksApi = {
      ...of.api,
      async read(call) {
        const answer = await of.api.read(call);
        const response = answer['QueryResponse'] as { Item?: unknown[] };
        pages += 1;
        return pages === 2 ? { ...answer, QueryResponse: { Item: response.Item?.slice(5) } } : answer;
      },
    };
    const found = await select(api, 'Item', { operation: 'read Item', size: 10 });
    expect(found).toHaveLength(15);
  });

  test('tells the operator of rows that stay missing, and decides nothing about money by such a list', async () => {
    const of = company(15);
    const api: QuickbooksApi = {
      ...of.api,
      async read(call) {
        const answer = await of.api.read(call);
        const response = answer['QueryResponse'] as { totalCount?: number };
        return response.totalCount === undefined
          ? answer
          : { QueryResponse: { totalCount: response.totalCount + 1_000 } };
      },
    };
    takeUnexpected();
    expect(await select(api, 'PurchaseOrder', { operation: 'list PurchaseOrder', size: 10 })).toHaveLength(15);
    expect(takeUnexpected()).toMatchObject([{ kind: 'incomplete_list', fact: 'Q32', name: 'count of PurchaseOrder' }]);
    await expect(
      select(api, 'PurchaseOrder', { operation: 'list PurchaseOrder', size: 10, isDecisive: true }),
    ).rejects.toMatchObject({
      about: {
        code: 'QBO_UNAVAILABLE',
        outcome: 'not_applied',
        detail:
          'QuickBooks counts 1,015 purchase orders and returned 15, also when asked again. Nothing was posted. The next sync tries again.',
      },
    });
    expect(takeUnexpected()).toHaveLength(1);
  });

  test('fails when the service repeats the same page', async () => {
    const page = Array.from({ length: 10 }, (_, n) => ({ Id: `${n}` }));
    let reads = 0;
    const api: QuickbooksApi = {
      ...company(0).api,
      read: async () => {
        reads += 1;
        return { QueryResponse: { Item: page } };
      },
    };
    await expect(select(api, 'Item', { operation: 'read Item', size: 10 })).rejects.toMatchObject({
      about: { outcome: 'unknown' },
    });
    expect(reads).toBeLessThan(100);
  });
});
