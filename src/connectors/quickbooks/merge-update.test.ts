import { describe, expect, test } from 'vitest';
import type { MergeBase } from '#core/planning/update-merge.ts';
import type { Json, JsonObject } from '#core/values/json.ts';
import { mergeUpdate } from './merge-update.ts';

const line = (description: string, amount: number, more: JsonObject = {}, of: JsonObject = {}): JsonObject => ({
  DetailType: 'SalesItemLineDetail',
  Amount: amount,
  Description: description,
  ...of,
  SalesItemLineDetail: { ItemRef: { value: '1' }, Qty: 1, UnitPrice: amount, TaxCodeRef: { value: 'NON' }, ...more },
});
const invoice = (lines: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  CustomerRef: { value: '58' },
  TxnDate: '2025-03-01',
  DueDate: '2025-03-31',
  CustomerMemo: { value: 'Order: 7' },
  PrivateNote: 'Autotask invoice 7 · synced 2025-03-03T15:00:00Z',
  Line: lines,
  ...more,
});
/** Returns a document as QuickBooks answers it: ids, computed members, and a subtotal. */
const stored = (lines: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  domain: 'QBO',
  sparse: false,
  Id: '900',
  SyncToken: '0',
  MetaData: { LastUpdatedTime: '2025-03-03T15:00:00Z' },
  DocNumber: '1042',
  EmailStatus: 'EmailSent',
  LinkedTxn: [],
  TotalAmt: 300,
  Balance: 300,
  ...invoice(
    [
      ...lines.map((one, index) => ({ LineNum: index + 1, CustomExtensions: [], Id: String(index + 1), ...one })),
      { Amount: 300, DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} },
    ],
    more,
  ),
});
const [support, laptop] = [line('Support', 100), line('Laptop', 200)];
const base = (more: Partial<MergeBase> = {}): MergeBase => ({
  found: stored([support, laptop]),
  posted: invoice([support, laptop]),
  answered: stored([support, laptop]),
  prefers: null,
  ...more,
});
const merge = (planned: JsonObject, of: Partial<MergeBase> = {}) =>
  mergeUpdate({ shown: planned, values: planned }, base(of), (list, id) => `${list} ${id}`);
const linesOf = ({ body }: { readonly body: JsonObject }) =>
  (body['Line'] as readonly JsonObject[]).map(({ Id: id, Description: text, Amount: amount }) => [id, text, amount]);
const raised = invoice([line('Support', 150), laptop]);

describe('a line that both sides added', () => {
  const travel = line('Travel', 50);
  const planned = invoice([support, laptop, travel]);

  test('is not added twice', () => {
    const merged = merge(planned, { found: stored([support, laptop, travel]) });
    expect(linesOf(merged).map(([, text]) => text)).toEqual(['Support', 'Laptop', 'Travel']);
    expect([merged.replaces, merged.conflicts, merged.lines]).toEqual([[], [], '0']);
  });

  test('with different texts is asked about', () => {
    const found = stored([support, laptop, { ...travel, Description: 'Trip to Austin' }]);
    expect(merge(planned, { found }).conflicts).toMatchObject([
      { what: 'Line 3, description', was: 'Trip to Austin', is: 'Travel' },
    ]);
    expect(linesOf(merge(planned, { found, prefers: 'psa' }))).toEqual([
      ['1', 'Support', 100],
      ['2', 'Laptop', 200],
      ['3', 'Travel', 50],
    ]);
  });

  test('with another amount is another line', () => {
    const merged = merge(planned, { found: stored([support, laptop, line('Travel', 60)]) });
    expect(linesOf(merged).map(([, , amount]) => amount)).toEqual([100, 200, 50, 60]);
  });

  test('twice by Autotask and once by a user is added once', () => {
    const merged = merge(invoice([support, laptop, travel, { ...travel }]), {
      found: stored([support, laptop, travel]),
    });
    expect(
      linesOf(merged)
        .map(([, , amount]) => amount)
        .toSorted(),
    ).toEqual([100, 200, 50, 50]);
  });
});

