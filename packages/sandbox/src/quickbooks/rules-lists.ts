import { accountReference, checkName, reference } from './checks.ts';
import { currencyName, currencyRef } from './company.ts';
import { type Doc, isTrue, refAt, textAt } from './doc.ts';
import { fault } from './faults.ts';
import { schemaMembers } from './schema.ts';
import { accountSubTypes } from './schema-data.ts';
import type { Rules, Write } from './write.ts';

const deletedMark = ' (deleted)';
const deepest = 5;

/** Classification of each account type, and its default subtype (quickbooks reference 5.11). */
export const accountTypes: Readonly<Record<string, { readonly classification: string; readonly subType: string }>> = {
  Bank: { classification: 'Asset', subType: 'CashOnHand' },
  'Accounts Receivable': { classification: 'Asset', subType: 'AccountsReceivable' },
  'Other Current Asset': { classification: 'Asset', subType: 'OtherCurrentAssets' },
  'Fixed Asset': { classification: 'Asset', subType: 'OtherFixedAssets' },
  'Other Asset': { classification: 'Asset', subType: 'OtherLongTermAssets' },
  'Accounts Payable': { classification: 'Liability', subType: 'AccountsPayable' },
  'Credit Card': { classification: 'Liability', subType: 'CreditCard' },
  'Other Current Liability': { classification: 'Liability', subType: 'OtherCurrentLiabilities' },
  'Long Term Liability': { classification: 'Liability', subType: 'OtherLongTermLiabilities' },
  Equity: { classification: 'Equity', subType: 'OpeningBalanceEquity' },
  Income: { classification: 'Revenue', subType: 'ServiceFeeIncome' },
  'Other Income': { classification: 'Revenue', subType: 'OtherMiscellaneousIncome' },
  'Cost of Goods Sold': { classification: 'Expense', subType: 'SuppliesMaterialsCogs' },
  Expense: { classification: 'Expense', subType: 'OtherMiscellaneousServiceCost' },
  'Other Expense': { classification: 'Expense', subType: 'OtherMiscellaneousExpense' },
};

/** The type of an account sent with only a subtype, for subtypes with exactly one type. */
const typeOfSubType: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(accountTypes).map(([type, { subType }]) => [subType, type])),
  Checking: 'Bank',
  Savings: 'Bank',
  UndepositedFunds: 'Other Current Asset',
  Inventory: 'Other Current Asset',
  SalesOfProductIncome: 'Income',
  Travel: 'Expense',
  TravelMeals: 'Expense',
  Auto: 'Expense',
};

/** Checks a name in a tree: unique among its siblings, marked when inactive, with its full name. */
function treeName(
  write: Write,
  options: { readonly isTree: boolean },
): { readonly name: string; readonly members: Doc } {
  const { company, kind, merged, before } = write;
  const typed = textAt(merged, 'Name');
  if (typed === undefined) throw fault.missing('Name');
  const parent = options.isTree ? reference(company, merged, 'ParentRef', kind.name) : undefined;
  if (parent !== undefined && parent === before)
    throw fault.business('A record cannot be its own parent.', 'ParentRef');
  const wasActive = before === undefined || before.body['Active'] !== false;
  const isActive = merged['Active'] !== false;
  const isGoing = wasActive && !isActive && !typed.endsWith(deletedMark);
  const isComing = !wasActive && isActive;
  const name = isGoing ? `${typed}${deletedMark}` : isComing ? typed.replace(/ \(deleted\)$/, '') : typed;
  for (const entry of company.table(kind.name).find('Name', name))
    if (entry !== before && refAt(entry.body, 'ParentRef') === parent?.id)
      throw fault.duplicateName(company.behaviour.get('duplicate_name_detail') === 'reason');
  if (!options.isTree) return { name, members: { Name: name } };
  const full = parent === undefined ? name : `${textAt(parent.body, 'FullyQualifiedName') ?? ''}:${name}`;
  if (full.split(':').length > deepest) throw fault.tooDeep();
  const members: Doc = { Name: name };
  if (parent !== undefined) members['ParentRef'] = { value: parent.id };
  members['FullyQualifiedName'] = full;
  return { name, members };
}

/** Updates the full names of everything below a renamed record. */
const renameBelow: NonNullable<Rules['applied']> = ({ company, kind }, entry, old) => {
  if (old === undefined || textAt(old, 'FullyQualifiedName') === textAt(entry.body, 'FullyQualifiedName')) return;
  const table = company.table(kind.name);
  const rename = (parent: string, parentName: string): void => {
    for (const child of table.all()) {
      if (refAt(child.body, 'ParentRef') !== parent) continue;
      const full = `${parentName}:${textAt(child.body, 'Name') ?? ''}`;
      table.replace(child, { ...child.body, FullyQualifiedName: full });
      rename(child.id, full);
    }
  };
  rename(entry.id, textAt(entry.body, 'FullyQualifiedName') ?? '');
};

