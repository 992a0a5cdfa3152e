/** Checks of QuickBooks that only read. */
import { isRecord, type JsonRecord } from '../quickbooks/errors.ts';
import { recordIn, recordsIn, shapesIn, textIn } from './calls.ts';
import { codesOf, outcomeOf, type QuickbooksService } from './quickbooks-service.ts';
import { type Check, compared, NotTried, type Shape, shapeOf } from './suite.ts';

type Run = Check<QuickbooksService>['run'];

const reads = (facts: string, title: string, run: Run): Check<QuickbooksService> => ({
  facts: facts.split(' '),
  title,
  needs: 'reads',
  run,
});

const idsOf = (rows: readonly JsonRecord[]): readonly string[] => rows.flatMap((row) => textIn(row, 'Id') ?? []);
const createdAt = (row: JsonRecord): number => Date.parse(textIn(recordIn(row, 'MetaData'), 'CreateTime') ?? '');

/** Lists whose order and paging decide whether a company is read completely. */
const listsRead = ['Invoice', 'Customer', 'Item'] as const;

const sorting: Run = async (service) => {
  const [up, down] = [
    await service.query('SELECT Id FROM Customer ORDERBY Id MAXRESULTS 20'),
    await service.query('SELECT Id FROM Customer ORDERBY Id DESC MAXRESULTS 20'),
  ];
  if (up.status !== 200) return compared({ status: 400, code: '4001' }, outcomeOf(up));
  const rows = (answer: typeof up) => idsOf(recordsIn(recordIn(answer.body, 'QueryResponse'), 'Customer'));
  if (rows(up).length < 2) throw new NotTried('The company has fewer than two customers.');
  return compared({ isSorted: false }, { isSorted: String(rows(up)) !== String(rows(down)) });
};

const idFilters: Run = async (service) => {
  const [customer] = await service.rows('Customer', 'MAXRESULTS 1');
  const id = textIn(customer, 'Id');
  if (id === undefined) throw new NotTried('The company has no customer.');
  const statuses: Record<string, Shape> = {};
  for (const [name, condition] of [
    ['equal', `Id = '${id}'`],
    ['list', `Id IN ('${id}', '999999999')`],
  ] as const)
    statuses[name] = idsOf(await service.rows('Customer', `WHERE ${condition}`)).length;
  return compared({ equal: 1, list: 1 }, statuses);
};

const byCreation: Run = async (service) => {
  const seen: Record<string, Shape> = {};
  const expected: Record<string, Shape> = {};
  for (const entity of listsRead) {
    const rows = await service.rows(entity, 'ORDERBY MetaData.CreateTime MAXRESULTS 50');
    const at = rows.map(createdAt);
    const last = rows.at(-1);
    const since = textIn(recordIn(last, 'MetaData'), 'CreateTime');
    if (last === undefined || since === undefined) continue;
    const next = await service.rows(
      entity,
      `WHERE MetaData.CreateTime >= '${since}' ORDERBY MetaData.CreateTime MAXRESULTS 50`,
    );
    expected[entity] = { ascending: true, includesBound: true };
    seen[entity] = {
      ascending: at.every((time, index) => index === 0 || time >= (at[index - 1] ?? 0)),
      includesBound: next.some((row) => createdAt(row) === createdAt(last)),
    };
  }
  if (Object.keys(seen).length === 0) throw new NotTried('The company has no records.');
  return compared(expected, seen);
};

const pagesDoNotOverlap: Run = async (service) => {
  const page = (from: number) =>
    service.rows(
      'Item',
      `WHERE Active IN (true, false) ORDERBY MetaData.CreateTime STARTPOSITION ${from} MAXRESULTS 2`,
    );
  const [first, second] = [idsOf(await page(1)), idsOf(await page(3))];
  const total = await service.query('SELECT COUNT(*) FROM Item WHERE Active IN (true, false)');
  const count = Number(textIn(recordIn(total.body, 'QueryResponse'), 'totalCount') ?? Number.NaN);
  if (first.length < 2 || second.length === 0) throw new NotTried('The company has fewer than three items.');
  const repeated = second.filter((id) => first.includes(id)).length;
  return compared({ repeated: 0, isCounted: true }, { repeated, isCounted: count >= first.length + second.length });
};

