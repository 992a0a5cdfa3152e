/** Checks of QuickBooks that write marked documents; the run deletes them afterward. */
import { randomUUID } from 'node:crypto';
import { isRecord } from '../quickbooks/errors.ts';
import { type Answer, recordIn, recordsIn, textIn } from './calls.ts';
import { codesOf, keyOf, mark, outcomeOf, type QuickbooksService, type Written } from './quickbooks-service.ts';
import { type Check, compared, NotTried, type Shape } from './suite.ts';

type Run = Check<QuickbooksService>['run'];

const writes = (facts: string, title: string, run: Run): Check<QuickbooksService> => ({
  facts: facts.split(' '),
  title,
  needs: 'writes',
  run,
});

const refused = (code: string): Shape => ({ status: 400, code });
const post = (service: QuickbooksService, body: object, query = {}): Promise<Answer> =>
  service.call('POST', 'invoice', { body: { ...body }, query });
const newInvoice = async (service: QuickbooksService, more = {}): Promise<Written> =>
  service.write('Invoice', await service.invoice(more));

const requestIds: Run = async (service) => {
  const body = await service.invoice();
  const requestid = randomUUID();
  const [first, second] = [await post(service, body, { requestid }), await post(service, body, { requestid })];
  const id = ({ body: answer }: Answer) => textIn(recordIn(answer, 'Invoice'), 'Id');
  if (first.status !== 200) throw new NotTried('A marked invoice could not be created.');
  return compared({ status: 200, isSame: true }, { status: second.status, isSame: id(first) === id(second) });
};

const unknownMember: Run = async (service) =>
  compared(refused('2010'), outcomeOf(await post(service, { ...(await service.invoice()), NoSuchMember: 'x' })));

const staleToken: Run = async (service) => {
  const { row } = await newInvoice(service);
  const body = { ...keyOf(row), sparse: true, PrivateNote: `${mark} changed` };
  await service.write('Invoice', body);
  return compared(refused('5010'), outcomeOf(await post(service, body)));
};

const updates: Run = async (service) => {
  const text = { CustomerMemo: { value: 'Thank you' } };
  const { row } = await newInvoice(service, text);
  const sparse = await service.write('Invoice', { ...keyOf(row), sparse: true, PrivateNote: `${mark} sparse` });
  const { CustomerMemo: _dropped, ...rest } = sparse.row;
  const full = await service.write('Invoice', { ...rest, ...keyOf(sparse.row), sparse: false });
  const hasText = (one: Written) => textIn(recordIn(one.row, 'CustomerMemo'), 'value') === 'Thank you';
  return compared({ afterSparse: true, afterFull: false }, { afterSparse: hasText(sparse), afterFull: hasText(full) });
};

const voids: Run = async (service) => {
  const { row } = await newInvoice(service);
  const answer = await post(service, keyOf(row), { operation: 'void' });
  if (answer.status !== 200) return compared({ status: 200 }, outcomeOf(answer));
  const voided = recordIn(answer.body, 'Invoice');
  return compared(
    { total: '0', saysVoided: true, hasNumber: true },
    {
      total: textIn(voided, 'TotalAmt') ?? 'absent',
      saysVoided: (textIn(voided, 'PrivateNote') ?? '').startsWith('Voided'),
      hasNumber: textIn(voided, 'DocNumber') === textIn(row, 'DocNumber'),
    },
  );
};

const deletion: Run = async (service) => {
  const { id, row } = await newInvoice(service);
  const answer = await post(service, keyOf(row), { operation: 'delete' });
  const read = await service.call('GET', `invoice/${id}`);
  const rows = await service.rows('Invoice', `WHERE Id = '${id}'`, 'Id');
  return compared(
    { deleted: 200, read: refused('610'), queried: 0 },
    { deleted: answer.status, read: outcomeOf(read), queried: rows.length },
  );
};

/** How often, and how long after each other, the feed is read until it has both records. */
const feedTries = 6;
const feedPauseMs = 5_000;

