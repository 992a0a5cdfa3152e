import type { Finding } from './checker.ts';
import {
  cents,
  creationsOf,
  inBooks,
  inPsa,
  isReferenced,
  isVoided,
  lockedOut,
  madeFor,
  psaFields,
  referenceTo,
  rowsOf,
  textIn,
  wasLeft,
  referenceInPsa,
  writesToBooks,
  type Creation,
} from './documents.ts';
import type { Evidence } from './evidence.ts';
import { mailedTwice, neverMailed } from './invariants-mails.ts';
import type { Asked } from './flow.ts';

const named = ({ kind, psaId }: Pick<Asked, 'kind' | 'psaId'>): string => `${kind} ${psaId}`;
const namesOf = (creations: readonly Creation[]): string =>
  creations.map(({ entity, id }) => `${entity} ${id}`).join(', ');

/** I1: of each document as many as were asked for, of each customer, vendor and item one, of each mail one. */
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
    const times = evidence.asked.find((one) => one.kind === source.kind && one.psaId === source.psaId)?.times ?? 0;
    if (made.length > times)
      found.push({ document: named(source), saw: `asked for ${times}, the books made ${namesOf(made)}` });
  }
  const names = Map.groupBy(
    creations.filter(({ source }) => source === null),
    ({ realmId, entity, record }) =>
      `${realmId} ${entity} ${textIn(record, entity === 'Item' ? 'Name' : 'DisplayName').replace(/ \((Customer|Vendor)\)$/, '')}`,
  );
  for (const [name, made] of names)
    if (made.length > 1) found.push({ document: null, saw: `${name} was made as ${namesOf(made)}` });
  return [...found, ...mailedTwice(evidence)];
}

/** I2: what was asked for is there, was refused with a mark and a reason, or has a named reason to be neither. */
export function noneMissing(evidence: Evidence): Finding[] {
  const creations = creationsOf(evidence);
  const isLockedOut = lockedOut(evidence).size > 0;
  const logs = rowsOf(evidence, 'logs');
  const missing = evidence.asked.flatMap((asked): Finding[] => {
    const saw = (text: string): Finding[] => [{ document: named(asked), saw: text }];
    const logged = logs.filter((row) => row['type'] === asked.kind && row['psa_id'] === asked.psaId);
    const made = madeFor(creations, asked).filter((one) => inBooks(evidence, one) !== undefined);
    const reference = isReferenced(asked.kind) ? referenceInPsa(evidence, asked.kind, asked.psaId) : '';
    switch (asked.end) {
      case 'done':
        if (isLockedOut) return [];
        if (made.length < asked.times) return saw(`asked for ${asked.times}, the books have ${made.length}`);
        if (!logged.some((row) => row['success'] === true)) return saw('no log row tells of the success');
        if (asked.postedAt !== undefined) return notFollowed(evidence, asked);
        return asked.times === 0 ? doneElsewhere(evidence, asked) : [];
      case 'refused':
        if (!logged.some((row) => row['success'] === false)) return saw('no log row says why it was refused');
        return reference.endsWith('ERROR') ? [] : saw(`refused, and the PSA shows “${reference}”`);
      case 'simulated':
        return logged.some((row) => row['is_test'] === true) ? [] : saw('no log row tells of the test');
      case 'cleared':
        return reference === '' ? [] : saw(`cleared, and the PSA shows “${reference}”`);
      case 'left':
        return wasLeft(evidence, asked) || made.length === asked.times
          ? []
          : saw('neither is it in the books, nor does anything say that it was left');
      default:
        return saw(`an end that nobody knows: ${String(asked.end satisfies never)}`);
    }
  });
  return [...missing, ...neverMailed(evidence)];
}

/** A total that changed in the PSA after posting: what stands in the books comes to it, by one document or by several. */
function notFollowed(evidence: Evidence, { psaId }: Asked): Finding[] {
  const creations = creationsOf(evidence);
  const standing = [
    ...madeFor(creations, { kind: 'invoice', psaId }),
    ...madeFor(creations, { kind: 'difference', psaId }),
  ];
  const total = standing
    .map((one) => cents(inBooks(evidence, one)?.['TotalAmt'] ?? 0) * (one.entity === 'CreditMemo' ? -1 : 1))
    .reduce((sum, one) => sum + one, 0);
  const wanted = cents(inPsa(evidence, 'invoice', psaId)?.['invoiceTotal']);
  return total === wanted
    ? []
    : [{ document: `invoice ${psaId}`, saw: `${namesOf(standing)} come to ${total} cents, the PSA says ${wanted}` }];
}

