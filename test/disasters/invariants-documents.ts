import type { Finding } from './checker.ts';
import {
  cents,
  creationsOf,
  inQuickBooks,
  inPsa,
  isInQuickBooks,
  isReferenced,
  isVoided,
  lockedOut,
  creationsFor,
  psaFields,
  referenceTo,
  rowsOf,
  textIn,
  wasAbandoned,
  referenceInPsa,
  quickbooksWrites,
  type Creation,
} from './documents.ts';
import type { Evidence } from './evidence.ts';
import { mailedTwice, neverMailed } from './invariants-mails.ts';
import type { ExpectedDocument } from './flow.ts';

const named = ({ kind, psaId }: Pick<ExpectedDocument, 'kind' | 'psaId'>): string => `${kind} ${psaId}`;
const namesOf = (creations: readonly Creation[]): string =>
  creations.map(({ entity, id }) => `${entity} ${id}`).join(', ');

/** I1: At most the expected number of documents. */
export function noDuplicate(evidence: Evidence): Finding[] {
  const creations = creationsOf(evidence);
  const found: Finding[] = [];
  const documents = Map.groupBy(
    creations.filter(({ source }) => source !== null),
    ({ realmId, source }) => `${realmId} ${source?.kind} ${source?.psaId}`,
  );
  for (const made of documents.values()) {
    const source = made[0]?.source;
    if (source === undefined || source === null) continue;
    const times = evidence.expected.find((one) => one.kind === source.kind && one.psaId === source.psaId)?.times ?? 0;
    if (made.length > times)
      found.push({ document: named(source), problem: `expected at most ${times}, QuickBooks has ${namesOf(made)}` });
  }
  return found;
}

/** I1: One record per customer, vendor and item, and one email per document. */
export function noDuplicateRecord(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const names = Map.groupBy(
    creationsOf(evidence).filter(({ source }) => source === null),
    ({ realmId, entity, record }) =>
      `${realmId} ${entity} ${textIn(record, entity === 'Item' ? 'Name' : 'DisplayName').replace(/ \((Customer|Vendor)\)$/, '')}`,
  );
  for (const [name, made] of names)
    if (made.length > 1) found.push({ document: null, problem: `${name} was created as ${namesOf(made)}` });
  return [...found, ...mailedTwice(evidence)];
}

/** I2: Every requested document was posted, or refused with a status and a reason, or has another allowed end. */
export function noneMissing(evidence: Evidence): Finding[] {
  const creations = creationsOf(evidence);
  const isLockedOut = lockedOut(evidence).size > 0;
  const logs = rowsOf(evidence, 'logs');
  const missing = evidence.expected.flatMap((expected): Finding[] => {
    const report = (text: string): Finding[] => [{ document: named(expected), problem: text }];
    const logged = logs.filter((row) => row['type'] === expected.kind && row['psa_id'] === expected.psaId);
    const made = creationsFor(creations, expected).filter((one) => inQuickBooks(evidence, one) !== undefined);
    const reference = isReferenced(expected.kind) ? referenceInPsa(evidence, expected.kind, expected.psaId) : '';
    switch (expected.end) {
      case 'done':
        if (isLockedOut) return [];
        if (made.length < expected.times) return report(`expected ${expected.times}, QuickBooks has ${made.length}`);
        if (!logged.some((row) => row['success'] === true)) return report('no log row for the success');
        if (expected.postedAt !== undefined) return wrongTotal(evidence, expected);
        return expected.times === 0 ? wrongVoidOrPayment(evidence, expected) : [];
      case 'refused':
        if (!logged.some((row) => row['success'] === false))
          return report('no log row with the reason for the refusal');
        return reference.endsWith('ERROR') ? [] : report(`refused, but Autotask shows “${reference}”`);
      case 'simulated':
        return logged.some((row) => row['is_test'] === true) ? [] : report('no log row for the test sync');
      case 'cleared':
        return reference === '' ? [] : report(`cleared, but Autotask shows “${reference}”`);
      case 'abandoned':
        return wasAbandoned(evidence, expected) || made.length === expected.times
          ? []
          : report('neither in QuickBooks nor reported as abandoned');
      default:
        return report(`unknown end: ${String(expected.end satisfies never)}`);
    }
  });
  return [...missing, ...neverMailed(evidence)];
}