describe('what a user entered in QuickBooks', () => {
  const entered: JsonObject = {
    BillEmailCc: { Address: 'cfo@acme.example' },
    BillEmailBcc: { Address: 'archive@northwind.example' },
    ClassRef: { value: '5' },
    CustomField: [{ DefinitionId: '2', Name: 'Crew', Type: 'StringType', StringValue: 'B' }],
    CustomerMemo: { value: 'Thank you, Anna!' },
    TrackingNum: '1Z999',
    ShipMethodRef: { value: 'UPS' },
    Deposit: 20,
    LinkedTxn: [{ TxnId: '7', TxnType: 'Estimate' }],
  };

  test('stays, with the lines and their ids, when Autotask changed an amount', () => {
    const found = stored([support, { ...laptop, Description: 'Laptop, serial 77' }, line('Travel', 50)], entered);
    const merged = merge(raised, { found });
    expect(merged.body).toMatchObject(entered);
    expect(linesOf(merged)).toEqual([
      ['1', 'Support', 150],
      ['2', 'Laptop, serial 77', 200],
      ['3', 'Travel', 50],
    ]);
    expect(merged.replaces).toEqual([{ what: 'Line 1, amount', was: '1 × 100 = 100.00', is: '1 × 150 = 150.00' }]);
    expect(merged.keeps.map(({ what }) => what)).toEqual(['Line 2, description', 'Message to the customer']);
    expect([merged.conflicts, merged.lines, merged.total]).toEqual([[], '50', '50']);
    for (const computed of ['MetaData', 'TotalAmt', 'Balance', 'domain', 'Id', 'SyncToken', 'sparse'])
      expect(merged.body).not.toHaveProperty(computed);
  });

  test.each([
    ['class', { ClassRef: { value: '5' } }],
    ['tax code', { TaxCodeRef: { value: 'TAX' } }],
    ['markup', { MarkupInfo: { Percent: 5 } }],
  ])('on a line stays: its %s', (_, more) => {
    const { body } = merge(raised, { found: stored([line('Support', 100, more), laptop]) });
    expect((body['Line'] as readonly JsonObject[])[0]).toMatchObject({
      SalesItemLineDetail: { UnitPrice: 150, ...more },
    });
  });

  test('stays in the order of the lines, with a discount, a text and a shipping line', () => {
    const others: JsonObject[] = [
      { DetailType: 'DescriptionOnly', Description: 'On site' },
      line('Shipping', 10, { ItemRef: { value: 'SHIPPING_ITEM_ID' } }, { Id: '5' }),
      { DetailType: 'DiscountLineDetail', Amount: 30, DiscountLineDetail: { PercentBased: false } },
    ];
    const merged = merge(raised, { found: stored([{ ...laptop, Id: '2' }, { ...support, Id: '1' }, ...others]) });
    expect(linesOf(merged).map(([, text, amount]) => text ?? amount)).toEqual([
      'Laptop',
      'Support',
      'On site',
      'Shipping',
      30,
    ]);
    expect([merged.lines, merged.total]).toEqual(['10', '-20']);
  });

  test('in the private note stays behind the origin', () => {
    const note = (text: string) => merge(raised, { found: stored([support, laptop], { PrivateNote: text }) }).body;
    expect(note('Paid by card soon')['PrivateNote']).toBe(
      'Autotask invoice 7 · synced 2025-03-03T15:00:00Z\nPaid by card soon',
    );
  });
});

