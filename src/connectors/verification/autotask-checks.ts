/** Checks of Autotask. */
import type { JsonRecord } from '../quickbooks/errors.ts';
import { type AutotaskService, markedNumber, outcomeOf, refusal } from './autotask-service.ts';
import { absent, recordsIn, shapesIn, textIn } from './calls.ts';
import { type Check, compared, NotTried, type Shape, shapeOf } from './suite.ts';

type Run = Check<AutotaskService>['run'];

const check =
  (needs: 'reads' | 'writes') =>
  (facts: string, title: string, run: Run): Check<AutotaskService> => ({
    facts: facts.split(' '),
    title,
    needs,
    run,
  });
const [reads, writes] = [check('reads'), check('writes')];

const everything = { op: 'gte', field: 'id', value: 0 };
const idsOf = (rows: readonly JsonRecord[]): readonly number[] => rows.map((row) => Number(row['id']));
/** An entity that every database has more than one row of. */
const list = 'Countries';

const zones: Run = async (service) => {
  const [known, unknown] = [
    await service.zoneOf(service.userName),
    await service.zoneOf('nobody@tallybridge-verify.example'),
  ];
  const texts = unknown.body?.['errors'];
  return compared(
    { known: { url: 'text', ci: 'number' }, unknown: 500, isKnownText: true },
    {
      known: shapesIn(known.body, ['url', 'ci']),
      unknown: unknown.status,
      isKnownText: Array.isArray(texts) && /zone information could not be determined/i.test(String(texts[0])),
    },
  );
};

const versions: Run = async (service) => {
  const answer = await service.unsigned('versioninformation');
  const named = answer.body?.['apiVersions'];
  const texts: readonly unknown[] = Array.isArray(named) ? named : [];
  const second = await service.unsigned(`V2.0/zoneInformation?user=${encodeURIComponent(service.userName)}`);
  return compared(
    { namesVersion1: true, zonesOfVersion2: 404 },
    { namesVersion1: texts.includes('V1.0'), zonesOfVersion2: second.status },
  );
};

const missingHeader: Run = async (service) => {
  const answer = await service.call('GET', 'ThresholdInformation', { without: 'ApiIntegrationCode' });
  // Sources name 401 without a body, and 500 with a text. We treat both as a refused login.
  const isKnown = answer.status === 401 || answer.status === 500;
  return isKnown ? { result: 'holds' } : compared({ status: 401 }, outcomeOf(answer));
};

const thresholds: Run = async (service) => {
  const names = ['externalRequestThreshold', 'requestThresholdTimeframe', 'currentTimeframeRequestCount'];
  const answer = await service.call('GET', 'ThresholdInformation');
  return compared(Object.fromEntries(names.map((name) => [name, 'number'])), shapesIn(answer.body, names));
};

const paging: Run = async (service) => {
  const first = await service.rows(list, [everything], { MaxRecords: 2 });
  const [, last] = idsOf(first);
  if (last === undefined) throw new NotTried('The database has fewer than two countries.');
  const next = await service.rows(list, [{ op: 'gt', field: 'id', value: last }], { MaxRecords: 2 });
  const ids = [...idsOf(first), ...idsOf(next)];
  const tooMany = await service.query(list, [everything], { MaxRecords: 501 });
  const page = recordsIn(tooMany.body, 'items').length;
  return compared(
    { first: 2, isAscending: true, isLimited: true },
    {
      first: first.length,
      isAscending: ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? 0)),
      isLimited: tooMany.status !== 200 || page <= 500,
    },
  );
};

const pageDetails: Run = async (service) => {
  const answer = await service.query(list, [everything], { MaxRecords: 1 });
  const details = answer.body?.['pageDetails'];
  return compared({ count: 'number', nextPageUrl: 'text' }, shapesIn(details, ['count', 'nextPageUrl']));
};

const longLists: Run = async (service) => {
  const values = (length: number) => Array.from({ length }, (_, at) => at + 1);
  const ask = (length: number) => service.query(list, [{ op: 'in', field: 'id', value: values(length) }]);
  return compared(
    { of500: 200, isRefusedBeyond: true },
    {
      of500: (await ask(500)).status,
      isRefusedBeyond: (await ask(501)).status !== 200,
    },
  );
};

const countOf = async (service: AutotaskService, filter: readonly JsonRecord[]): Promise<number> => {
  const answer = await service.call('POST', `${list}/query/count`, { body: { filter } });
  return Number(textIn(answer.body, 'queryCount') ?? Number.NaN);
};

const unknownOperator: Run = async (service) => {
  const unknown = { op: 'resembles', field: 'id', value: -1 };
  const [all, filtered] = [await countOf(service, [everything]), await countOf(service, [everything, unknown])];
  return compared({ isDropped: true }, { isDropped: all === filtered });
};

const unknownField: Run = async (service) =>
  compared(refusal, outcomeOf(await service.query(list, [{ op: 'eq', field: 'noSuchField', value: 1 }])));

