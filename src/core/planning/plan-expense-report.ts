import type { ExpenseItem, ExpenseReport } from '../documents/expense-report.ts';
import type { Company } from '../documents/party.ts';
import { originText } from '../documents/origin.ts';
import type { AccountingPreferences } from '../documents/reference-data.ts';
import { problem, type ProblemDocument, withInactiveAccount } from '../problems.ts';
import type { Source } from '../problems/entry.ts';
import { errorMark, inProcessSentinel } from '../sync-status.ts';
import {
  absolute,
  compare,
  decimal,
  equals,
  format,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  round2,
  smaller,
  sum,
  zero,
  type Decimal,
} from '../values/decimal.ts';
import { dayText, endOfMonth, type CalendarDate } from '../values/dates.ts';
import { counted, truncate, normalized, textOrNull } from '../values/text.ts';
import { chooseEmployeeVendor, employeeNameOf } from './choose-party.ts';
import { chooseCurrency } from './currency.ts';
import { DecisionLog, type DocumentDecision, refusal, skipped } from './decision.ts';
import { chooseLocation, choosePostingDate } from './document-fields.ts';
import { withAmounts } from './document-lines.ts';
import { expenseReportMessages } from './messages.ts';
import { type Command, type PurchaseForm, type PurchaseLine, type Reference, sourceOfReport } from './plan.ts';
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

/** Facts that decide on one expense report. */
export interface ExpenseReportFacts extends PurchaseFacts {
  readonly report: ExpenseReport;
  /** The companies that billable items are for, except those that could not be read. */
  readonly companies: readonly Company[];
}

export type ExpenseReportDecision = DocumentDecision<'not_approved' | 'nothing_owed'>;

const oneCent = decimal('0.01');

/**
 * Returns the number of the bill, such as `EXP-1207`, so users can search for it on both sides (domain reference 10.2).
 * The bill of an earlier month includes the month: `EXP-1207-2025-02`.
 */
export const billNumberOf = (reportId: number, month: CalendarDate | null): string =>
  month === null ? `EXP-${reportId}` : `EXP-${reportId}-${monthOf(month)}`;

/**
 * Decides the bill for one expense report (domain reference 10). The function is pure: it reads and sends nothing. Test
 * mode shows the same plan that live mode posts.
 */
export function planExpenseReport(facts: ExpenseReportFacts): ExpenseReportDecision {
  const { report, psaLabel } = facts;
  const indexes: Indexes = {
    psa: indexPsa(facts.psa),
    accounting: indexAccounting(facts.accounting),
    mappings: indexMappings(facts.mappings),
  };
  const items = reimbursed(report);
  const expenses = sum(items.map(({ amount }) => round2(amount)));
  const advance = round2(report.cashAdvance);
  const owed = minus(expenses, advance);
  const log = new DecisionLog(describeDocument(facts));
  log.note('info', headline(facts, items.length, owed));
  const on = report.weekEndingOn ?? report.approvedOn ?? report.submittedOn;
  if (report.status !== 'approved' || on === null)
    return skipped('not_approved', expenseReportMessages.notApproved(psaLabel), false, log);

  const others = report.items.filter((item) => !items.includes(item));
  if (items.every(({ amount }) => isZero(round2(amount)))) {
    const paid = format(sum(others.map(({ amount }) => round2(amount))));
    const unused = isZero(advance) ? null : format(advance);
    return skipped('nothing_owed', expenseReportMessages.nothingOwed(others.length, paid, unused), true, log);
  }
  if (others.length > 0)
    log.note('info', `Not sent: ${counted(others.length, 'item')}, rejected or paid by the company`);
  checkAmounts({ report, expenses, advance, owed }, log);
  if (isNegative(expenses)) log.refuse(problem('NEGATIVE_BILL', { amount: format(absolute(expenses)) }));
  checkCurrency(facts, indexes, log);
  const currency = chooseCurrency({ ...facts, company: null }, indexes.psa, log);
  const commands: Command[] = [];
  const vendor = submitterOf(facts, currency.ofAmounts, indexes, commands, log);
  const customers = customersFor(facts, items, indexes, commands, log);
  const untaxed = untaxedLines(facts, on, log);
  const common = { classId: departmentClass(facts, indexes, log), taxCode: untaxed.taxCode };
  const locationId = locationOf(facts, indexes, log);
  const lines = itemLines(items, { indexes, customers, common }, facts, log);
  const { po_payable_account: chosen } = facts.settings;
  const payableAccountId = usableAccount(chosen, 'payable', facts.accounting);
  if (chosen !== null && payableAccountId === null)
    log.refuse(withInactiveAccount(problem('PAYABLE_ACCOUNT_REQUIRED'), chosen, facts.accounting));
  const advanceAccountId = isPositive(advance) ? advanceAccount(facts, log) : null;
  if (advanceAccountId !== null && compare(advance, expenses) > 0)
    log.warn(
      problem('ADVANCE_EXCEEDS_EXPENSES', {
        advance: format(advance),
        expenses: format(expenses),
        left: format(minus(advance, expenses)),
        account: indexes.accounting.accountNames.get(advanceAccountId) ?? advanceAccountId,
      }),
    );

  const head = { vendor: vendor ?? unknownVendor, payableAccountId, locationId, taxExcluded: untaxed.taxExcluded };
  const line = (amount: Decimal) =>
    advanceAccountId === null ? null : advanceLine(advanceAccountId, amount, indexes, common, log);
  const bills = billsOf(facts, { on, head, lines, advance: { amount: advance, line } }, log);
  if (log.problems.length > 0 || vendor === null) return refused(report, log);
  for (const { datedOn, lines: billed } of bills.length > 1 ? bills : [])
    log.note('info', withAmounts(`Bill of ${dayText(datedOn)}`, { amount: sum(billed.map(({ amount }) => amount)) }));
  commands.push(...bills.map((bill): Command => ({ do: 'create_bill', bill })));
  return {
    outcome: 'plan',
    plan: {
      commands,
      ...log.forPlan(),
      source: sourceOfReport(report, describeDocument(facts)),
      expected: {
        subtotal: sum((bills.at(-1)?.lines ?? []).map(({ amount }) => amount)),
        tax: zero,
        dueOn: null,
      },
    },
  };
}

