import type { Company } from '../documents/party.ts';
import type { PurchaseOrder, PurchaseOrderLine } from '../documents/purchase-order.ts';
import { originText } from '../documents/origin.ts';
import type { AccountingPreferences } from '../documents/reference-data.ts';
import type { NumberedDocument } from '../ports/accounting.ts';
import { problem, type Problem, type ProblemDocument, withInactiveAccount } from '../problems.ts';
import { usesPsaNumber } from '../settings/definitions.ts';
import { errorMark } from '../sync-status.ts';
import { counted, truncate, normalized, textOrNull } from '../values/text.ts';
import { format, isZero, plus, round, round2, sum, times, zero, type Decimal } from '../values/decimal.ts';
import { boughtItem, choosePurchaseItem, cutName, itemReference, type ItemChoice } from './choose-item.ts';
import { chooseVendor, presentAddress } from './choose-party.ts';
import { chooseLocation, chooseOrderNumber, mappedClass, reportInactiveClasses } from './document-fields.ts';
import { chooseCurrency, type CurrencyChoice, worthOf } from './currency.ts';
import { DecisionLog, type DocumentDecision, refusal, skipped } from './decision.ts';
import { isOrdered } from './eligibility.ts';
import { costOf, pricePlaces, withAmounts } from './document-lines.ts';
import { purchaseOrderMessages } from './messages.ts';
import {
  type Command,
  type NewItem,
  type PurchaseForm,
  type PurchaseLine,
  type Reference,
  sourceOfOrder,
} from './plan.ts';
import {
  companyMissing,
  customersOf,
  maxTextLength,
  sourceNote,
  untaxedLines,
  usableAccount,
  vendorReference,
  type Indexes,
  type PurchaseFacts,
} from './purchases.ts';
import { indexAccounting, indexMappings, indexPsa } from './reference-index.ts';

/** Facts that decide on one purchase order. */
export interface PurchaseOrderFacts extends PurchaseFacts {
  readonly order: PurchaseOrder;
  /** The company that supplies the goods; null if it could not be read. */
  readonly vendor: Company | null;
  /** The company that the goods are for; null for stock, or if it could not be read. */
  readonly forCompany: Company | null;
  /** Another purchase order with the order's number; never the posting of this order. */
  readonly numberTakenBy: NumberedDocument | null;
}

export type PurchaseOrderDecision = DocumentDecision<'not_submitted'>;

/**
 * Decides the QuickBooks purchase order for one order of the PSA (domain reference 9). The function is pure: it reads
 * and sends nothing. Test mode shows the same plan that live mode posts.
 */