/** Checks that the documents in QuickBooks total the amount that changed in Autotask after posting. */
function wrongTotal(evidence: Evidence, { psaId }: ExpectedDocument): Finding[] {
  const creations = creationsOf(evidence);
  const standing = [
    ...creationsFor(creations, { kind: 'invoice', psaId }),
    ...creationsFor(creations, { kind: 'difference', psaId }),
  ];
  const total = standing
    .map((one) => cents(inQuickBooks(evidence, one)?.['TotalAmt'] ?? 0) * (one.entity === 'CreditMemo' ? -1 : 1))
    .reduce((sum, one) => sum + one, 0);
  const wanted = cents(inPsa(evidence, 'invoice', psaId)?.['invoiceTotal']);
  return total === wanted
    ? []
    : [{ document: `invoice ${psaId}`, problem: `${namesOf(standing)} total ${total} cents, Autotask has ${wanted}` }];
}

/** Checks a void, which changes an invoice in QuickBooks, or a payment, which sets a date in Autotask. */
function wrongVoidOrPayment(evidence: Evidence, expected: ExpectedDocument): Finding[] {
  const [document] = creationsFor(creationsOf(evidence), { kind: 'invoice', psaId: expected.psaId });
  const record = document === undefined ? undefined : inQuickBooks(evidence, document);
  if (document === undefined || record === undefined)
    return [{ document: named(expected), problem: 'its document is missing' }];
  if (expected.kind === 'void') {
    const carriedOut = quickbooksWrites(evidence).filter(
      ({ operation, body, entry, answer }) =>
        operation === 'void' && body['Id'] === document.id && entry.applied && answer !== undefined,
    );
    if (!isVoided(record))
      return [{ document: named(expected), problem: `${document.entity} ${document.id} is not voided` }];
    return carriedOut.length === 1 ? [] : [{ document: named(expected), problem: `voided ${carriedOut.length} times` }];
  }
  const paidOn = textIn(inPsa(evidence, 'invoice', expected.psaId) ?? {}, 'paidDate').slice(0, 10);
  const days = paymentsOf(evidence, document).map((payment) => textIn(payment, 'TxnDate'));
  return days.includes(paidOn)
    ? []
    : [{ document: named(expected), problem: `paid on ${days.join(', ')}, but Autotask shows “${paidOn}”` }];
}

/** Returns the payments applied to a document. */
const paymentsOf = (evidence: Evidence, { realmId, id }: Creation) =>
  (evidence.accounting['Payment'] ?? []).filter(
    (payment) => payment['realmId'] === realmId && appliedTo(payment, id).length > 0,
  );
const appliedTo = (payment: Evidence['accounting'][string][number], id: string): unknown[] =>
  listOf(payment['Line'])
    .filter((line) => listOf(line['LinkedTxn']).some((link) => link['TxnId'] === id))
    .map((line) => line['Amount']);
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