function locationOf(
  { report, psa, settings, accounting }: ExpenseReportFacts,
  indexes: Indexes,
  log: DecisionLog,
): string | null {
  const department = textOrNull(report.departmentNumber);
  const from = {
    lineOfBusinessId: report.lineOfBusinessId ?? null,
    department: department === null ? [] : namesOfDepartment(department, psa),
  };
  return chooseLocation([from], { settings, preferences: accounting.preferences, ...indexes }, log);
}

/**
 * Returns the bills of a report: one, or one for each month.
 *
 * @param of.advance see {@link deductions}; `line` returns the line that deducts an amount, null without one.
 */
function billsOf(
  { report, settings, accounting, psaLabel, ...facts }: ExpenseReportFacts,
  of: {
    readonly on: CalendarDate;
    readonly head: Pick<PurchaseForm, 'vendor' | 'payableAccountId' | 'taxExcluded'> & {
      readonly locationId: string | null;
    };
    readonly lines: readonly DatedLine[];
    readonly advance: { readonly amount: Decimal; readonly line: (amount: Decimal) => PurchaseLine | null };
  },
  log: DecisionLog,
): readonly PurchaseForm[] {
  const { vendor, payableAccountId, locationId, taxExcluded } = of.head;
  const parts = settings.exp_split_month_end
    ? splitByMonth(of.lines, of.on)
    : [{ on: of.on, isLast: true, lines: of.lines }];
  const deducted = deductions(of.advance.amount, parts);
  return parts.map((part, index): PurchaseForm => {
    const dated = choosePostingDate(part.on, { settings, preferences: accounting.preferences, psaLabel }, log);
    const lines: PurchaseLine[] = part.lines.map(({ line }) => line);
    const taken = deducted[index] ?? zero;
    const deduction = isPositive(taken) ? of.advance.line(taken) : null;
    if (deduction !== null) lines.push(deduction);
    const origin = `${originText(psaLabel, 'expense report', report.id)}: ${report.name}`;
    return {
      vendor,
      number: billNumberOf(report.id, part.isLast ? null : part.on),
      datedOn: dated.on,
      payableAccountId,
      termId: null,
      shipTo: null,
      messageToVendor: null,
      privateNote: sourceNote([origin], facts, dated.note),
      currency: null,
      ...(locationId === null ? {} : { locationId }),
      taxExcluded,
      lines,
    };
  });
}

/** Placeholder in a refused bill whose vendor could not be chosen. It is never sent. */
const unknownVendor: Reference = { id: '' };

/** A line with the date of its expense. */
interface DatedLine extends Dated {
  readonly line: PurchaseLine;
}

interface Dated {
  readonly spentOn: CalendarDate;
  readonly amount: Decimal;
}

interface MonthPart<Line extends Dated> {
  readonly on: CalendarDate;
  /** True for the part with the report's own date. Its bill represents the report. */
  readonly isLast: boolean;
  readonly lines: readonly Line[];
}

