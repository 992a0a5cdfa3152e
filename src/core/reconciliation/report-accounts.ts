import type { ReportContents } from '../documents/accounting-report.ts';
import type { Account } from '../documents/reference-data.ts';
import { Refusal } from '../refusal.ts';
import { isZero } from '../values/decimal.ts';

/**
 * Returns the reports with an id for each account. Sub-accounts may lack an id; they are found by full name.
 *
 * @throws Refusal `report_not_understood` for an account with amounts that is unknown or ambiguous
 */
export function withAccountIds(reports: ReportContents, accounts: readonly Account[]): ReportContents {
  const ids = new Set(accounts.map(({ id }) => id));
  // A deleted account may have the name of a newer one, so the exact name comes first.
  const byExactName = Map.groupBy(accounts, ({ fullyQualifiedName }) => spaced(fullyQualifiedName));
  const byName = Map.groupBy(accounts, ({ fullyQualifiedName }) => comparable(fullyQualifiedName));
  const byLastPart = Map.groupBy(accounts, ({ fullyQualifiedName }) => lastPart(comparable(fullyQualifiedName)));
  const named = (name: string): readonly Account[] =>
    byExactName.get(spaced(name)) ?? byName.get(comparable(name)) ?? byLastPart.get(comparable(name)) ?? [];
  const idOf = (name: string): string | null => {
    const found = named(name);
    return found.length === 1 ? (found[0]?.id ?? null) : null;
  };
  const trialBalance = reports.trial_balance.map((row) => ({ ...row, accountId: row.accountId ?? idOf(row.name) }));
  const ledger = reports.general_ledger.map((row) => ({ ...row, accountId: row.accountId ?? idOf(row.name) }));
  const balances = trialBalance.filter(({ debit, credit }) => !isZero(debit) || !isZero(credit));
  const movements = ledger.filter(
    ({ opening, entries }) => !isZero(opening) || entries.some(({ amount }) => !isZero(amount)),
  );
  const unnamed = new Set(
    [...reports.trial_balance, ...reports.general_ledger].flatMap(({ accountId, name }) =>
      accountId === null ? [name] : [],
    ),
  );
  const isKnown = (name: string) => named(name).length > 0;
  check('Trial Balance', balances, unnamed, ids, isKnown);
  check('General Ledger', movements, unnamed, ids, isKnown);
  return { ...reports, trial_balance: trialBalance, general_ledger: ledger };
}

/** Returns the name in lower case, without spaces around colons. */
const spaced = (name: string): string =>
  name
    .split(':')
    .map((level) => level.trim())
    .join(':')
    .toLowerCase();
/** The same without the mark of deleted accounts. */
const comparable = (name: string): string => spaced(name).replaceAll(/ \(deleted\)(?=:|$)/g, '');
const lastPart = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

/** Throws if an account is unknown, or if a row without an id may belong to another account. */
function check(
  report: string,
  rows: readonly { readonly accountId: string | null; readonly name: string }[],
  unnamed: ReadonlySet<string>,
  ids: ReadonlySet<string>,
  isKnown: (name: string) => boolean,
): void {
  const byId = Map.groupBy(rows, ({ accountId }) => accountId);
  for (const { accountId, name } of rows) {
    const account = `The account “${name}” in QuickBooks’ report ${report}`;
    if (accountId === null ? !isKnown(name) : !ids.has(accountId))
      throw notUnderstood(
        `${account} is not in QuickBooks’ list of accounts, so the month cannot be proved. Refresh the month; if this remains, contact support.`,
      );
    if (accountId === null || (unnamed.has(name) && byId.get(accountId)?.length !== 1))
      throw notUnderstood(
        `${account} has the name of another account, so the month cannot be proved. Give each account a unique name in QuickBooks, then refresh the month.`,
      );
  }
}

const notUnderstood = (message: string): Refusal => new Refusal('unprocessable', 'report_not_understood', message);
