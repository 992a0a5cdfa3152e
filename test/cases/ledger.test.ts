import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { quickbooksAccounting } from '#connectors/quickbooks/accounting.ts';
import { quickbooksOAuth } from '#connectors/quickbooks/oauth.ts';
import type { Posted } from '#core/attempt.ts';
import { ledgerEffect } from '#core/planning/ledger-effect.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import { decimal, format, isNegative, isZero, minus, negate, plus, zero, type Decimal } from '#core/values/decimal.ts';
import { startQuickBooksSandbox } from '@tallybridge/sandbox';
import { giveConsent } from '#test/support/consent.ts';
import { clockAt, keepingLogger, UnlimitedRateLimits } from '#test/support/fake-ports.ts';
import { sandboxDriver } from '#test/support/sandbox-driver.ts';
import { decideGolden } from './decide-golden.ts';
import type { InvoiceGiven } from './invoice-given.ts';

/**
 * Cases with expected debits and credits (`ledger.json`). Their plans are posted to the sandbox and read back from its
 * general ledger. One row per account and location, `Dr` or `Cr`, in the home currency.
 */
const today = '2025-03-03';
const folders = ['invoice', 'purchase-order', 'expense-report'].flatMap((kind) =>
  readdirSync(join(import.meta.dirname, kind))
    .filter((name) => existsSync(join(import.meta.dirname, kind, name, 'ledger.json')))
    .map((name) => ({ kind, name })),
);

const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

function planOf(kind: string, given: unknown): Plan {
  const { decision } = decideGolden(kind, given);
  if (decision.plan === undefined) throw new Error(`no plan: ${JSON.stringify(decision)}`);
  return decision.plan;
}

interface Entry {
  readonly account: { readonly name: string };
  readonly department: { readonly name: string } | null;
  readonly home_debit: string;
  readonly home_credit: string;
}

/** Starts a sandbox with a connected company. */
async function openAccounting() {
  const sandbox = await startQuickBooksSandbox({ today });
  const { url, credentials } = sandbox;
  const common = {
    allowedHosts: [new URL(url).host],
    logger: keepingLogger(),
    clock: clockAt(`${today}T15:00:00Z`),
  };
  const driver = sandboxDriver(url, today);
  const discoveryUrl = `${url}/.well-known/openid_configuration`;
  const { clientId, clientSecret } = credentials;
  return {
    driver,
    close: () => sandbox.close(),
    async connect(): Promise<Accounting> {
      const limited = { ...common, rateLimits: new UnlimitedRateLimits() };
      const tokens = await giveConsent(quickbooksOAuth({ discoveryUrl, clientId, clientSecret, ...limited }));
      return quickbooksAccounting({
        apiUrl: url,
        tokens: { current: async () => tokens, refresh: async () => tokens },
        realmId: tokens.realmId,
        readTimeoutMs: 5_000,
        writeTimeoutMs: 5_000,
        ...limited,
      });
    },
  };
}

/** Applies a case's differences to the sandbox. */
async function arrange({ behaviour = {}, preferences = {}, moreItems = [], withoutItems = [] }: Partial<InvoiceGiven>) {
  const { driver } = accounting;
  const change = async (group: string, members: object) => {
    const [kept] = await driver.list('Preferences');
    await driver.put('Preferences', '1', { [group]: { ...(kept?.[group] as object), ...members } });
  };
  await driver.behave(behaviour);
  if (preferences.multiCurrency === true) await change('CurrencyPrefs', { MultiCurrencyEnabled: true });
  if (preferences.automatedSalesTax === true) await change('TaxPrefs', { PartnerTaxEnabled: true });
  if (preferences.tracksLocations === true) await change('AccountingInfoPrefs', { TrackDepartments: true });
  if (preferences.customTransactionNumbers === true) await change('SalesFormsPrefs', { CustomTxnNumbers: true });
  for (const id of withoutItems) await driver.put('Item', id, { Active: false, Name: `Item ${id} (deleted)` });
  for (const { id, name, incomeAccountId } of moreItems)
    await driver.call('PUT', `/entities/Item/${id}`, {
      Name: name,
      FullyQualifiedName: name,
      Type: 'Service',
      Active: true,
      IncomeAccountRef: { value: incomeAccountId },
    });
}

/** Returns the effect of documents on the accounts, for example `Dr Accounts Receivable 150.00`. */
async function rowsOf(posted: readonly Posted[]): Promise<string[]> {
  const sums = new Map<string, Decimal>();
  for (const { type, id } of posted) {
    const { entries } = (await accounting.driver.call(
      'GET',
      `/ledger?transaction_type=${type}&transaction_id=${id}`,
    )) as {
      readonly entries: readonly Entry[];
    };
    for (const { account, department, home_debit: debit, home_credit: credit } of entries) {
      const where = department === null ? account.name : `${account.name} (${department.name})`;
      sums.set(where, plus(sums.get(where) ?? zero, minus(decimal(debit), decimal(credit))));
    }
  }
  return formatRows(sums);
}

/** Formats sums per account; positive sums are debits. */
const formatRows = (sums: ReadonlyMap<string, Decimal>): string[] =>
  [...sums]
    .filter(([, amount]) => !isZero(amount))
    .map(([name, amount]) =>
      isNegative(amount) ? `Cr ${name} ${format(negate(amount))}` : `Dr ${name} ${format(amount)}`,
    )
    .sort();

const accounting = await openAccounting();
beforeEach(async () => {
  await accounting.driver.reset();
  await accounting.driver.enforceLimits(false);
});
afterAll(() => accounting.close());

describe.each(folders)('$kind $name', ({ kind, name }) => {
  const folder = join(import.meta.dirname, kind, name);
  test('has the expected entries in the general ledger', async () => {
    const given = parse(join(folder, 'given.json'));
    await arrange(given as Partial<InvoiceGiven>);
    const connected = await accounting.connect();
    const posted: Posted[] = [];
    for (const [index, command] of planOf(kind, given).commands.entries())
      posted.push(await connected.post(command, posted, `ledger-${index}`));
    // A purchase order posts no entries.
    const documents = posted.filter(({ total, type }) => total !== null && type !== 'PurchaseOrder');
    expect(await rowsOf(documents)).toEqual((parse(join(folder, 'ledger.json')) as string[]).toSorted());
  });

  test('has the previewed entries in the general ledger', () => {
    const { decision, about, accounting: data } = decideGolden(kind, parse(join(folder, 'given.json')));
    if (decision.plan === undefined) throw new Error('no plan');
    const { entries, isTaxKnown } = ledgerEffect(decision.plan, data, about);
    const sums = new Map<string, Decimal>();
    for (const { account, debit, credit } of entries) {
      // Only QuickBooks has the account of the tax agency.
      const name = account === 'Sales tax payable' ? 'Sales Tax Payable' : account;
      sums.set(name, plus(sums.get(name) ?? zero, minus(debit ?? zero, credit ?? zero)));
    }
    // The preview does not include tax that QuickBooks calculates, so only income is compared.
    const isCompared = (row: string) => isTaxKnown || !/ (Accounts Receivable|Sales Tax Payable) /.test(row);
    const posted = (parse(join(folder, 'ledger.json')) as string[]).map((row) => row.replace(/ \([^)]*\)/, ''));
    expect(formatRows(sums).filter(isCompared)).toEqual(posted.filter(isCompared).toSorted());
  });
});