/**
 * Groups expenses by month. Expenses of months before the report's own date are dated at the end of their month. A
 * report whose refunds exceed the expenses of a month is one part, because a bill cannot be negative.
 *
 * Invariant: every line is in exactly one part, and the last part has the date of the report.
 */
export function splitByMonth<Line extends Dated>(lines: readonly Line[], on: CalendarDate): readonly MonthPart<Line>[] {
  const own = monthOf(on);
  const earlier = Map.groupBy(
    lines.filter(({ spentOn }) => monthOf(spentOn) < own),
    ({ spentOn }) => monthOf(spentOn),
  );
  const months = [...earlier].sort(([a], [b]) => a.localeCompare(b));
  const rest = lines.filter(({ spentOn }) => monthOf(spentOn) >= own);
  const parts = months.map(([, part]) => ({ on: endOfMonth(part[0]?.spentOn ?? on), isLast: false, lines: part }));
  if ([rest, ...earlier.values()].some((part) => isNegative(totalOf(part)))) return [{ on, isLast: true, lines }];
  // If no expense is in the report's own month, the part of the latest month represents the report.
  return rest.length > 0 || parts.length === 0
    ? [...parts, { on, isLast: true, lines: rest }]
    : parts.map((part, index) => ({ ...part, isLast: index === parts.length - 1 }));
}

/** Returns the bills that a report is split into, each with its day and its total after the advance. */
export function billsByMonth(
  { cashAdvance }: Pick<ExpenseReport, 'cashAdvance'>,
  expenses: readonly Dated[],
  on: CalendarDate,
): readonly { readonly on: CalendarDate; readonly isLast: boolean; readonly total: Decimal }[] {
  const parts = splitByMonth(expenses, on);
  const deducted = deductions(round2(cashAdvance), parts);
  return parts.map((part, index) => ({
    on: part.on,
    isLast: part.isLast,
    total: minus(totalOf(part.lines), deducted[index] ?? zero),
  }));
}

const totalOf = (lines: readonly Pick<Dated, 'amount'>[]): Decimal => sum(lines.map(({ amount }) => round2(amount)));

/**
 * Returns what each bill of a report deducts of an advance, earliest first: at most its expenses, because a bill cannot
 * be negative. So an advance of all expenses or more leaves a bill of 0.00, which posts the expenses, and its rest stays
 * in the account for advances (domain reference 10.4).
 */
function deductions(
  advance: Decimal,
  parts: readonly { readonly lines: readonly Pick<Dated, 'amount'>[] }[],
): readonly Decimal[] {
  let left = advance;
  return parts.map((part) => {
    const total = totalOf(part.lines);
    const taken = isPositive(left) && isPositive(total) ? smaller(left, total) : zero;
    left = minus(left, taken);
    return taken;
  });
}

const monthOf = (day: CalendarDate): string => day.slice(0, 7);

/** Clears the mark of a run that crashed, unless another mark replaces it (domain reference 5.2). */
function refused({ reference }: ExpenseReport, log: DecisionLog): ExpenseReportDecision {
  const isStale = reference.trim() === inProcessSentinel;
  return refusal(log, errorMark('expense_report', { reference }, false), isStale ? '' : null);
}

function headline({ report, mode, trigger }: ExpenseReportFacts, count: number, owed: Decimal): string {
  return `Expense report ${report.id} "${report.name}", ${format(owed)}, ${counted(count, 'item')}, ${mode}, ${trigger}`;
}

/**
 * Returns the report with what its bills total. Users know a report by its name.
 *
 * @param of.isPlanned false: it has no bill, so an advance that covers it does not make it a report of 0.00
 */
export function describeDocument({
  report,
  accounting,
  isPlanned = true,
}: Pick<ExpenseReportFacts, 'report'> & {
  readonly accounting: { readonly preferences: Pick<AccountingPreferences, 'homeCurrency'> };
  readonly isPlanned?: boolean;
}): ProblemDocument {
  const lines = reimbursed(report);
  const [deducted = zero] = deductions(round2(report.cashAdvance), [{ lines }]);
  const total = totalOf(lines);
  return {
    what: 'Expense report',
    psaId: report.id,
    number: textOrNull(report.name),
    party: nameOf(report),
    on: report.weekEndingOn ?? report.approvedOn ?? report.submittedOn,
    amount: !isPlanned && equals(total, deducted) ? total : minus(total, deducted),
    currency: accounting.preferences.homeCurrency,
  };
}