describe('a field that Autotask changed', () => {
  const memo = { CustomerMemo: { value: 'Order: 8' } };

  test('is replaced, also if QuickBooks changed other fields', () => {
    const merged = merge(invoice([support, laptop], memo), {
      found: stored([support, laptop], { DueDate: '2025-06-30' }),
    });
    expect(merged.replaces).toEqual([{ what: 'Message to the customer', was: 'Order: 7', is: 'Order: 8' }]);
    expect(merged.keeps).toEqual([{ what: 'Due date', was: 'Jun 30, 2025', is: 'Mar 31, 2025' }]);
    expect(merged.body).toMatchObject({ ...memo, DueDate: '2025-06-30' });
    expect(merged.clears).toBe(false);
  });

  test('and that it emptied is cleared', () => {
    const { CustomerMemo: _, ...planned } = invoice([support, laptop]);
    const merged = merge(planned);
    expect(merged.body).not.toHaveProperty('CustomerMemo');
    expect(merged.clears).toBe(true);
  });

  test.each([
    [null, 'Order: 9', ['Message to the customer']],
    ['psa', 'Order: 8', []],
    ['accounting', 'Order: 9', []],
  ] as const)('and QuickBooks too: with the choice %s it is %s', (prefers, value, asked) => {
    const found = stored([support, laptop], { CustomerMemo: { value: 'Order: 9' } });
    const merged = merge(invoice([support, laptop], memo), { found, prefers });
    expect(merged.body['CustomerMemo']).toEqual({ value });
    expect(merged.conflicts.map(({ what }) => what)).toEqual(asked);
  });

  test.each([
    [null, 120, ['Line 1, amount']],
    ['psa', 150, []],
    ['accounting', 120, []],
  ] as const)('on a line that a user changed too: with the choice %s its amount is %d', (prefers, amount, asked) => {
    const merged = merge(raised, { found: stored([line('Support', 120), laptop]), prefers });
    expect(linesOf(merged)[0]).toEqual(['1', 'Support', amount]);
    expect(merged.conflicts.map(({ what }) => what)).toEqual(asked);
  });

  describe('and QuickBooks too, with another field', () => {
    const changed = invoice([line('Support', 150), laptop], memo);
    const theirs = (memoText = 'Order: 9', amount = 120) =>
      stored([line('Support', amount), laptop], { CustomerMemo: { value: memoText } });
    const keysOf = (found: JsonObject, planned = changed) => merge(planned, { found }).conflicts.map(({ key }) => key);
    const [amountKey = '', memoKey = ''] = keysOf(theirs());

    test.each([
      ['psa', 'accounting', 'Order: 8', 120],
      ['accounting', 'psa', 'Order: 9', 150],
      ['psa', 'psa', 'Order: 8', 150],
      ['accounting', 'accounting', 'Order: 9', 120],
    ] as const)('with the choices %s and %s the fields are %s and %d', (ofMemo, ofAmount, text, amount) => {
      const prefers = { [memoKey]: ofMemo, [amountKey]: ofAmount };
      const merged = merge(changed, { found: theirs(), prefers });
      expect([merged.conflicts, merged.settled]).toEqual([
        [],
        { 'Message to the customer': ofMemo, 'Line 1, amount': ofAmount },
      ]);
      expect(merged.body['CustomerMemo']).toEqual({ value: text });
      expect(linesOf(merged)[0]).toEqual(['1', 'Support', amount]);
      // What is sent follows the plan, also if a key differs because a record was created in between.
      const sent = merge(changed, { found: theirs(), prefers: { [memoKey]: ofMemo }, settled: merged.settled });
      expect(sent.body).toEqual(merged.body);
    });

    test('a field without a choice is asked about alone', () => {
      const merged = merge(changed, { found: theirs(), prefers: { [memoKey]: 'psa' } });
      expect(merged.conflicts.map(({ key }) => key)).toEqual([amountKey]);
    });

    test.each([
      ['in QuickBooks', theirs('Order: 10'), changed],
      ['in Autotask', theirs(), invoice([line('Support', 150), laptop], { CustomerMemo: { value: 'Order: 11' } })],
      ['beyond the shown text', theirs(`${'9'.repeat(200)}0`), changed],
    ] as const)('a choice does not apply after a third change %s', (_, found, planned) => {
      const merged = merge(planned, { found, prefers: { [memoKey]: 'psa', [amountKey]: 'psa' } });
      expect(merged.conflicts.map(({ what }) => what)).toEqual(['Message to the customer']);
    });

    test('keys differ by document, field and each value', () => {
      const long = '9'.repeat(200);
      const keys = [
        ...keysOf(theirs()),
        ...keysOf(theirs('Order: 10')),
        ...keysOf(theirs(`${long}0`)),
        ...keysOf(theirs(`${long}1`)),
        ...keysOf({ ...theirs(), Id: '901' }),
      ];
      // The unchanged amount has the same key three times more.
      expect(new Set(keys).size).toBe(keys.length - 3);
      expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
    });

    test('lines with equal texts that Autotask removed are chosen separately', () => {
      const twin = (amount: number) => line('Support', amount);
      const posted = {
        posted: invoice([twin(100), twin(200), laptop]),
        answered: stored([twin(100), twin(200), laptop]),
      };
      const found = stored([twin(110), twin(210), laptop]);
      const asked = merge(invoice([laptop]), { ...posted, found }).conflicts;
      expect(asked.map(({ what }) => what)).toEqual(['Line of Support', 'Line of Support']);
      const [first = '', second = ''] = asked.map(({ key }) => key);
      const prefers = { [first]: 'psa', [second]: 'accounting' } as const;
      const merged = merge(invoice([laptop]), { ...posted, found, prefers });
      expect(linesOf(merged).map(([, , amount]) => amount)).toEqual([210, 200]);
      const sent = merge(invoice([laptop]), { ...posted, found, prefers: {}, settled: merged.settled });
      expect(sent.body).toEqual(merged.body);
    });
  });

  test('to the value that QuickBooks already has is no conflict', () => {
    const merged = merge(raised, { found: stored([line('Support', 150), laptop]) });
    expect([merged.conflicts, merged.replaces]).toEqual([[], []]);
  });
});