const inactiveHidden: Run = async (service) => {
  const withInactive = await service.rows('Customer', 'WHERE Active = false MAXRESULTS 1');
  const id = idsOf(withInactive)[0];
  if (id === undefined) throw new NotTried('The company has no inactive customer.');
  const found = async (more: string) => idsOf(await service.rows('Customer', `WHERE Id = '${id}'${more}`)).length;
  return compared(
    { hidden: 0, requested: 1 },
    { hidden: await found(''), requested: await found(' AND Active IN (true, false)') },
  );
};

/** Conditions of the product's queries, by entity. */
const conditions = {
  Invoice: [
    "DocNumber = 'x'",
    "TxnDate >= '2026-01-01'",
    "CustomerRef = '1'",
    "MetaData.LastUpdatedTime >= '2026-01-01'",
  ],
  CreditMemo: ["DocNumber = 'x'", "TxnDate >= '2026-01-01'", "CustomerRef = '1'"],
  Payment: ["TxnDate >= '2026-01-01'", "MetaData.LastUpdatedTime >= '2026-01-01'"],
  PurchaseOrder: ["DocNumber = 'x'", "TxnDate = '2026-01-01'"],
  Bill: ["DocNumber = 'x'", "TxnDate = '2026-01-01'"],
  Customer: ["DisplayName = 'x'", "DisplayName LIKE 'x%'"],
  Vendor: ["DisplayName = 'x'"],
  Item: ["Name = 'x'", "Type = 'Service'"],
} as const;

/** One batch answers all of them, which is itself a fact (Q69). */
const filters: Run = async (service) => {
  const queries = Object.entries(conditions).flatMap(([entity, list]) =>
    list.map((condition) => ({ entity, condition, member: condition.split(' ')[0] ?? '' })),
  );
  const answer = await service.call('POST', 'batch', {
    body: {
      BatchItemRequest: queries.map(({ entity, condition }, at) => ({
        bId: `q${at}`,
        Query: `SELECT Id FROM ${entity} WHERE ${condition} MAXRESULTS 1`,
      })),
    },
  });
  if (answer.status !== 200) return compared({ status: 200 }, outcomeOf(answer));
  const items = new Map(recordsIn(answer.body, 'BatchItemResponse').map((item) => [textIn(item, 'bId'), item]));
  const refused = queries.flatMap(({ entity, member }, at) => {
    const item = items.get(`q${at}`);
    return isRecord(item?.['QueryResponse']) ? [] : [[`${entity}.${member}`, codesOf(item)[0] ?? 'absent'] as const];
  });
  return compared(
    { answers: queries.length, refused: {} },
    { answers: items.size, refused: Object.fromEntries(refused) },
  );
};

const quoting: Run = async (service) => {
  const ask = (text: string) => service.query(`SELECT Id FROM Customer WHERE DisplayName = '${text}'`);
  return compared(
    { escaped: { status: 200 }, typographic: { status: 400, code: '4000' } },
    { escaped: outcomeOf(await ask(String.raw`O\'Neil`)), typographic: outcomeOf(await ask('O’Neil')) },
  );
};

const pageLimit: Run = async (service) =>
  compared({ status: 400, code: '4001' }, outcomeOf(await service.query('SELECT Id FROM Invoice MAXRESULTS 1001')));

const postedQuery: Run = async (service) => {
  const answer = await service.call('POST', 'query', { body: 'SELECT Id FROM Customer MAXRESULTS 1' });
  return compared({ status: 200 }, outcomeOf(answer));
};

const faultShape: Run = async (service) => {
  const answer = await service.query('SELECT * FROM NoSuchEntity');
  const [error] = recordsIn(recordIn(answer.body, 'Fault'), 'Error');
  return compared(
    { status: 400, error: { Message: 'text', Detail: 'text', code: 'text' } },
    {
      status: answer.status,
      error: shapesIn(error, ['Message', 'Detail', 'code']),
    },
  );
};

const unauthenticated: Run = async (service) => {
  const answer = await service.call('GET', `companyinfo/${service.realmId}`, { accessToken: 'not-a-token' });
  return compared({ status: 401, code: '3200' }, outcomeOf(answer));
};

const missingRecord: Run = async (service) =>
  compared({ status: 400, code: '610' }, outcomeOf(await service.call('GET', 'invoice/999999999')));

const minorVersion: Run = async (service) => {
  const membersFor = async (minorversion: string) => {
    const answer = await service.call('GET', `companyinfo/${service.realmId}`, { query: { minorversion } });
    return { status: answer.status, members: Object.keys(recordIn(answer.body, 'CompanyInfo')).toSorted() };
  };
  const [newest, oldest] = [await membersFor('75'), await membersFor('1')];
  return compared(
    { newest: 200, oldest: 200, haveSameMembers: true },
    {
      newest: newest.status,
      oldest: oldest.status,
      haveSameMembers: String(newest.members) === String(oldest.members),
    },
  );
};