function plain(write: Write, ...computed: readonly string[]): Doc {
  const skip = new Set([...computed, 'Id', 'SyncToken', 'MetaData', 'sparse', 'domain', 'status']);
  const found: Doc = {};
  for (const member of schemaMembers(write.kind.name))
    if (!skip.has(member) && write.merged[member] !== undefined) found[member] = write.merged[member];
  return found;
}

const incomeTypes = ['Income', 'Other Income', 'Other Current Liability', 'Other Current Asset', 'Equity'];
const expenseTypes = ['Expense', 'Cost of Goods Sold', 'Other Expense', 'Other Current Asset', 'Fixed Asset', 'Equity'];
const largestPrice = 99_999_999_999;

function prepareItem(write: Write): Doc {
  const { company, merged, before } = write;
  checkName(merged, 'Name');
  const type = textAt(merged, 'Type');
  if (type === undefined) throw fault.missing('Type');
  if (!['Service', 'NonInventory', 'Inventory', 'Category', 'Group'].includes(type)) throw fault.badEnum(type, 'Type');
  if (type === 'Group' && before === undefined)
    throw fault.business('Bundles cannot be created through the API.', 'Type');
  const { members } = treeName(write, { isTree: true });
  if (type === 'Category')
    return { ...members, Active: merged['Active'] !== false, SubItem: members['ParentRef'] !== undefined, Type: type };
  const income = accountReference(company, merged, 'IncomeAccountRef', incomeTypes);
  const expense = accountReference(company, merged, 'ExpenseAccountRef', expenseTypes);
  const asset = accountReference(company, merged, 'AssetAccountRef', ['Other Current Asset']);
  if (type === 'Service' && income === undefined) throw fault.missing('IncomeAccountRef');
  if (type === 'NonInventory' && income === undefined && expense === undefined) throw fault.missing('IncomeAccountRef');
  if (type === 'Inventory') {
    for (const member of ['IncomeAccountRef', 'ExpenseAccountRef', 'AssetAccountRef', 'QtyOnHand', 'InvStartDate'])
      if (merged[member] === undefined) throw fault.missing(member);
    if (!isTrue(merged, 'TrackQtyOnHand')) throw fault.missing('TrackQtyOnHand');
    if (textAt(income?.body, 'AccountSubType') !== 'SalesOfProductIncome')
      throw fault.accountOfWrongType('An inventory item needs an income account of subtype SalesOfProductIncome.');
    if (textAt(expense?.body, 'AccountType') !== 'Cost of Goods Sold')
      throw fault.accountOfWrongType('An inventory item needs an expense account of type Cost of Goods Sold.');
    if (textAt(asset?.body, 'AccountSubType') !== 'Inventory')
      throw fault.accountOfWrongType('An inventory item needs an asset account of subtype Inventory.');
  }
  if (isTrue(before?.body, 'TrackQtyOnHand') && merged['TrackQtyOnHand'] === false)
    throw fault.business('TrackQtyOnHand cannot be switched off again.', 'TrackQtyOnHand');
  for (const member of ['UnitPrice', 'PurchaseCost'])
    if (Math.abs(Number(merged[member] ?? 0)) > largestPrice)
      throw fault.badAmount(String(Number(merged[member])), member);
  const body: Doc = {
    Name: members['Name'],
    ...plain(
      write,
      'Name',
      'ParentRef',
      'FullyQualifiedName',
      'IncomeAccountRef',
      'ExpenseAccountRef',
      'AssetAccountRef',
      'Active',
      'Taxable',
      'UnitPrice',
      'Type',
      'PurchaseCost',
      'TrackQtyOnHand',
      'DeferredRevenue',
      'SubItem',
    ),
    Active: merged['Active'] !== false,
  };
  if (members['ParentRef'] !== undefined) Object.assign(body, { SubItem: true, ParentRef: members['ParentRef'] });
  body['FullyQualifiedName'] = members['FullyQualifiedName'];
  body['Taxable'] = isTrue(merged, 'Taxable');
  body['UnitPrice'] = Number(merged['UnitPrice'] ?? 0);
  body['Type'] = type;
  if (income !== undefined) body['IncomeAccountRef'] = { value: income.id };
  body['PurchaseCost'] = Number(merged['PurchaseCost'] ?? 0);
  if (expense !== undefined) body['ExpenseAccountRef'] = { value: expense.id };
  if (asset !== undefined) body['AssetAccountRef'] = { value: asset.id };
  body['TrackQtyOnHand'] = isTrue(merged, 'TrackQtyOnHand');
  body['DeferredRevenue'] = isTrue(merged, 'DeferredRevenue');
  return body;
}