describe('lines that Autotask added or removed', () => {
  const backup = line('Backup', 80);

  test.each([
    ['first', [backup, support, laptop], ['Backup', 'Support', 'Laptop', 'Travel']],
    ['in the middle', [support, backup, laptop], ['Support', 'Backup', 'Laptop', 'Travel']],
    ['last', [support, laptop, backup], ['Support', 'Laptop', 'Backup', 'Travel']],
  ])('are added %s, and the other lines keep their ids', (_, lines, texts) => {
    const merged = merge(invoice(lines), { found: stored([support, laptop, line('Travel', 50)]) });
    expect(linesOf(merged).map(([, text]) => text)).toEqual(texts);
    expect(linesOf(merged).map(([id, text]) => (text === 'Backup' ? id : 'kept'))).toContain(undefined);
    expect(Object.fromEntries(linesOf(merged).map(([id, text]) => [text, id]))).toMatchObject({
      Support: '1',
      Laptop: '2',
    });
    expect(merged.lines).toBe('50');
  });

  test('are removed, unless a user changed them', () => {
    expect(linesOf(merge(invoice([support])))).toEqual([['1', 'Support', 100]]);
    const edited = { found: stored([support, line('Laptop', 250)]) };
    expect(merge(invoice([support]), edited).conflicts).toHaveLength(1);
    expect(linesOf(merge(invoice([support]), { ...edited, prefers: 'accounting' }))).toHaveLength(2);
    expect(linesOf(merge(invoice([support]), { ...edited, prefers: 'psa' }))).toHaveLength(1);
  });

  test('a line that a user deleted stays deleted while Autotask changed another', () => {
    const found = stored([support]);
    expect(linesOf(merge(raised, { found }))).toEqual([['1', 'Support', 150]]);
    // Autotask changed nothing: the update restores it.
    expect(linesOf(merge(invoice([support, laptop]), { found }))).toEqual([
      ['1', 'Support', 100],
      [undefined, 'Laptop', 200],
    ]);
  });

  test('distinguishes equal lines by their ids', () => {
    const [one, two] = [line('Seat', 10, { ClassRef: { value: '5' } }), line('Seat', 10)];
    const lines = [line('Seat', 10), line('Seat', 10)];
    const history = { posted: invoice(lines), answered: stored(lines), found: stored([one, two]) };
    const merged = merge(invoice([line('Seat', 10), line('Seat', 12)]), history);
    expect(linesOf(merged)).toEqual([
      ['1', 'Seat', 10],
      ['2', 'Seat', 12],
    ]);
    expect((merged.body['Line'] as readonly JsonObject[])[0]).toMatchObject({
      SalesItemLineDetail: { ClassRef: { value: '5' } },
    });
  });
});