export function planPurchaseOrder(facts: PurchaseOrderFacts): PurchaseOrderDecision {
  const { order, vendor, settings, psaLabel } = facts;
  const log = new DecisionLog(describeDocument(facts));
  const indexes: Indexes = {
    psa: indexPsa(facts.psa),
    accounting: indexAccounting(facts.accounting),
    mappings: indexMappings(facts.mappings),
  };
  const isForeign = facts.psa.modules.multiCurrency && facts.accounting.preferences.multiCurrency;
  const seenCost = (line: PurchaseOrderLine) => (isForeign ? line.unitCost : line.internalUnitCost);
  const costOfOne = (line: PurchaseOrderLine) => seenCost(line) ?? zero;
  const isHidden = order.lines.some((line) => seenCost(line) === null);
  const freight = round2(isForeign ? order.freight : order.internalFreight);
  const seen = isHidden
    ? null
    : plus(sum(order.lines.map((line) => costOf(line.quantity, costOfOne(line)).amount)), freight);
  log.note('info', headline(facts, seen));
  if (!isOrdered(order)) return skipped('not_submitted', purchaseOrderMessages.notSubmitted(psaLabel), false, log);
  if (isHidden) {
    log.refuse(problem('PSA_COSTS_HIDDEN', { psa: psaLabel }));
    return refusal(log, errorMark('purchase_order', { reference: order.externalNumber }, false));
  }
  log.note('debug', `Numbering: ${usesPsaNumber(settings.po_numbering_option) ? psaLabel : 'QuickBooks'}`);
  if (order.lines.length === 0) log.refuse(problem('NO_LINES', { psa: psaLabel, what: 'purchase order' }));

  const currency = chooseCurrency({ ...facts, company: vendor }, indexes.psa, log);
  const commands: Command[] = [];
  if (vendor === null) log.refuse(companyMissing(psaLabel, order.vendorId));
  const vendorOfOrder = vendor === null ? null : vendorOf({ ...facts, vendor }, currency, indexes, commands, log);
  const customer = customerOf(facts, indexes, commands, log);

  const untaxed = untaxedLines(facts, order.submittedOn ?? order.createdOn, log);
  const common = { customer, classId: null, taxCode: untaxed.taxCode };
  const expenseAccountId = usableAccount(settings.po_default_expense_account, 'expense', facts.accounting);
  const classOf = (line: PurchaseOrderLine) => classOfLine(line, facts, indexes);
  if (facts.accounting.preferences.classPerLine)
    reportInactiveClasses(
      order.lines.map((line) => ({ lineOfBusinessId: businessOf(line, indexes) })),
      { ...indexes, settings: facts.settings },
      log,
    );
  const lines = decideLines(facts, { indexes, classOf, costOfOne, common, expenseAccountId, commands }, log);
  if (!isZero(freight)) {
    const line = freightLine(facts, freight, { indexes, expenseAccountId, common }, log);
    if (line !== null) lines.push({ ...line, classId: classOfAll(order, classOf) });
  }

  const payableAccountId = payableAccount(facts);
  if (payableAccountId === null) log.refuse(noPayable(facts));
  const number = numberOf(facts, log);
  const [termId, locationId] = [chooseTerm(facts, indexes, log), locationOf(facts, indexes, log)];
  if (log.problems.length > 0 || vendorOfOrder === null)
    return refusal(log, errorMark('purchase_order', { reference: order.externalNumber }, false));
  const form = formOf(facts, {
    vendor: vendorOfOrder,
    number,
    payableAccountId,
    termId,
    currency: currency.sent,
    locationId,
    taxExcluded: untaxed.taxExcluded,
    lines,
  });
  commands.push({ do: 'create_purchase_order', order: form });
  return {
    outcome: 'plan',
    plan: {
      commands,
      ...log.forPlan(),
      source: sourceOfOrder(order, describeDocument(facts), costOfOne, freight),
      expected: {
        subtotal: sum(lines.map(({ amount }) => amount)),
        tax: zero,
        dueOn: null,
        ...worthOf(currency, order.lines.flatMap(inBothCurrencies)),
      },
    },
  };
}

/** What was decided for an order; the rest of its form comes from the order as it is. */
interface Chosen extends Pick<
  PurchaseForm,
  'vendor' | 'number' | 'payableAccountId' | 'termId' | 'currency' | 'taxExcluded' | 'lines'
> {
  readonly locationId: string | null;
}

function formOf(
  facts: PurchaseOrderFacts,
  { locationId, currency, taxExcluded, lines, ...chosen }: Chosen,
): PurchaseForm {
  const { order } = facts;
  return {
    vendor: chosen.vendor,
    number: chosen.number,
    // An order creates no ledger entries, so a closed period does not matter.
    datedOn: order.submittedOn ?? order.createdOn,
    payableAccountId: chosen.payableAccountId,
    termId: chosen.termId,
    shipTo: shipToOf(order),
    messageToVendor: order.memo === null ? null : truncate(order.memo, maxTextLength, '…'),
    privateNote: sourceNote([sourceOf(facts)], facts, null),
    currency,
    ...(locationId === null ? {} : { locationId }),
    taxExcluded,
    lines,
  };
}

/** Returns the problem that no usable payable account is chosen. */
const noPayable = ({ settings, accounting }: PurchaseOrderFacts): Problem =>
  withInactiveAccount(problem('PAYABLE_ACCOUNT_REQUIRED'), settings.po_payable_account, accounting);

/** Returns the cost of a line in the vendor's and in the PSA's own currency. */
const inBothCurrencies = ({ quantity, unitCost, internalUnitCost }: PurchaseOrderLine) =>
  unitCost === null || internalUnitCost === null
    ? []
    : [{ own: times(quantity, unitCost), home: times(quantity, internalUnitCost) }];