/** Returns the name of the employee who submitted the report; null if the PSA does not have it. */
export const nameOf = ({ submitter }: Pick<ExpenseReport, 'submitter'>): string | null =>
  textOrNull([submitter?.firstName, submitter?.lastName].filter((part) => (part ?? '') !== '').join(' '));

/**
 * Returns the mapping namespace of an expense. Billable and non-billable expenses of one category have separate
 * accounts (domain reference 10.3).
 */
export const categoryNamespace = ({ isBillable }: Pick<ExpenseItem, 'isBillable'>) =>
  isBillable ? 'ExpenseCategoryBillable' : 'ExpenseCategoryNonBillable';

/** Returns the expenses that the employee is reimbursed for. Only these are sent. */
export const reimbursed = ({ items }: ExpenseReport): readonly ExpenseItem[] =>
  items.filter(({ isReimbursable, isRejected }) => isReimbursable && !isRejected);

interface Amounts {
  readonly report: ExpenseReport;
  readonly expenses: Decimal;
  readonly advance: Decimal;
  readonly owed: Decimal;
}

/** Compares the computed amount due with the one in the PSA (domain reference 10.1). */
function checkAmounts({ report, expenses, advance, owed }: Amounts, log: DecisionLog): void {
  log.note('info', `Control total ${format(expenses)} - ${format(advance)} = ${format(owed)}`);
  const { amountDue } = report;
  if (amountDue === null || equals(owed, amountDue)) return;
  const difference = minus(owed, amountDue);
  if (compare(absolute(difference), oneCent) > 0)
    log.warn(
      problem('ROUNDING', {
        difference: `${isPositive(difference) ? '+' : ''}${format(difference)}`,
        whole: 'report’s amount due',
      }),
    );
}

/**
 * Refuses a report that is paid back in another currency: items are in the tenant's own currency, so the amount due
 * would differ.
 */
function checkCurrency({ report, accounting, psaLabel }: ExpenseReportFacts, { psa }: Indexes, log: DecisionLog): void {
  const currency = psa.currencyCodes.get(report.paidBackCurrencyId ?? Number.NaN);
  if (currency === undefined || currency === psa.internalCurrency) return;
  log.refuse(
    problem('REIMBURSED_IN_ANOTHER_CURRENCY', {
      psa: psaLabel,
      amount: report.paidBackAmountDue === null ? '' : format(report.paidBackAmountDue),
      currency,
      home: psa.internalCurrency ?? accounting.preferences.homeCurrency,
    }),
  );
}

/** Returns the vendor for the employee, and adds a command if it is new. */
function submitterOf(
  { report, accounting, settings, psaLabel }: ExpenseReportFacts,
  ofAmounts: string,
  indexes: Indexes,
  commands: Command[],
  log: DecisionLog,
): Reference | null {
  const { submitterId } = report;
  // A mapping is enough for an employee whom the PSA no longer shows.
  const submitter = report.submitter ?? { firstName: null, lastName: null };
  const choice = chooseEmployeeVendor(submitter, submitterId, indexes.accounting, indexes.mappings, {
    mayCreate: settings.vendor_create_automatically,
    reportsSimilar: settings.ask_before_creating_similar,
  });
  if (choice === null) {
    log.refuse(problem('RESOURCE_NOT_FOUND', { psa: psaLabel, id: submitterId }));
    return null;
  }
  const known = indexes.mappings.Employee?.get(String(submitterId))?.sourceLabel ?? `Resource ${submitterId}`;
  const of = { name: textOrNull(employeeNameOf(submitter)) ?? known, id: submitterId, as: 'Employee' } as const;
  return vendorReference(choice, of, ofAmounts, accounting, commands, log);
}

/** Returns the customers of the billable items. */
function customersFor(
  facts: ExpenseReportFacts,
  items: readonly ExpenseItem[],
  indexes: Indexes,
  commands: Command[],
  log: DecisionLog,
): ReadonlyMap<number, Reference> {
  const wanted = new Set(items.flatMap((item) => companyOf(item) ?? []));
  const companies = facts.companies.filter(({ id }) => wanted.has(id));
  const known = new Set(companies.map(({ id }) => id));
  for (const id of wanted) if (!known.has(id)) log.refuse(companyMissing(facts.psaLabel, id));
  return customersOf(companies, indexes, facts, commands, log);
}

const companyOf = ({ isBillable, companyId }: ExpenseItem): number | null => (isBillable ? companyId : null);

interface LineRules {
  readonly indexes: Indexes;
  readonly customers: ReadonlyMap<number, Reference>;
  readonly common: Pick<PurchaseLine, 'classId' | 'taxCode'>;
}