test('without a change in Autotask an update restores compared fields, and keeps the others', () => {
  const found = stored([line('Support', 90), laptop], {
    CustomerRef: { value: '59' },
    TxnDate: '2025-03-20',
    DocNumber: 'X-1',
    CustomerMemo: { value: 'Agreed by phone' },
  });
  const merged = merge(invoice([support, laptop], { DocNumber: '1042' }), { found });
  expect(merged.body).toMatchObject({ CustomerRef: { value: '58' }, TxnDate: '2025-03-01', DocNumber: '1042' });
  expect(merged.body['CustomerMemo']).toEqual({ value: 'Agreed by phone' });
  expect(merged.replaces).toContainEqual({ what: 'Customer', was: 'customer 59', is: 'customer 58' });
  expect(linesOf(merged)[0]).toEqual(['1', 'Support', 100]);
});

describe('the tax', () => {
  const tax = (total: Json, code = '2'): JsonObject => ({
    TxnTaxDetail: { TxnTaxCodeRef: { value: code }, TotalTax: total },
  });
  const planned = (lines: readonly JsonObject[]) => invoice(lines, { TxnTaxDetail: { TxnTaxCodeRef: { value: '2' } } });
  const posted = planned([support, laptop]);
  const answered = stored([support, laptop], tax(24));

  test('entered by hand stays while no amount changes', () => {
    const found = stored([support, laptop], tax(25));
    const memo = { ...posted, CustomerMemo: { value: 'Order: 8' } };
    expect(merge(memo, { posted, answered, found }).body).toMatchObject(tax(25));
  });

  test('is computed again when an amount changes, and asked about if it was entered by hand', () => {
    const again = planned([line('Support', 150), laptop]);
    const computed = merge(again, { posted, answered, found: answered });
    expect(computed.body['TxnTaxDetail']).toEqual({ TxnTaxCodeRef: { value: '2' } });
    const found = stored([support, laptop], tax(25));
    expect(merge(again, { posted, answered, found }).conflicts.map(({ what }) => what)).toEqual(['Tax']);
    expect(merge(again, { posted, answered, found, prefers: 'accounting' }).body).toMatchObject(tax(25));
  });

  test('code that a user chose stays', () => {
    const again = planned([line('Support', 150), laptop]);
    const { body } = merge(again, { posted, answered, found: stored([support, laptop], tax(24, '3')) });
    expect(body['TxnTaxDetail']).toEqual({ TxnTaxCodeRef: { value: '3' } });
  });
});

test('without a known history only planned fields that differ are replaced', () => {
  const found = stored([support, laptop], { ClassRef: { value: '5' } });
  const merged = merge(raised, { found, posted: null, answered: null });
  expect(merged.replaces.map(({ what }) => what)).toEqual(['Line 1, amount']);
  expect(merged.body['ClassRef']).toEqual({ value: '5' });
  expect(merge(raised, { found, answered: null }).replaces.map(({ what }) => what)).toEqual(['Line 1, amount']);
});

test('the due date of a bill is computed again if its date moves and no user changed it', () => {
  const { DueDate: _, ...planned } = invoice([support, laptop], { TxnDate: '2025-04-01' });
  const { DueDate: __, ...posted } = invoice([support, laptop]);
  const computed = merge(planned, { posted });
  expect(computed.body).not.toHaveProperty('DueDate');
  const found = stored([support, laptop], { DueDate: '2025-06-30' });
  expect(merge(planned, { posted, found }).body['DueDate']).toBe('2025-06-30');
});