/** Voids change a document of another kind, payments that were made in the books a date in the PSA. */
function doneElsewhere(evidence: Evidence, asked: Asked): Finding[] {
  const [document] = madeFor(creationsOf(evidence), { kind: 'invoice', psaId: asked.psaId });
  const record = document === undefined ? undefined : inBooks(evidence, document);
  if (document === undefined || record === undefined) return [{ document: named(asked), saw: 'its document is gone' }];
  if (asked.kind === 'void') {
    const carriedOut = writesToBooks(evidence).filter(
      ({ operation, body, entry, answer }) =>
        operation === 'void' && body['Id'] === document.id && entry.applied && answer !== undefined,
    );
    if (!isVoided(record)) return [{ document: named(asked), saw: `${document.entity} ${document.id} still stands` }];
    return carriedOut.length === 1 ? [] : [{ document: named(asked), saw: `voided ${carriedOut.length} times` }];
  }
  const paidOn = textIn(inPsa(evidence, 'invoice', asked.psaId) ?? {}, 'paidDate').slice(0, 10);
  const days = paymentsOf(evidence, document).map((payment) => textIn(payment, 'TxnDate'));
  return days.includes(paidOn)
    ? []
    : [{ document: named(asked), saw: `paid on ${days.join(', ')}, and the PSA says “${paidOn}”` }];
}

/** Payments that are applied to a document. */
const paymentsOf = (evidence: Evidence, { realmId, id }: Creation) =>
  (evidence.books['Payment'] ?? []).filter(
    (payment) => payment['realmId'] === realmId && appliedTo(payment, id).length > 0,
  );
const appliedTo = (payment: Evidence['books'][string][number], id: string): unknown[] =>
  listOf(payment['Line'])
    .filter((line) => listOf(line['LinkedTxn']).some((link) => link['TxnId'] === id))
    .map((line) => line['Amount']);
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

/** I3: the PSA names exactly the document that counts, no two name the same, and nothing says that it runs. */
export function referencesAgree(evidence: Evidence): Finding[] {
  const creations = creationsOf(evidence);
  const found: Finding[] = [];
  for (const [kind, { entity, field }] of Object.entries(psaFields))
    for (const row of evidence.psa[entity] ?? [])
      if (textIn(row, field).includes('IN PROCESS'))
        found.push({ document: `${kind} ${textIn(row, 'id')}`, saw: `still shows “${textIn(row, field)}”` });
  const firstWith = new Map<string, string>();
  for (const asked of evidence.asked) {
    const { kind, psaId } = asked;
    const newest = madeFor(creations, asked).at(-1);
    const isOwn = newest !== undefined && asked.isAnother !== true;
    if (!isReferenced(kind) || !isOwn || inBooks(evidence, newest) === undefined) continue;
    const reference = referenceInPsa(evidence, kind, psaId);
    const isExcused = lockedOut(evidence).size > 0;
    if (reference !== referenceTo(newest) && !isExcused && !wasLeft(evidence, asked))
      found.push({
        document: named(asked),
        saw: `the books have ${referenceTo(newest)}, the PSA shows “${reference}”`,
      });
    const twin = firstWith.get(`${newest.realmId} ${kind} ${reference}`);
    if (twin !== undefined && reference !== '')
      found.push({ document: named(asked), saw: `shows “${reference}”, as does ${twin}` });
    firstWith.set(`${newest.realmId} ${kind} ${reference}`, named(asked));
  }
  for (const row of rowsOf(evidence, 'postings')) {
    if (row['status'] !== 'synced' || row['kind'] === 'void') continue;
    const isThere = creations.some(({ id, source }) => id === row['target_id'] && source?.psaId === row['psa_id']);
    if (!isThere)
      found.push({
        document: `${String(row['kind'])} ${String(row['psa_id'])}`,
        saw: `the ledger names ${String(row['target_id'])}, which the books never made`,
      });
  }
  return found;
}