function prepareAccount(write: Write): Doc {
  const { company, merged, preferences, before } = write;
  if (/[":]/.test(textAt(merged, 'Name') ?? '')) throw fault.badCharacters('Name');
  const sentSubType = textAt(merged, 'AccountSubType');
  if (sentSubType !== undefined && !accountSubTypes.has(sentSubType)) throw fault.accountType();
  const type = textAt(merged, 'AccountType') ?? typeOfSubType[sentSubType ?? ''];
  const known = type === undefined ? undefined : accountTypes[type];
  if (type === undefined || known === undefined) throw fault.accountType();
  const longest = ['AU', 'CA'].includes(company.country) ? 20 : 7;
  const number = textAt(merged, 'AcctNum');
  if (number !== undefined && number.length > longest) throw fault.badLength('AcctNum', 0, longest, number.length);
  const { members } = treeName(write, { isTree: true });
  const parent = company.find('Account', refAt(members, 'ParentRef'));
  if (parent !== undefined && textAt(parent.body, 'AccountType') !== type)
    throw fault.business('An account and its parent must be of the same type.', 'ParentRef');
  const systemAccounts = ['UndepositedFunds', 'OpeningBalanceEquity', 'RetainedEarnings'];
  if (systemAccounts.includes(textAt(parent?.body, 'AccountSubType') ?? ''))
    throw fault.business('This account cannot have sub-accounts.', 'ParentRef');
  const body: Doc = { Name: members['Name'], SubAccount: members['ParentRef'] !== undefined };
  if (members['ParentRef'] !== undefined) body['ParentRef'] = members['ParentRef'];
  if (textAt(merged, 'Description') !== undefined) body['Description'] = merged['Description'];
  body['FullyQualifiedName'] = members['FullyQualifiedName'];
  body['Active'] = merged['Active'] !== false;
  body['Classification'] = known.classification;
  body['AccountType'] = type;
  body['AccountSubType'] = sentSubType ?? known.subType;
  if (number !== undefined) body['AcctNum'] = number;
  const currency = refAt(before?.body, 'CurrencyRef') ?? refAt(merged, 'CurrencyRef') ?? preferences.homeCurrency;
  body['CurrencyRef'] = currencyRef(currency);
  return body;
}

function prepareTree(subMember: string): Rules['prepare'] {
  return (write) => {
    const { members } = treeName(write, { isTree: true });
    if (write.kind.name === 'Class') checkName(write.merged, 'Name');
    return {
      Name: members['Name'],
      [subMember]: members['ParentRef'] !== undefined,
      ...(members['ParentRef'] === undefined ? {} : { ParentRef: members['ParentRef'] }),
      FullyQualifiedName: members['FullyQualifiedName'],
      Active: write.merged['Active'] !== false,
    };
  };
}

function prepareTerm(write: Write): Doc {
  const { merged } = write;
  const { members } = treeName(write, { isTree: false });
  const isDateDriven = merged['DayOfMonthDue'] !== undefined;
  if (!isDateDriven && merged['DueDays'] === undefined) throw fault.missing('DueDays');
  const body: Doc = { ...members, Active: merged['Active'] !== false, Type: isDateDriven ? 'DATE_DRIVEN' : 'STANDARD' };
  const own = isDateDriven
    ? ['DayOfMonthDue', 'DueNextMonthDays', 'DiscountDayOfMonth', 'DiscountPercent']
    : ['DueDays', 'DiscountDays', 'DiscountPercent'];
  for (const member of own) body[member] = Number(merged[member] ?? 0);
  return body;
}

function preparePaymentMethod(write: Write): Doc {
  const { members } = treeName(write, { isTree: false });
  const type = textAt(write.merged, 'Type') ?? 'NON_CREDIT_CARD';
  if (type !== 'NON_CREDIT_CARD' && type !== 'CREDIT_CARD') throw fault.badEnum(type, 'Type');
  return { ...members, Active: write.merged['Active'] !== false, Type: type };
}

function prepareCurrency(write: Write): Doc {
  const { company, merged, preferences, before } = write;
  if (!preferences.isMultiCurrency) throw fault.feature('Multicurrency is not enabled for this company.');
  const code = textAt(merged, 'Code') ?? '';
  const name = currencyName(code);
  if (name === undefined) throw fault.badEnum(code, 'Code');
  for (const entry of company.table('CompanyCurrency').all())
    if (entry !== before && textAt(entry.body, 'Code') === code) throw fault.duplicateName(false);
  return { Code: code, Name: textAt(merged, 'Name') ?? name, Active: merged['Active'] !== false };
}

/** The rules of items, accounts, classes, locations, terms, payment methods and currencies. */
export const listRules = {
  Item: { keeps: ['Active', 'Type', 'IncomeAccountRef', 'TrackQtyOnHand'], prepare: prepareItem, applied: renameBelow },
  Account: {
    keeps: ['Active', 'AccountType', 'AccountSubType', 'CurrencyRef'],
    prepare: prepareAccount,
    applied: renameBelow,
  },
  Class: { keeps: ['Active'], prepare: prepareTree('SubClass'), applied: renameBelow },
  Department: { keeps: ['Active'], prepare: prepareTree('SubDepartment'), applied: renameBelow },
  Term: { keeps: ['Active'], prepare: prepareTerm },
  PaymentMethod: { keeps: ['Active'], prepare: preparePaymentMethod },
  CompanyCurrency: { keeps: ['Active', 'Code'], prepare: prepareCurrency },
} as const satisfies Readonly<Record<string, Rules>>;