const idsAreText: Run = async (service) => {
  const [row] = await service.rows('Customer', 'MAXRESULTS 1');
  if (row === undefined) throw new NotTried('The company has no customer.');
  return compared({ Id: 'text', SyncToken: 'text' }, { Id: shapeOf(row['Id']), SyncToken: shapeOf(row['SyncToken']) });
};

const feedRange: Run = async (service) => {
  const now = service.nowMs();
  const ask = (days: number) =>
    service.call('GET', 'cdc', {
      query: { entities: 'Invoice,Customer', changedSince: new Date(now - days * 86_400_000).toISOString() },
    });
  const [inside, outside] = [await ask(28), await ask(40)];
  const [feed] = recordsIn(inside.body, 'CDCResponse');
  return compared(
    { status: 200, blocks: 2, isRefusedBeyond30Days: true },
    {
      status: inside.status,
      blocks: recordsIn(feed, 'QueryResponse').length,
      isRefusedBeyond30Days: outside.status === 400,
    },
  );
};

const companyInfo: Run = async (service) => {
  const answer = await service.call('GET', `companyinfo/${service.realmId}`);
  const info = recordIn(answer.body, 'CompanyInfo');
  const address = recordIn(info, 'CompanyAddr');
  const named = recordsIn(info, 'NameValue').flatMap((one) => textIn(one, 'Name') ?? []);
  return compared(
    { countryLetters: 3, Lat: 'absent', Long: 'absent', hasNeoEnabled: false },
    {
      countryLetters: (textIn(address, 'Country') ?? '').length,
      Lat: shapeOf(address['Lat']),
      Long: shapeOf(address['Long']),
      hasNeoEnabled: named.includes('NeoEnabled'),
    },
  );
};

const addresses: Run = async (service) => {
  const rows = await service.rows('Customer', 'MAXRESULTS 100');
  const all = rows.map((row) => recordIn(row, 'BillAddr')).filter((one) => one['Line1'] !== undefined);
  if (all.length === 0) throw new NotTried('No customer has an address.');
  return compared({ withLat: 0 }, { withLat: all.filter((one) => one['Lat'] !== undefined).length });
};

/** Members of the preferences that decide how documents are posted. */
const preferences: Run = async (service) => {
  const found = (await service.company()).preferences;
  const flags = (part: string, names: readonly string[]) => shapesIn(recordIn(found, part), names);
  return compared(
    {
      accounting: { ClassTrackingPerTxn: 'flag', ClassTrackingPerTxnLine: 'flag', TrackDepartments: 'flag' },
      sales: { CustomTxnNumbers: 'flag' },
      tax: { UsingSalesTax: 'flag' },
      currency: { HomeCurrency: { value: 'text' } },
    },
    {
      accounting: flags('AccountingInfoPrefs', ['ClassTrackingPerTxn', 'ClassTrackingPerTxnLine', 'TrackDepartments']),
      sales: flags('SalesFormsPrefs', ['CustomTxnNumbers']),
      tax: flags('TaxPrefs', ['UsingSalesTax']),
      currency: { HomeCurrency: shapesIn(recordIn(recordIn(found, 'CurrencyPrefs'), 'HomeCurrency'), ['value']) },
    },
  );
};

const taxCodes: Run = async (service) => {
  if (!(await service.company()).isAmerican) throw new NotTried('The company is not in the United States.');
  const ids = idsOf(await service.rows('TaxCode', 'MAXRESULTS 1000'));
  return compared({ TAX: true, NON: true }, { TAX: ids.includes('TAX'), NON: ids.includes('NON') });
};

/** QuickBooks refuses, or leaves out the rate. */
const oldRates: Run = async (service) => {
  const { isMultiCurrency, homeCurrency } = await service.company();
  if (!isMultiCurrency) throw new NotTried('The company does not use multicurrency.');
  const codes = (await service.rows('CompanyCurrency', 'MAXRESULTS 10')).flatMap((row) => textIn(row, 'Code') ?? []);
  const code = codes.find((one) => one !== homeCurrency);
  if (code === undefined) throw new NotTried('The company has no foreign currency.');
  const rateIn = async (year: number) => {
    const asofdate = `${year}-01-15`;
    const answer = await service.call('GET', 'exchangerate', { query: { sourcecurrencycode: code, asofdate } });
    return answer.status === 200 && textIn(recordIn(answer.body, 'ExchangeRate'), 'Rate') !== undefined;
  };
  const thisYear = new Date(service.nowMs()).getUTCFullYear();
  return compared({ fiveYearsOld: false }, { fiveYearsOld: await rateIn(thisYear - 5) });
};