/** I3: Autotask shows the newest document of each request, no two share a number, and IN PROCESS is gone. */
export function referencesAgree(evidence: Evidence): Finding[] {
  const creations = creationsOf(evidence);
  const found: Finding[] = [];
  for (const [kind, { entity, field }] of Object.entries(psaFields))
    for (const row of evidence.psa[entity] ?? [])
      if (textIn(row, field).includes('IN PROCESS'))
        found.push({ document: `${kind} ${textIn(row, 'id')}`, problem: `still shows “${textIn(row, field)}”` });
  const firstWith = new Map<string, string>();
  for (const expected of evidence.expected) {
    const { kind, psaId } = expected;
    const newest = creationsFor(creations, expected).at(-1);
    const isOwn = newest !== undefined && expected.isAnother !== true;
    if (!isReferenced(kind) || !isOwn || inQuickBooks(evidence, newest) === undefined) continue;
    const reference = referenceInPsa(evidence, kind, psaId);
    const isExcused = lockedOut(evidence).size > 0;
    if (reference !== referenceTo(newest) && !isExcused && !wasAbandoned(evidence, expected))
      found.push({
        document: named(expected),
        problem: `QuickBooks has ${referenceTo(newest)}, Autotask shows “${reference}”`,
      });
    const twin = firstWith.get(`${newest.realmId} ${kind} ${reference}`);
    if (twin !== undefined && reference !== '')
      found.push({ document: named(expected), problem: `shows “${reference}”, the same as ${twin}` });
    firstWith.set(`${newest.realmId} ${kind} ${reference}`, named(expected));
  }
  for (const row of rowsOf(evidence, 'postings')) {
    if (row['status'] !== 'synced' || row['kind'] === 'void') continue;
    const isThere = creations.some(({ id, source }) => id === row['target_id'] && source?.psaId === row['psa_id']);
    if (!isThere && !isInQuickBooks(evidence, row))
      found.push({
        document: `${String(row['kind'])} ${String(row['psa_id'])}`,
        problem: `the ledger has ${String(row['target_id'])}, which is not in QuickBooks`,
      });
  }
  return found;
}

/** I5: Every line, every document and their sum equal the amounts in Autotask, in whole cents. */
export function moneyToTheCent(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  let quickbooksCents = 0;
  let psaCents = 0;
  for (const one of creationsOf(evidence)) {
    const { source } = one;
    const record = inQuickBooks(evidence, one);
    if (source === null || record === undefined) continue;
    const report = (text: string) => found.push({ document: named(source), problem: text });
    try {
      const total = cents(record['TotalAmt']);
      if (isVoided(record)) continue;
      const before = postedAt(evidence, source.psaId);
      const isAsPosted = source.kind === 'invoice' && before !== null && total === before;
      const expected = isAsPosted
        ? before
        : one.entity === 'Payment'
          ? cents(openBefore(evidence, one))
          : totalInPsa(evidence, source);
      if (expected === null) continue;
      quickbooksCents += total;
      psaCents += Math.abs(expected);
      if (total !== Math.abs(expected)) report(`${one.entity} ${one.id} has ${total} cents, Autotask has ${expected}`);
      const lines = linesInAccounting(record);
      const wanted = isAsPosted ? null : linesInPsa(evidence, source);
      if (wanted !== null && lines.join(' ') !== wanted.join(' '))
        report(`lines of ${lines.join(', ')} cents, Autotask has ${wanted.join(', ')}`);
      const kept = rowsOf(evidence, 'postings').filter(
        (row) => row['kind'] === source.kind && row['psa_id'] === source.psaId,
      );
      const newest = kept
        .filter((row) => row['target_id'] === one.id && row['status'] !== 'sending')
        .sort((a, b) => Number(a['generation']) - Number(b['generation']))
        .at(-1);
      // The ledger gets the new total when the change ends.
      const isUnderWay = kept.some((row) => row['status'] === 'sending');
      if (newest !== undefined && !isUnderWay && cents(newest['total']) !== total)
        report(`the ledger has ${String(newest['total'])}`);
      if (one.entity === 'Invoice') {
        const paid = paymentsOf(evidence, one)
          .flatMap((payment) => appliedTo(payment, one.id))
          .reduce<number>((sum, amount) => sum + cents(amount), 0);
        if (cents(record['Balance']) !== total - paid)
          report(`${paid} cents are applied, but ${String(record['Balance'])} is open`);
      }
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
    }
  }
  if (quickbooksCents !== psaCents && found.length === 0)
    found.push({ document: null, problem: `QuickBooks totals ${quickbooksCents} cents, Autotask ${psaCents}` });
  return found;
}