const feed: Run = async (service) => {
  const changedSince = new Date(service.nowMs() - 600_000).toISOString();
  const [changed, deleted] = [await newInvoice(service), await newInvoice(service)];
  await service.write('Invoice', { ...keyOf(changed.row), sparse: true, PrivateNote: `${mark} changed` });
  await post(service, keyOf(deleted.row), { operation: 'delete' });
  for (let attempt = 1; ; attempt += 1) {
    await service.pause(feedPauseMs);
    const answer = await service.call('GET', 'cdc', { query: { entities: 'Invoice', changedSince } });
    if (answer.status !== 200) return compared({ status: 200 }, outcomeOf(answer));
    const rows = recordsIn(answer.body, 'CDCResponse')
      .flatMap((one) => recordsIn(one, 'QueryResponse'))
      .flatMap((block) => recordsIn(block, 'Invoice'));
    const statusOf = ({ id }: Written): Shape => {
      const row = rows.find((one) => textIn(one, 'Id') === id);
      return row === undefined ? 'absent' : row['status'] === 'Deleted' ? 'Deleted' : 'present';
    };
    const seen = { changed: statusOf(changed), deleted: statusOf(deleted) };
    const finding = compared({ changed: 'present', deleted: 'Deleted' }, seen);
    if (finding.result === 'holds' || attempt === feedTries) return finding;
  }
};

const numbers: Run = async (service) => {
  const { hasOwnNumbers } = await service.company();
  const { row } = await newInvoice(service);
  const DocNumber = textIn(row, 'DocNumber');
  const again = outcomeOf(await post(service, await service.invoice({ DocNumber })));
  const tooLong = await post(service, await service.invoice({ DocNumber: '1234567890123456789012' }));
  return compared(
    { again: hasOwnNumbers ? refused('6140') : { status: 200 }, tooLong: 400 },
    { again, tooLong: tooLong.status },
  );
};

/** Returns a marked invoice whose only line has these amounts. */
async function withLine(service: QuickbooksService, amount: number, quantity: number, price: number) {
  const body = await service.invoice();
  const [line] = recordsIn(body, 'Line');
  const detail = { ...recordIn(line, 'SalesItemLineDetail'), Qty: quantity, UnitPrice: price };
  return { ...body, Line: [{ ...line, Amount: amount, SalesItemLineDetail: detail }] };
}

const amounts: Run = async (service) =>
  compared(
    { mismatch: refused('6070'), negative: refused('6000') },
    {
      mismatch: outcomeOf(await post(service, await withLine(service, 11, 1, 10))),
      negative: outcomeOf(await post(service, await withLine(service, -10, -1, 10))),
    },
  );

const displayNames: Run = async (service) => {
  await service.customer();
  return compared(refused('6240'), outcomeOf(await service.call('POST', 'customer', { body: { DisplayName: mark } })));
};

const emails: Run = async (service) => {
  const body = await service.invoice({ BillEmail: { Address: 'not an address' } });
  return compared(refused('2210'), outcomeOf(await post(service, body)));
};

const batches: Run = async (service) => {
  const [good, bad] = [await service.invoice(), { ...(await service.invoice()), NoSuchMember: 'x' }];
  const answer = await service.call('POST', 'batch', {
    body: {
      BatchItemRequest: [
        { bId: 'good', operation: 'create', Invoice: good },
        { bId: 'bad', operation: 'create', Invoice: bad },
      ],
    },
    query: { requestid: randomUUID() },
  });
  if (answer.status !== 200) return compared({ status: 200 }, outcomeOf(answer));
  const item = (bId: string) =>
    recordsIn(answer.body, 'BatchItemResponse').find((one) => textIn(one, 'bId') === bId) ?? {};
  return compared(
    { good: true, bad: '2010' },
    { good: isRecord(item('good')['Invoice']), bad: codesOf(item('bad'))[0] ?? 'absent' },
  );
};