/** A reference to a sub-account carries its full name, e.g. `Travel:Air fare`. */
const accountNames: Run = async (service) => {
  const accounts = await service.rows('Account', 'WHERE SubAccount = true MAXRESULTS 1000');
  const names = new Map(accounts.map((row) => [textIn(row, 'Id'), textIn(row, 'FullyQualifiedName')]));
  const bills = await service.rows('Bill', 'MAXRESULTS 200');
  const references = bills
    .flatMap((bill) => recordsIn(bill, 'Line'))
    .map((line) => recordIn(recordIn(line, 'AccountBasedExpenseLineDetail'), 'AccountRef'))
    .filter((reference) => names.has(textIn(reference, 'value')));
  const [first] = references;
  if (first === undefined) throw new NotTried('No bill of the company uses a sub-account.');
  return compared({ isFullName: true }, { isFullName: textIn(first, 'name') === names.get(textIn(first, 'value')) });
};

const trialBalance: Run = async (service) => {
  const year = new Date(service.nowMs()).getUTCFullYear();
  const query = { start_date: `${year}-01-01`, end_date: `${year}-12-31` };
  const answer = await service.call('GET', 'reports/TrialBalance', { query });
  if (answer.status !== 200) return compared({ status: 200 }, outcomeOf(answer));
  const columns = recordsIn(recordIn(answer.body, 'Columns'), 'Column').map(
    (one) => textIn(one, 'ColType') ?? 'absent',
  );
  const rows = recordsIn(recordIn(answer.body, 'Rows'), 'Row');
  const account = rows.find((row) => row['ColData'] !== undefined);
  const [cell] = recordsIn(account, 'ColData');
  return compared(
    { columns: ['Account', 'Money', 'Money'], ...(cell !== undefined && { cell: { value: 'text', id: 'text' } }) },
    {
      columns,
      ...(cell !== undefined && { cell: { value: shapeOf(cell['value']), id: shapeOf(cell['id']) } }),
    },
  );
};

/** Checks of QuickBooks that only read, in the order in which they run. */
export const quickbooksReads: readonly Check<QuickbooksService>[] = [
  reads('Q17', 'Minor version 1 is answered as 75', minorVersion),
  reads('Q18', 'Ids and SyncTokens are text', idsAreText),
  reads('Q19 Q21', 'A refused query has a fault with message, detail and code', faultShape),
  reads('Q23', 'Reading a record that does not exist gets 610', missingRecord),
  reads('Q27', 'A wrong access token gets 401 with code 3200', unauthenticated),
  reads('Q31', 'A backslash escapes an apostrophe; a typographic quote is an error', quoting),
  reads('Q32', 'More than 1,000 rows per page are refused', pageLimit),
  reads('Q33', 'Inactive customers are hidden unless requested', inactiveHidden),
  reads('Q35', 'A query can be posted as text', postedQuery),
  reads('Q61 Q69', 'Every condition that we use can be filtered on, in one batch', filters),
  reads('Q64', 'The change feed has a block per entity and refuses more than 30 days', feedRange),
  reads('Q32', 'Sorting by Id is refused or ignored', sorting),
  reads('Q32', 'Id can be filtered with = and IN', idFilters),
  reads('Q82', 'Lists can be sorted by creation, and “>=” includes the bound', byCreation),
  reads('Q32 Q82', 'Pages by creation do not overlap, and COUNT(*) counts them', pagesDoNotOverlap),
  reads('Q36 Q46 Q54 Q55', 'The preferences have the members that we read', preferences),
  reads('Q42', 'The tax codes TAX and NON exist', taxCodes),
  reads('Q76', 'The trial balance has the columns account, debit and credit', trialBalance),
  reads('Q77 Q88', 'Country has three letters; Lat, Long and NeoEnabled are absent', companyInfo),
  reads('Q77', 'Addresses of customers have no coordinates', addresses),
  reads('Q85', 'A rate of five years ago is not available', oldRates),
  reads('Q87', 'A reference to a sub-account has its full name', accountNames),
];