function numberOf(
  { order, settings, accounting, psaLabel, numberTakenBy }: PurchaseOrderFacts,
  log: DecisionLog,
): string | null {
  const { preferences } = accounting;
  const numbered = chooseOrderNumber({ number: order.number, settings, preferences, takenBy: numberTakenBy, psaLabel });
  log.refuse(...numbered.problems);
  return numbered.number;
}

function locationOf(
  { order, settings, accounting }: PurchaseOrderFacts,
  indexes: Indexes,
  log: DecisionLog,
): string | null {
  // The line of an order has a contract, but nothing that leads to a department.
  const origins = order.lines.map((line) => ({ lineOfBusinessId: businessOf(line, indexes), department: [] }));
  return chooseLocation(origins, { settings, preferences: accounting.preferences, ...indexes }, log);
}

function vendorOf(
  { vendor, settings, accounting }: PurchaseOrderFacts & { readonly vendor: Company },
  currency: CurrencyChoice,
  indexes: Indexes,
  commands: Command[],
  log: DecisionLog,
): Reference | null {
  const choice = chooseVendor(vendor, indexes.accounting, indexes.mappings, currency.sent, {
    mayCreate: settings.vendor_create_automatically,
    reportsSimilar: settings.ask_before_creating_similar,
  });
  const owner = { name: vendor.name, id: vendor.id, as: 'Vendor' } as const;
  return vendorReference(choice, owner, currency.ofAmounts, accounting, commands, log);
}

/** Returns the line for the freight; null, with a problem, if there is no account for it. */
function freightLine(
  { settings, accounting }: PurchaseOrderFacts,
  amount: Decimal,
  of: {
    readonly indexes: Indexes;
    readonly expenseAccountId: string | null;
    readonly common: Pick<PurchaseLine, 'customer' | 'classId' | 'taxCode'>;
  },
  log: DecisionLog,
): PurchaseLine | null {
  const accountId =
    settings.po_freight_account === null
      ? of.expenseAccountId
      : usableAccount(settings.po_freight_account, 'expense', accounting);
  if (accountId === null) {
    log.refuse(withInactiveAccount(problem('FREIGHT_ACCOUNT_REQUIRED'), settings.po_freight_account, accounting));
    return null;
  }
  const account = of.indexes.accounting.accountNames.get(accountId) ?? accountId;
  log.note('info', withAmounts(`Freight -> account ${account}`, { amount }));
  return { by: 'account', amount, description: 'Freight', accountId, ...of.common };
}

/** Returns the order as the PSA shows it; the amount is set only if the PSA shows every cost. */
export function describeDocument({
  order,
  vendor,
  psa,
  accounting,
}: Pick<PurchaseOrderFacts, 'order' | 'psa'> & {
  readonly vendor: Pick<Company, 'name' | 'currencyId'> | null;
  readonly accounting: { readonly preferences: Pick<AccountingPreferences, 'homeCurrency' | 'multiCurrency'> };
}): ProblemDocument {
  const index = indexPsa(psa);
  const isForeign = psa.modules.multiCurrency && accounting.preferences.multiCurrency;
  const own = isForeign ? index.currencyCodes.get(vendor?.currencyId ?? Number.NaN) : undefined;
  const costs = order.lines.map((line) => {
    const cost = isForeign ? line.unitCost : line.internalUnitCost;
    return cost === null ? null : costOf(line.quantity, cost).amount;
  });
  const seen = costs.filter((cost) => cost !== null);
  const freight = round2(isForeign ? order.freight : order.internalFreight);
  return {
    what: 'Purchase order',
    psaId: order.id,
    number: textOrNull(order.number),
    party: vendor?.name ?? null,
    on: order.submittedOn ?? order.createdOn,
    amount: seen.length < costs.length ? null : plus(sum(seen), freight),
    currency: own ?? accounting.preferences.homeCurrency,
  };
}

