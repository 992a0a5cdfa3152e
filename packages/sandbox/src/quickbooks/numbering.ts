import type { Company } from './company.ts';
import { type Doc, docAt, listAt, refAt, textAt } from './doc.ts';
import { kindOf } from './entities.ts';
import { fault } from './faults.ts';
import type { Write } from './write.ts';

/** Entities that share a sequence of numbers (quickbooks reference 5.1, 5.3). */
const sequences: Readonly<Record<string, string>> = {
  Invoice: 'sales',
  CreditMemo: 'sales',
  SalesReceipt: 'sales',
  RefundReceipt: 'sales',
  Estimate: 'estimate',
  PurchaseOrder: 'purchase order',
};

const membersOf = (sequence: string | undefined) =>
  Object.keys(sequences).filter((entity) => sequences[entity] === sequence);

/** Rejects a number that another document of these entities has (6140), unless the client allowed duplicates. */
function checkUnused(
  write: Write,
  number: string,
  entities: readonly string[],
  isSameParty?: (body: Doc) => boolean,
): void {
  if (write.include.has('allowduplicatedocnum')) return;
  for (const entity of entities)
    for (const entry of write.company.table(entity).find('DocNumber', number)) {
      if (entry === write.before || (isSameParty !== undefined && !isSameParty(entry.body))) continue;
      throw fault.duplicateNumber(number, kindOf(entity).label, entry.id);
    }
}

/**
 * Returns the number of a document: the one the client sent, if allowed, otherwise the next of its sequence.
 * `countNumber` advances the sequence once the document is saved.
 *
 * @returns undefined when the document has no number
 */
export function documentNumber(write: Write): string | undefined {
  const { kind, preferences, merged, sent, before, company } = write;
  const sequence = sequences[kind.name];
  const typed = textAt(merged, 'DocNumber');
  const isTyped = textAt(sent, 'DocNumber') !== undefined;
  if (kind.name === 'Bill' || kind.name === 'VendorCredit') {
    const vendor = refAt(merged, 'VendorRef');
    if (typed !== undefined && isTyped && preferences.warnsOfDuplicateBills)
      checkUnused(write, typed, [kind.name], (body) => refAt(body, 'VendorRef') === vendor);
    return typed;
  }
  if (sequence === undefined) return typed;
  const isAutomatic = typed === 'AUTO_GENERATE' || (merged['AutoDocNumber'] === true && !isTyped);
  const isOwn = sequence === 'purchase order' ? preferences.hasOwnPurchaseNumbers : preferences.hasOwnSalesNumbers;
  const next = () => String((company.numbers.get(sequence) ?? 1000) + 1);
  if (isAutomatic) return next();
  if (typed !== undefined) {
    // With automatic numbering, a duplicate is accepted silently on sales forms but never on purchase orders.
    if (isTyped && (isOwn || sequence === 'purchase order')) checkUnused(write, typed, membersOf(sequence));
    return typed;
  }
  // A full update without the number clears it (recorded for PurchaseOrder); a new document gets the next one.
  return before === undefined && !isOwn ? next() : undefined;
}

/** Advances a sequence when a saved document used its next number. */
export function countNumber(write: Write, number: string | undefined): void {
  const sequence = sequences[write.kind.name];
  if (sequence === undefined || number === undefined) return;
  const next = (write.company.numbers.get(sequence) ?? 1000) + 1;
  if (textAt(write.sent, 'DocNumber') === number || number !== String(next)) return;
  write.company.numbers.set(sequence, next);
  turnOnCustomNumbers(write.company, sequence, next);
}

/** Turns custom transaction numbers on once the number of the switch was used, as a person would. */
function turnOnCustomNumbers(company: Company, sequence: string, given: number): void {
  const isOrder = sequence === 'purchase order';
  const limit = company.behaviour.get(isOrder ? 'custom_order_numbers_after' : 'custom_sales_numbers_after');
  const entry = company.find('Preferences', '1');
  if (limit === 0 || given < limit || entry === undefined || (!isOrder && sequence !== 'sales')) return;
  const { body } = entry;
  const others = docAt(body, 'OtherPrefs');
  const name = 'VendorAndPurchasesPrefs.UseCustomTxnNumbers';
  const values = listAt(others, 'NameValue').filter((one) => textAt(one, 'Name') !== name);
  company.change(kindOf('Preferences'), entry, {
    ...body,
    ...(isOrder
      ? { OtherPrefs: { ...others, NameValue: [...values, { Name: name, Value: 'true' }] } }
      : { SalesFormsPrefs: { ...docAt(body, 'SalesFormsPrefs'), CustomTxnNumbers: true } }),
  });
}