/** Returns one line per item, on the account of its category. One problem lists all categories without an account. */
function itemLines(
  items: readonly ExpenseItem[],
  { indexes, customers, common }: LineRules,
  { accounting }: ExpenseReportFacts,
  log: DecisionLog,
): DatedLine[] {
  const unmapped = { billable: new Map<string, Source>(), other: new Map<string, Source>() };
  const lines = items.flatMap((item, index): DatedLine[] => {
    const amount = round2(item.amount);
    const mapping = indexes.mappings[categoryNamespace(item)]?.get(String(item.categoryId));
    const account = accounting.accounts.find(({ id, isActive }) => isActive && id === mapping?.targetValue);
    const target = account === undefined ? 'no account' : `account ${account.fullyQualifiedName}`;
    const subject = `Line ${index + 1}  ${item.categoryName} (${item.isBillable ? 'billable' : 'non-billable'})`;
    log.note('info', withAmounts(`${subject} -> ${target}`, { amount }));
    if (account === undefined) {
      // The category looks mapped although the account no longer exists, so the problem names the cause.
      const isGone = mapping !== undefined;
      unmapped[item.isBillable ? 'billable' : 'other'].set(
        `“${item.categoryName}”${isGone ? ' (its account is inactive or deleted)' : ''}`,
        { id: item.categoryId, name: item.categoryName },
      );
      return [];
    }
    const companyId = companyOf(item);
    const text = textOrNull(item.description);
    const description = `${item.spentOn} ${item.categoryName}${text === null ? '' : `: ${text}`}`;
    return [
      {
        spentOn: item.spentOn,
        amount,
        line: {
          by: 'account',
          amount,
          description: truncate(description, maxTextLength, '…'),
          accountId: account.id,
          customer: companyId === null ? null : (customers.get(companyId) ?? null),
          ...common,
        },
      },
    ];
  });
  for (const [billable, names] of [
    [true, unmapped.billable],
    [false, unmapped.other],
  ] as const)
    if (names.size > 0)
      log.refuse(
        problem('EXPENSE_CATEGORY_NOT_MAPPED', {
          billable,
          list: [...names.keys()].join(', '),
          categories: [...names.values()],
        }),
      );
  return lines;
}

/** Returns the account that advances are deducted from; refuses the report if none is chosen. */
function advanceAccount({ settings, accounting }: ExpenseReportFacts, log: DecisionLog): string | null {
  const accountId = usableAccount(settings.exp_cash_advance_expense_account, 'cash_advance', accounting);
  if (accountId === null)
    log.refuse(
      withInactiveAccount(
        problem('CASH_ADVANCE_ACCOUNT_REQUIRED'),
        settings.exp_cash_advance_expense_account,
        accounting,
      ),
    );
  return accountId;
}

/** Returns the line that deducts the advance that the employee already received. */
function advanceLine(
  accountId: string,
  taken: Decimal,
  indexes: Indexes,
  common: LineRules['common'],
  log: DecisionLog,
): PurchaseLine {
  const amount = negate(taken);
  const account = indexes.accounting.accountNames.get(accountId) ?? accountId;
  log.note('info', withAmounts(`Cash advance -> account ${account}`, { amount }));
  return { by: 'account', amount, description: 'Cash advance', accountId, customer: null, ...common };
}

/** Returns the number and name of a department, because a report has only the number. */
const namesOfDepartment = (number: string, { departments = [] }: ExpenseReportFacts['psa']): readonly string[] => [
  number,
  ...departments.flatMap((department) => (department.number === number ? [department.name] : [])),
];

/**
 * Returns the class with the department's name. A report without a department is still sent (domain reference 10.3).
 */
function departmentClass(
  { report, accounting }: ExpenseReportFacts,
  { accounting: index }: Indexes,
  log: DecisionLog,
): string | null {
  const department = textOrNull(report.departmentNumber);
  if (department === null) return null;
  if (!accounting.preferences.classPerLine) {
    log.note('info', 'Classes: not tracked per line in QuickBooks, none set');
    return null;
  }
  const key = normalized(department);
  const [byName, ...others] = index.classIdsByName.get(key) ?? [];
  const id = index.classIdsByFullName.get(key) ?? (others.length === 0 ? byName : undefined);
  if (id === undefined) {
    const unmapped = problem('CLASS_NOT_MAPPED', { list: `department “${department}”` });
    log.warn({ ...unmapped, remedy: 'Give a QuickBooks class the name of the department.', screen: null });
    return null;
  }
  log.note('info', `Class: ${department} -> ${id}`);
  return id;
}