/** @param total null if the PSA hides costs, because a sum of the visible ones would be wrong */
function headline({ order, vendor, mode, trigger }: PurchaseOrderFacts, total: Decimal | null): string {
  const name = vendor?.name ?? `company ${order.vendorId}`;
  return `Purchase order ${order.id} for ${name}, ${total === null ? 'costs hidden' : format(total)}, ${counted(order.lines.length, 'line')}, ${mode}, ${trigger}`;
}

/** Returns the customer that the whole order is for; null for stock. */
function customerOf(
  facts: PurchaseOrderFacts,
  indexes: Indexes,
  commands: Command[],
  log: DecisionLog,
): Reference | null {
  const { order, forCompany, psaLabel } = facts;
  if (order.forCompanyId === null) return null;
  if (forCompany === null) {
    log.refuse(companyMissing(psaLabel, order.forCompanyId));
    return null;
  }
  return customersOf([forCompany], indexes, facts, commands, log).get(forCompany.id) ?? null;
}

interface LineRules {
  readonly indexes: Indexes;
  readonly costOfOne: (line: PurchaseOrderLine) => Decimal;
  readonly common: Pick<PurchaseLine, 'customer' | 'classId' | 'taxCode'>;
  readonly expenseAccountId: string | null;
  readonly classOf: (line: PurchaseOrderLine) => string | null;
  /** New items are added here, after the customers and vendors to create. */
  readonly commands: Command[];
}

/**
 * Decides the line of every product. A line without a product becomes an amount on the expense account, like freight.
 */
function decideLines(
  facts: PurchaseOrderFacts,
  { indexes, costOfOne, common: shared, expenseAccountId, classOf, commands }: LineRules,
  log: DecisionLog,
): PurchaseLine[] {
  const { settings } = facts;
  const rules = {
    ...indexes,
    createsItems: settings.po_create_item_automatically,
    expenseAccountId,
    incomeAccountId: usableAccount(settings.inv_default_income_account, 'income', facts.accounting),
  };
  const problems = new Map<string, Problem>();
  const refuse = (found: Problem) => {
    const { po_default_expense_account: id } = facts.settings;
    const named = found.code === 'EXPENSE_ACCOUNT_REQUIRED' ? withInactiveAccount(found, id, facts.accounting) : found;
    problems.set(named.message, named);
  };
  const missing: number[] = [];
  const newItems: NewItem[] = [];
  const firstItem = commands.length;
  const lines = facts.order.lines.flatMap((line, index): PurchaseLine[] => {
    const unitCost = costOfOne(line);
    const common = { ...shared, classId: classOf(line) };
    const { amount, quantity, unitPrice, prefix } = costOf(line.quantity, unitCost);
    const amounts = { amount, quantity, unitPrice };
    const memo = textOrNull(line.memo);
    if (line.productId === null) {
      const target = expenseAccountId === null ? 'no account' : accountLabel(expenseAccountId, indexes);
      const text = memo ?? 'Line without a product';
      log.note('info', withAmounts(`Line ${index + 1}  ${text} (no product) -> ${target}`, amounts));
      if (expenseAccountId === null) {
        refuse(problem('EXPENSE_ACCOUNT_REQUIRED'));
        return [];
      }
      // A line by account has no quantity, so the text includes it.
      const description = truncate(`${format(line.quantity, 0)} × ${format(unitCost)} – ${text}`, maxTextLength, '…');
      return [{ by: 'account', amount, description, accountId: expenseAccountId, ...common }];
    }
    const product = textOrNull(indexes.psa.products.get(line.productId)) ?? `product ${line.productId}`;
    const choice = choosePurchaseItem(line.productId, round(unitCost, pricePlaces), rules);
    log.note('info', withAmounts(`Line ${index + 1}  ${product} -> ${targetOf(choice, rules, indexes)}`, amounts));
    const used = choice.is === 'new' ? cutName(product) : null;
    if (used !== null)
      log.warn(problem('ITEM_NAME_CUT', { name: product, used, source: boughtItem(line.productId, indexes.psa) }));
    if (choice.is === 'missing') missing.push(line.productId);
    if (choice.is === 'refused') refuse(choice.problem);
    if (choice.is === 'missing' || choice.is === 'refused') return [];
    if (choice.is === 'existing') log.matchItem(choice.match);
    return [
      {
        by: 'item',
        item: itemReference(choice, newItems, firstItem),
        amount,
        quantity,
        unitPrice,
        description: truncate(`${prefix}${memo ?? product}`, maxTextLength, '…'),
        ...common,
      },
    ];
  });
  if (missing.length > 0) {
    const sources = missing.map((id) => boughtItem(id, indexes.psa));
    const list = sources.map(({ name }) => `“${name}” (product)`).join(', ');
    refuse(problem('ITEM_NOT_MAPPED', { count: missing.length, list, sources }));
  }
  log.refuse(...problems.values());
  commands.push(...newItems.map((item): Command => ({ do: 'create_item', item })));
  return lines;
}