const flags: Run = async (service) => {
  const ask = (entity: string, value: boolean | number) =>
    service.query(entity, [{ op: 'eq', field: 'isActive', value }], { MaxRecords: 1 });
  return compared(
    { companies: 200, contacts: 200 },
    { companies: (await ask('Companies', true)).status, contacts: (await ask('Contacts', 1)).status },
  );
};

const ownCompany: Run = async (service) => {
  const rows = await service.rows('Companies', [{ op: 'eq', field: 'id', value: 0 }]);
  return compared({ companies: 1 }, { companies: rows.length });
};

const missingRecord: Run = async (service) => {
  const answer = await service.call('GET', 'Invoices/2000000000');
  return compared({ status: 200, body: { item: null } }, outcomeOf(answer));
};

/** Fields whose absence would stop a client or post wrongly. */
const fieldsWeRead: Readonly<Record<string, readonly string[]>> = {
  Invoices: [
    'companyID',
    'invoiceNumber',
    'invoiceDateTime',
    'createDateTime',
    'invoiceTotal',
    'totalTaxValue',
    'isVoided',
    'voidedDate',
    'webServiceDate',
    'paidDate',
    'invoiceStatus',
    'invoiceTaxMethodExternalCode',
  ],
  BillingItems: [
    'invoiceID',
    'billingItemType',
    'subType',
    'itemName',
    'itemDate',
    'quantity',
    'rate',
    'totalAmount',
    'internalCurrencyTotalAmount',
    'taxDollars',
    'billingCodeID',
    'contractID',
    'contractBlockID',
  ],
  PurchaseOrders: ['vendorID', 'externalPONumber', 'status', 'submitDateTime', 'freight'],
  PurchaseOrderItems: ['orderID', 'productID', 'quantity', 'unitCost'],
  ExpenseReports: ['status', 'submitterID', 'approvedDate', 'quickBooksReferenceNumber', 'reimbursementCurrencyID'],
  ExpenseItems: [
    'expenseReportID',
    'expenseDate',
    'expenseCategory',
    'isReimbursable',
    'isRejected',
    'internalCurrencyExpenseAmount',
  ],
  Companies: ['companyName', 'companyType', 'isTaxExempt', 'taxID', 'currencyID', 'billToCountryID'],
};

const fields: Run = async (service) => {
  const seen: Record<string, Shape> = {};
  for (const [entity, names] of Object.entries(fieldsWeRead)) {
    const known = await service.fields(entity);
    if (known.size === 0) continue;
    seen[entity] = absent(names.filter((name) => !known.has(name)));
  }
  return compared(Object.fromEntries(Object.keys(seen).map((entity) => [entity, {}])), seen);
};

const fieldInformation: Run = async (service) => {
  const field = (await service.fields('Invoices')).get('invoiceNumber');
  return compared(
    { dataType: 'text', isQueryable: 'flag', isReadOnly: 'flag', length: 'number' },
    shapesIn(field, ['dataType', 'isQueryable', 'isReadOnly', 'length']),
  );
};

const userDefinedFields: Run = async (service) => {
  const answer = await service.call('GET', 'Companies/entityInformation/userDefinedFields');
  const [field] = recordsIn(answer.body, 'fields');
  if (answer.status === 200 && field === undefined) throw new NotTried('Companies have no user-defined field.');
  return compared({ name: 'text', label: 'text' }, shapesIn(field, ['name', 'label']));
};

const labelsOf = (field: JsonRecord | undefined): readonly string[] =>
  recordsIn(field, 'picklistValues').flatMap((one) => textIn(one, 'label')?.trim().toLowerCase() ?? []);
const numberOf = (field: JsonRecord | undefined, label: string): Shape =>
  Number(
    textIn(
      recordsIn(field, 'picklistValues').find((one) => textIn(one, 'label') === label),
      'value',
    ) ?? -1,
  );

const statuses: Run = async (service) => {
  const [orders, reports] = [await service.fields('PurchaseOrders'), await service.fields('ExpenseReports')];
  if (orders.size === 0) throw new NotTried('The database has no purchase orders.');
  return compared(
    { Submitted: 2, ApprovedForPayment: 3 },
    {
      Submitted: numberOf(orders.get('status'), 'Submitted'),
      ApprovedForPayment: numberOf(reports.get('status'), 'Approved for Payment'),
    },
  );
};

const billingLabels: Run = async (service) => {
  const labels = labelsOf((await service.fields('BillingItems')).get('billingItemType'));
  return compared({ labor: true }, { labor: labels.includes('labor') });
};

const notQueryable: Run = async (service) => {
  const known = await service.fields('ExpenseItems');
  const isQueryable = (name: string): Shape => known.get(name)?.['isQueryable'] === true;
  return compared(
    { isReimbursable: false, isRejected: false },
    { isReimbursable: isQueryable('isReimbursable'), isRejected: isQueryable('isRejected') },
  );
};

const dateTimes: Run = async (service) => {
  const [row] = await service.rows('Invoices', [everything], { MaxRecords: 1 });
  if (row === undefined) throw new NotTried('The database has no invoice.');
  const text = textIn(row, 'createDateTime') ?? '';
  return compared({ isUtc: true }, { isUtc: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(text) });
};

