import type { ReportContents } from '../documents/books-report.ts';
import type { Account } from '../documents/reference-data.ts';
import { Refusal } from '../refusal.ts';
import { isZero } from '../values/decimal.ts';

/**
 * Returns the reports with an id for each account. Sub-accounts may lack an id; they are found by full name.
 *
 * @throws Refusal `report_not_understood` for an account with amounts that matches no account, or several
 */
export function withAccountIds(reports: ReportContents, accounts: readonly Account[]): ReportContents {
  const byName = Map.groupBy(accounts, ({ fullyQualifiedName }) => comparable(fullyQualifiedName));
  const byLastPart = Map.groupBy(accounts, ({ fullyQualifiedName }) => lastPart(comparable(fullyQualifiedName)));
  const idOf = (name: string): string | null => {
    const found = byName.get(comparable(name)) ?? byLastPart.get(comparable(name)) ?? [];
    return found.length === 1 ? (found[0]?.id ?? null) : null;
  };
  const trialBalance = reports.trial_balance.map((row) => ({ ...row, accountId: row.accountId ?? idOf(row.name) }));
  const ledger = reports.general_ledger.map((row) => ({ ...row, accountId: row.accountId ?? idOf(row.name) }));
  const balances = trialBalance.filter(({ debit, credit }) => !isZero(debit) || !isZero(credit));
  const movements = ledger.filter(({ opening, entries }) => !isZero(opening) || entries.length > 0);
  const unnamed = new Set(
    [...reports.trial_balance, ...reports.general_ledger].flatMap(({ accountId, name }) =>
      accountId === null ? [name] : [],
    ),
  );
  check('Trial Balance', balances, unnamed);
  check('General Ledger', movements, unnamed);
  return { ...reports, trial_balance: trialBalance, general_ledger: ledger };
}

const comparable = (name: string): string =>
  name
    .replace(/ \(deleted\)$/i, '')
    .replaceAll(/\s*:\s*/g, ':')
    .trim()
    .toLowerCase();
const lastPart = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

function check(
  report: string,
  rows: readonly { readonly accountId: string | null; readonly name: string }[],
  unnamed: ReadonlySet<string>,
): void {
  const byId = Map.groupBy(rows, ({ accountId }) => accountId);
  for (const { accountId, name } of rows) {
    if (accountId !== null && (!unnamed.has(name) || byId.get(accountId)?.length === 1)) continue;
    throw new Refusal(
      'unprocessable',
      'report_not_understood',
      `The account “${name}” in QuickBooks’ report ${report} has the name of another account, so the month cannot be proved. Give each account a unique name in QuickBooks, then refresh the month.`,
    );
  }
}