/** Returns the class of an order's line: the class of the contract's line of business, as on the invoice. */
function classOfLine(line: PurchaseOrderLine, { accounting }: PurchaseOrderFacts, indexes: Indexes): string | null {
  if (!accounting.preferences.classPerLine) return null;
  return mappedClass({ lineOfBusinessId: businessOf(line, indexes) }, indexes.accounting, indexes.mappings);
}

/** Returns the line of business of the contract that a line is bought for. */
const businessOf = ({ contractId = null }: PurchaseOrderLine, { psa }: Indexes): number | null =>
  contractId === null ? null : (psa.businessOfContract.get(contractId) ?? null);

/** Returns the class for the freight of an order: the one that all lines share; null if they differ. */
function classOfAll({ lines }: PurchaseOrder, classOf: (line: PurchaseOrderLine) => string | null): string | null {
  const [first, ...others] = new Set(lines.map(classOf));
  return others.length === 0 ? (first ?? null) : null;
}

const accountLabel = (id: string, { accounting }: Indexes): string =>
  `account ${accounting.accountNames.get(id) ?? id}`;

function targetOf(
  choice: ItemChoice,
  { expenseAccountId }: { readonly expenseAccountId: string | null },
  indexes: Indexes,
): string {
  switch (choice.is) {
    case 'existing':
      return `item ${choice.item.id} ${choice.item.fullyQualifiedName} (${choice.by})`;
    case 'new':
      return `new item ${choice.item.name} (to be created, expense ${accountLabel(expenseAccountId ?? '', indexes)})`;
    case 'missing':
      return 'no item';
    default:
      return 'no usable item';
  }
}

/** Returns the chosen payable account; if none is chosen, the only one in QuickBooks. */
function payableAccount({ settings, accounting }: PurchaseOrderFacts): string | null {
  if (settings.po_payable_account !== null) return usableAccount(settings.po_payable_account, 'payable', accounting);
  const [only, ...others] = accounting.accounts.flatMap(({ id }) => usableAccount(id, 'payable', accounting) ?? []);
  return others.length === 0 ? (only ?? null) : null;
}

/** Returns the terms with the same name, or null: QuickBooks then uses the vendor's own terms. */
function chooseTerm({ order }: PurchaseOrderFacts, { psa, accounting }: Indexes, log: DecisionLog): string | null {
  const name = textOrNull(order.paymentTermId === null ? null : psa.paymentTerms.get(order.paymentTermId));
  if (name === null) return null;
  const id = accounting.termIds.get(normalized(name)) ?? null;
  log.note('info', `Terms: ${name} -> ${id ?? 'none'}`);
  return id;
}

function shipToOf(order: PurchaseOrder): PurchaseForm['shipTo'] {
  const name = textOrNull(order.shipToName);
  return name === null && presentAddress(order.shipTo) === null ? null : { name, address: order.shipTo };
}

/** `Autotask purchase order 3310, number PO-3310, estimated arrival 2025-03-10`. */
function sourceOf({ order, psaLabel }: PurchaseOrderFacts): string {
  const number = order.number === '' ? '' : `, number ${order.number}`;
  const expected = order.expectedOn === null ? '' : `, estimated arrival ${order.expectedOn}`;
  return `${originText(psaLabel, 'purchase order', order.id)}${number}${expected}`;
}