const toCents = (value: unknown): number => Math.round(Number(value) * 100);
/** Invoices whose totals are compared. */
const maxCompared = 5;

const totals: Run = async (service) => {
  const invoices = await service.rows('Invoices', [everything]);
  const taxed = invoices.filter((row) => toCents(row['totalTaxValue']) > 0 && row['isVoided'] !== true);
  const seen = { withTax: 0, withoutTax: 0 };
  for (const row of taxed.slice(-maxCompared)) {
    const filter = [{ op: 'eq', field: 'invoiceID', value: Number(row['id']) }];
    const items = await service.rows('BillingItems', filter);
    const rest = toCents(row['invoiceTotal']) - items.reduce((sum, item) => sum + toCents(item['totalAmount']), 0);
    // Billing items are rounded separately. An invoice in another currency matches neither.
    const isAbout = (cents: number) => Math.abs(rest - cents) <= items.length;
    if (items.length > 0 && isAbout(toCents(row['totalTaxValue']))) seen.withTax += 1;
    else if (items.length > 0 && isAbout(0)) seen.withoutTax += 1;
  }
  if (seen.withTax + seen.withoutTax === 0) throw new NotTried('The database has no comparable invoice with tax.');
  return compared({ isTaxIncluded: true }, { isTaxIncluded: seen.withTax > seen.withoutTax });
};

const patch = (service: AutotaskService, body: JsonRecord) => service.call('PATCH', 'Invoices', { body });

const patches: Run = async (service) => {
  const id = await service.unsyncedInvoice();
  const answer = await patch(service, { id, invoiceNumber: markedNumber });
  const stored = await service.record('Invoices', id);
  const cleared = await patch(service, { id, invoiceNumber: '' });
  const after = await service.record('Invoices', id);
  return compared(
    { status: 200, body: { itemId: 'number' }, isStored: true, cleared: 200, isCleared: true },
    {
      status: answer.status,
      body: shapeOf(answer.body ?? null),
      isStored: stored['invoiceNumber'] === markedNumber,
      cleared: cleared.status,
      isCleared: !after['invoiceNumber'],
    },
  );
};

const unknownMember: Run = async (service) => {
  const id = await service.unsyncedInvoice();
  const answer = await patch(service, { id, noSuchMember: 'x', invoiceNumber: markedNumber });
  const stored = await service.record('Invoices', id);
  return compared(
    { status: 200, isRestStored: true },
    { status: answer.status, isRestStored: stored['invoiceNumber'] === markedNumber },
  );
};

const nullClears: Run = async (service) => {
  const id = await service.unsyncedInvoice();
  await patch(service, { id, webServiceDate: '2026-01-05T00:00:00Z' });
  const written = await service.record('Invoices', id);
  const answer = await patch(service, { id, webServiceDate: null });
  const after = await service.record('Invoices', id);
  return compared(
    { isWritten: true, status: 200, isCleared: true },
    { isWritten: Boolean(written['webServiceDate']), status: answer.status, isCleared: !after['webServiceDate'] },
  );
};

/** Checks of Autotask, in the order in which they run. */
export const autotaskChecks: readonly Check<AutotaskService>[] = [
  reads('A1 A3 A4', 'The zone service knows the user by name, and an unknown one gets 500 with the known text', zones),
  reads('A51', 'Version V1.0 exists, and the zone service has no version 2.0', versions),
  reads('A5 A15', 'A call without tracking identifier is refused with 401 or 500', missingHeader),
  reads('A10', 'The threshold information has limit, time frame and count', thresholds),
  reads('A7', 'Company 0 is the own company', ownCompany),
  reads('A11', 'An unknown field is refused with 500 and a text', unknownField),
  reads('A16 A17', 'Pages are in ascending order of id, at most 500 rows, and continue with “gt”', paging),
  reads('A17', 'A page names the number of its rows and the next page', pageDetails),
  reads('A16', 'A list condition has at most 500 values', longLists),
  reads('A18', 'A condition with an unknown operator is dropped', unknownOperator),
  reads('A20', 'Companies are filtered by true, contacts by 1', flags),
  reads('A52', 'A record that does not exist is null', missingRecord),
  reads('A26', 'Date-times are UTC', dateTimes),
  reads('A28 A29 A50', 'The entities have the fields that we read', fields),
  reads('A28', 'Field information has type, length and flags', fieldInformation),
  reads('A53', 'User-defined fields have name and label', userDefinedFields),
  reads('A30 A31', 'The invoice total includes the tax', totals),
  reads('A32', 'Labels of billing items are known', billingLabels),
  reads('A36', 'Status 2 of orders is Submitted, 3 of reports Approved for Payment', statuses),
  reads('A39', 'Reimbursable and rejected cannot be queried', notQueryable),
  writes('A22', 'A PATCH stores the number and returns the id; an empty text clears it', patches),
  writes('A54', 'An unknown member of a PATCH is ignored, and the rest is stored', unknownMember),
  writes('A23', 'A null in a PATCH clears a date', nullClears),
];