/** Open amount before the product's payment: the total, because the flows have no other payments. */
function openBefore(evidence: Evidence, payment: Creation): unknown {
  const [line] = listOf(payment.record['Line']);
  const [link] = listOf(line?.['LinkedTxn']);
  return evidence.accounting['Invoice']?.find((one) => one['Id'] === link?.['TxnId'])?.['TotalAmt'];
}

/** Posted amount in cents before the total changed; null when it did not change. */
function postedAt({ expected }: Evidence, psaId: number): number | null {
  const found = expected.find((one) => one.psaId === psaId && one.postedAt !== undefined)?.postedAt;
  return found === undefined ? null : cents(found);
}

function totalInPsa(evidence: Evidence, source: NonNullable<Creation['source']>): number | null {
  if (source.kind === 'difference') {
    const before = postedAt(evidence, source.psaId);
    const now = inPsa(evidence, 'invoice', source.psaId)?.['invoiceTotal'];
    return before === null ? null : cents(now) - before;
  }
  if (!isReferenced(source.kind)) return null;
  const row = inPsa(evidence, source.kind, source.psaId);
  if (row === undefined) return null;
  switch (source.kind) {
    case 'invoice':
      return cents(row['invoiceTotal']);
    case 'expense_report':
      return cents(row['amountDue']);
    case 'purchase_order':
      return itemsOfOrder(evidence, source.psaId).reduce((sum, one) => sum + one, cents(row['freight']));
    default:
      return source.kind satisfies never;
  }
}

const itemsOfOrder = (evidence: Evidence, psaId: number): number[] =>
  (evidence.psa['PurchaseOrderItems'] ?? [])
    .filter((item) => item['orderID'] === psaId)
    // The flows' orders have quantities and costs that multiply to whole cents.
    .map((item) => Math.round(Number(item['quantity']) * Number(item['unitCost']) * 100));

const ascending = (amounts: readonly number[]): number[] => amounts.filter((one) => one !== 0).sort((a, b) => a - b);

const linesInAccounting = (record: Evidence['accounting'][string][number]): number[] =>
  ascending(
    listOf(record['Line'])
      .filter((line) => line['DetailType'] !== 'SubTotalLineDetail')
      .map((line) => cents(line['Amount'] ?? 0)),
  );

/** Amounts of a document's lines in Autotask; null where the lines may differ from QuickBooks. */
function linesInPsa(evidence: Evidence, { kind, psaId }: NonNullable<Creation['source']>): number[] | null {
  switch (kind) {
    case 'invoice':
      // Autotask removes the items from a voided invoice.
      if (inPsa(evidence, 'invoice', psaId)?.['isVoided'] === true) return null;
      return ascending(
        (evidence.psa['BillingItems'] ?? [])
          .filter((item) => item['invoiceID'] === psaId)
          .map((item) => cents(item['totalAmount'])),
      );
    case 'purchase_order':
      return ascending([
        ...itemsOfOrder(evidence, psaId),
        cents(inPsa(evidence, 'purchase_order', psaId)?.['freight'] ?? 0),
      ]);
    default:
      return null;
  }
}

/** I13: The ledger and QuickBooks have the expected number of documents. */
export function forcedSyncAddsOne(evidence: Evidence): Finding[] {
  const creations = creationsOf(evidence);
  return evidence.expected.flatMap((expected): Finding[] => {
    if (expected.end !== 'done' || expected.times === 0 || lockedOut(evidence).size > 0) return [];
    const made = creationsFor(creations, expected);
    const generations = rowsOf(evidence, 'postings').filter(
      (row) =>
        row['kind'] === expected.kind &&
        row['psa_id'] === expected.psaId &&
        row['status'] !== 'refused' &&
        row['status'] !== 'sending',
    );
    // A changed document has several generations with the same id.
    const kept = new Set(generations.map((row) => row['target_id'])).size;
    if (made.length !== expected.times || kept !== expected.times)
      return [
        {
          document: named(expected),
          problem: `expected ${expected.times} documents, QuickBooks has ${made.length}, the ledger ${kept}`,
        },
      ];
    return [];
  });
}