/** I5: every line, every document and all of them together come to what the PSA says, in whole cents. */
export function moneyToTheCent(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  let inBooksCents = 0;
  let inPsaCents = 0;
  for (const one of creationsOf(evidence)) {
    const { source } = one;
    const record = inBooks(evidence, one);
    if (source === null || record === undefined) continue;
    const saw = (text: string) => found.push({ document: named(source), saw: text });
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
      inBooksCents += total;
      inPsaCents += Math.abs(expected);
      if (total !== Math.abs(expected)) saw(`${one.entity} ${one.id} is over ${total} cents, the PSA says ${expected}`);
      const lines = linesInBooks(record);
      const wanted = isAsPosted ? null : linesInPsa(evidence, source);
      if (wanted !== null && lines.join(' ') !== wanted.join(' '))
        saw(`lines of ${lines.join(', ')} cents, the PSA has ${wanted.join(', ')}`);
      const kept = rowsOf(evidence, 'postings').filter(
        (row) => row['kind'] === source.kind && row['psa_id'] === source.psaId,
      );
      const newest = kept
        .filter((row) => row['target_id'] === one.id && row['status'] !== 'sending')
        .sort((a, b) => Number(a['generation']) - Number(b['generation']))
        .at(-1);
      // While a change of it is under way, the ledger does not know yet what it comes to.
      const isUnderWay = kept.some((row) => row['status'] === 'sending');
      if (newest !== undefined && !isUnderWay && cents(newest['total']) !== total)
        saw(`the ledger says ${String(newest['total'])}`);
      if (one.entity === 'Invoice') {
        const paid = paymentsOf(evidence, one)
          .flatMap((payment) => appliedTo(payment, one.id))
          .reduce<number>((sum, amount) => sum + cents(amount), 0);
        if (cents(record['Balance']) !== total - paid)
          saw(`${paid} cents are applied, ${String(record['Balance'])} open`);
      }
    } catch (error) {
      saw(error instanceof Error ? error.message : String(error));
    }
  }
  if (inBooksCents !== inPsaCents && found.length === 0)
    found.push({ document: null, saw: `the books sum up to ${inBooksCents} cents, the PSA to ${inPsaCents}` });
  return found;
}

/** Open amount of an invoice before our payment: all of it, as nobody else pays in the sweep. */
function openBefore(evidence: Evidence, payment: Creation): unknown {
  const [line] = listOf(payment.record['Line']);
  const [link] = listOf(line?.['LinkedTxn']);
  return evidence.books['Invoice']?.find((one) => one['Id'] === link?.['TxnId'])?.['TotalAmt'];
}

/** In cents, what an invoice was posted with before its total changed; null when it did not. */
function postedAt({ asked }: Evidence, psaId: number): number | null {
  const found = asked.find((one) => one.psaId === psaId && one.postedAt !== undefined)?.postedAt;
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
    // Quantities and costs of the sweep's orders are short enough for whole cents.
    .map((item) => Math.round(Number(item['quantity']) * Number(item['unitCost']) * 100));

const ascending = (amounts: readonly number[]): number[] => amounts.filter((one) => one !== 0).sort((a, b) => a - b);

const linesInBooks = (record: Evidence['books'][string][number]): number[] =>
  ascending(
    listOf(record['Line'])
      .filter((line) => line['DetailType'] !== 'SubTotalLineDetail')
      .map((line) => cents(line['Amount'] ?? 0)),
  );

/** Amounts of a document's lines in the PSA; null where lines of the books may be others than in the PSA. */
function linesInPsa(evidence: Evidence, { kind, psaId }: NonNullable<Creation['source']>): number[] | null {
  switch (kind) {
    case 'invoice':
      // The PSA takes the items off an invoice that is voided there.
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

/** I13: as many documents as were asked for, each a generation of its own, and the PSA names the newest. */
export function onceMoreAddsOne(evidence: Evidence): Finding[] {
  const creations = creationsOf(evidence);
  return evidence.asked.flatMap((asked): Finding[] => {
    if (asked.end !== 'done' || asked.times === 0 || lockedOut(evidence).size > 0) return [];
    const made = madeFor(creations, asked);
    const generations = rowsOf(evidence, 'postings').filter(
      (row) =>
        row['kind'] === asked.kind &&
        row['psa_id'] === asked.psaId &&
        row['status'] !== 'refused' &&
        row['status'] !== 'sending',
    );
    // A document that was changed is one document, with a generation for each of its states.
    const kept = new Set(generations.map((row) => row['target_id'])).size;
    if (made.length !== asked.times || kept !== asked.times)
      return [
        {
          document: named(asked),
          saw: `asked ${asked.times} times: ${made.length} documents, ${kept} in the ledger`,
        },
      ];
    return [];
  });
}