const payments: Run = async (service) => {
  const { id, syncToken } = await newInvoice(service);
  const payment = await service.write('Payment', {
    CustomerRef: { value: await service.customer() },
    PrivateNote: mark,
    TotalAmt: 10,
    Line: [{ Amount: 10, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
  });
  const [paid] = await service.rows('Invoice', `WHERE Id = '${id}'`);
  const account = textIn(recordIn(payment.row, 'DepositToAccountRef'), 'value');
  const [deposit] =
    account === undefined ? [] : await service.rows('Account', `WHERE Id = '${account}'`, 'Id, AccountSubType');
  return compared(
    { balance: '0', isNewVersion: true, depositsTo: 'UndepositedFunds' },
    {
      balance: textIn(paid, 'Balance') ?? 'absent',
      isNewVersion: textIn(paid, 'SyncToken') !== syncToken,
      depositsTo: account === undefined ? 'UndepositedFunds' : (textIn(deposit, 'AccountSubType') ?? 'absent'),
    },
  );
};

/** A text outside ISO-8859-1, which the lines of some invoices have. */
const foreignText = '東京 – “Zażółć”';

const foreignTexts: Run = async (service) => {
  const answer = await post(service, await service.invoice({ PrivateNote: `${mark} ${foreignText}` }));
  if (answer.status !== 200) return compared({ status: 200 }, outcomeOf(answer));
  const note = textIn(recordIn(answer.body, 'Invoice'), 'PrivateNote') ?? '';
  return compared({ isUnchanged: true }, { isUnchanged: note.endsWith(foreignText) });
};

const automatedTax: Run = async (service) => {
  const { hasAutomatedTax, isAmerican } = await service.company();
  if (!hasAutomatedTax || !isAmerican) throw new NotTried('The company does not use automated sales tax.');
  const { row } = await newInvoice(service, { TxnTaxDetail: { TotalTax: 1.23 } });
  const tax = textIn(recordIn(row, 'TxnTaxDetail'), 'TotalTax');
  return compared({ sentTaxIsStored: false }, { sentTaxIsStored: tax === '1.23' });
};

const exemptCustomers: Run = async (service) => {
  const { hasAutomatedTax, isAmerican } = await service.company();
  if (!hasAutomatedTax || !isAmerican) throw new NotTried('The company does not use automated sales tax.');
  const body = { DisplayName: `${mark} ${service.nextNumber()}`, Taxable: false };
  const withoutReason = await service.call('POST', 'customer', { body });
  const withReason = await service.call('POST', 'customer', {
    body: { ...body, DisplayName: `${mark} ${service.nextNumber()}`, TaxExemptionReasonId: '7' },
  });
  return compared(
    { withoutReason: 400, withReason: 200 },
    {
      withoutReason: withoutReason.status,
      withReason: withReason.status,
    },
  );
};

/** Checks of QuickBooks that write, in the order in which they run. */
export const quickbooksWrites: readonly Check<QuickbooksService>[] = [
  writes('Q11', 'A repeated requestid returns the first invoice', requestIds),
  writes('Q20', 'An unknown member rejects the whole request (2010)', unknownMember),
  writes(
    'Q24 Q36 Q37',
    'A taken number is rejected only with custom transaction numbers; at most 21 characters',
    numbers,
  ),
  writes('Q24 Q41', 'A taken display name is rejected (6240)', displayNames),
  writes('Q26', 'A stale SyncToken is rejected (5010)', staleToken),
  writes('Q30', 'An invalid email address is rejected (2210)', emails),
  writes('Q38 Q52', 'An amount must equal quantity × price (6070); a negative total is rejected (6000)', amounts),
  writes('Q43', 'With automated sales tax, QuickBooks replaces the tax that was sent', automatedTax),
  writes('Q45 Q62', 'A void has amounts of 0 and a note that begins with “Voided”, and its number stays', voids),
  writes('Q65 Q66', 'A payment changes its invoice and goes to Undeposited Funds', payments),
  writes('Q69', 'Each item of a batch succeeds or fails separately', batches),
  writes('Q23', 'A deleted invoice is gone from queries, and reading it gets 610', deletion),
  writes('Q89', 'With automated sales tax, a new exempt customer needs a reason', exemptCustomers),
  writes('Q93', 'The change feed reports a changed invoice, and “Deleted” only for a deleted one', feed),
  writes('Q90', 'A full update clears members that are not sent; a sparse one leaves them', updates),
  writes('Q91', 'A text outside ISO-8859-1 is stored unchanged', foreignTexts),
];
