import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator, type Page } from '@playwright/test';
import type { Invoice } from '#core/documents/invoice.ts';
import { factsOfInvoice, type InvoiceGiven } from '../cases/invoice-given.ts';
import { companies, psa } from '../cases/sample-world.ts';
import { namesOfAutotask, type JsonPsaFile } from '../json-psa/psa.ts';
import { signIn } from '../support/api-client.ts';
import { defectsOf, logIn } from '../support/browser.ts';
import { deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

/**
 * A deployment with a JSON file as its PSA. No screen depends on Autotask, and the golden cases have the expected
 * results.
 */

const root = join(import.meta.dirname, '..', 'cases', 'invoice');
const apiKey = 'a-key-of-ledgerline';
const administrator = 'betty.decker@northwind-msp.example';
const password = 'Ledgerline-Passw0rd!';
const daysMs = 86_400_000;

let fixture: ProcessFixture;
let url: string;
let path: string;

interface Case {
  readonly invoice: Invoice;
  /** Expected lines in QuickBooks: quantity, price and amount. */
  readonly lines: readonly (readonly number[])[];
}

/** Returns golden cases that need only the sample data and settings, one per invoice id. */
function goldenCases(): readonly Case[] {
  const cases = new Map<number, Case>();
  for (const name of readdirSync(root)) {
    const given = JSON.parse(readFileSync(join(root, name, 'given.json'), 'utf8')) as InvoiceGiven;
    const { outcome, figures } = JSON.parse(readFileSync(join(root, name, 'plan.json'), 'utf8')) as {
      readonly outcome: string;
      readonly figures?: { readonly lines?: readonly string[] };
    };
    if (outcome !== 'plan' || figures?.lines === undefined) continue;
    if (!Object.keys(given).every((key) => ['about', 'invoice'].includes(key))) continue;
    const { invoice } = factsOfInvoice(given);
    if (!cases.has(invoice.id))
      cases.set(invoice.id, { invoice: ofThisMonth(invoice), lines: figures.lines.map(numbersOf) });
  }
  return [...cases.values()].sort((a, b) => a.invoice.id - b.invoice.id);
}

/** Moves an invoice from the date of the sample data to yesterday. */
function ofThisMonth(invoice: Invoice): Invoice {
  const yesterday = Date.now() - daysMs;
  const later = Math.floor((yesterday - Date.parse('2025-03-03')) / daysMs);
  const moved = (date: string) => new Date(Date.parse(date) + later * daysMs).toISOString().slice(0, 10);
  const text = JSON.stringify({ ...invoice, createdAt: '' }).replaceAll(/2025-\d\d-\d\d(?=")/g, moved);
  return {
    ...(JSON.parse(text) as Invoice),
    createdAt: new Date(yesterday).toISOString() as Invoice['createdAt'],
    number: '',
  };
}

/** Parses “3.5 x 150 = 525 NON” as three numbers. Screens show three decimals of a quantity. */
function numbersOf(line: string): readonly number[] {
  const [quantity = '', price, amount] = line.match(/-?[\d.]+(?= |$)/g) ?? [];
  return [Number(Number(quantity).toFixed(3)), Number(price), Number(amount)];
}

const inFile = () => (JSON.parse(readFileSync(path, 'utf8')) as JsonPsaFile).invoices;

const cases = goldenCases();

test.beforeAll(async () => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  path = join(fixture.dataDir, 'ledgerline.json');
  // Company 302 is a vendor, and this PSA has customers only.
  const customers = companies.filter(({ id }) => id !== 302);
  const file: JsonPsaFile = { apiKey, companies: customers, lists: psa, invoices: cases.map(({ invoice }) => invoice) };
  writeFileSync(path, JSON.stringify(file));
  // The first start creates the client. Its demo users cannot log in to a deployment, so this invites another user.
  const demo = await fixture.start();
  await inviteAdministrator(demo.url);
  await demo.stop();
  const SECRET_KEY = readFileSync(join(fixture.dataDir, 'secret-key'), 'utf8').trim();
  ({ url } = await fixture.start({ ...(await deployment(fixture)), SECRET_KEY }, join('test', 'json-psa', 'start.ts')));
});
test.afterAll(() => fixture.close());

/** Invites an administrator of the demo's client and accepts the emailed link. */
async function inviteAdministrator(demoUrl: string): Promise<void> {
  const api = await signIn(demoUrl);
  await api.data('POST', '/api/my/users/invitations', { email: administrator, name: 'Betty Decker' });
  const invitation = /\/invitation\/(?:set#)?([\w-]+)/;
  let token = '';
  await expect(async () => {
    const mails = await (await fetch(`${demoUrl}/demo/mails`)).text();
    token = invitation.exec(mails)?.[1] ?? '';
    expect(token).not.toBe('');
  }).toPass();
  await api.data('POST', '/auth/accept-invitation', { token, password });
}

/** Expects that the screen mentions neither Autotask nor its menus. */
async function expectNoAutotask(page: Page): Promise<void> {
  const text = await page.locator('body').innerText();
  expect(namesOfAutotask.filter((name) => text.includes(name))).toEqual([]);
}

/** Returns the line numbers in the table of an open log entry. */
async function linesShown(table: Locator): Promise<readonly (readonly number[])[]> {
  const heads = await table.getByRole('columnheader').allInnerTexts();
  const places = [/^(Qty|Quantity)$/i, /^(Unit )?Price$/i, /^Amount$/i].map((head) =>
    heads.findIndex((text) => head.test(text.trim())),
  );
  const rows = await table.locator('tbody tr').all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.locator('td').allInnerTexts();
      return places.map((place) => Number((cells[place] ?? '').replaceAll('−', '-').replaceAll(/[^\d.-]/g, '')));
    }),
  );
}

test('another PSA is connected, set up, tested and posted on the screens', async ({ page }) => {
  test.setTimeout(360_000);
  const defects = defectsOf(page);
  expect(cases.length).toBeGreaterThan(8);

  await test.step('connect it on a form with different fields', async () => {
    await page.goto(`${url}/connections`);
    await logIn(page, administrator, password);
    const panel = page.getByRole('region', { name: 'Ledgerline' });
    await panel
      .getByRole('button', { name: /Connect/ })
      .first()
      .click();
    await expect(page.getByRole('heading', { name: 'Connect to Ledgerline' })).toBeVisible();
    await page.getByLabel('Data file').fill(path);
    await page.getByLabel('Member').fill('betty');
    await page.getByLabel('API key').fill(apiKey);
    await expectNoAutotask(page);
    await page.getByRole('button', { name: /Connect/ }).click();
    // It replaces the previous PSA, which must be confirmed.
    await page.getByRole('checkbox', { name: /Connect this company instead/ }).check();
    await page.getByLabel('API key').fill(apiKey);
    await page.getByRole('button', { name: /Connect/ }).click();
    await expect(panel.getByText('Connected as Northwind IT Services')).toBeVisible();
    await expectNoAutotask(page);
  });
  await test.step('connect QuickBooks and accept the suggestions', async () => {
    await page.getByRole('button', { name: /Connect to QuickBooks/ }).click();
    await page.getByLabel(/Northwind/).check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Accept and continue' }).click();
    await expect(page.getByText('Saved changes.')).toBeVisible();
    await expectNoAutotask(page);
  });

  await test.step('every golden case is listed and tested together', async () => {
    await page.getByRole('link', { name: 'Invoices' }).first().click();
    await expect(page.getByText(`Showing 1-10 of ${cases.length} items`)).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all invoices' }).check();
    await expectNoAutotask(page);
    await page.getByRole('button', { name: 'Test Sync' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(`^TEST ${cases.length} invoices, `) })
      .click();
    await expect(page.getByText(new RegExp(`^${cases.length} passed, `))).toBeVisible({ timeout: 120_000 });
    await expectNoAutotask(page);
    await page.getByRole('link', { name: 'Back to Invoices' }).click();
    await expect(page.getByRole('row', { name: /^Invoice/ }).filter({ hasText: 'passed' })).toHaveCount(10);
    await page.getByRole('link', { name: 'View Results' }).click();
    await expect(page.getByText(`Showing 1-10 of ${cases.length} items`)).toBeVisible();
    await expectNoAutotask(page);
  });

  for (const { invoice, lines } of cases)
    await test.step(`invoice ${invoice.id} has the expected lines`, async () => {
      await page.goto(`${url}/logs?mode=test&q=${invoice.id}`);
      await page.getByRole('row', { name: new RegExp(`^invoice ${invoice.id}, test, succeeded`) }).click();
      const entry = page.getByRole('region', { name: 'Lines' }).first();
      await expect(entry).toBeVisible();
      expect([invoice.id, await linesShown(entry)]).toEqual([invoice.id, lines]);
      await expectNoAutotask(page);
    });

  await test.step('one is posted, and its number is written back to the file', async () => {
    await page.goto(`${url}/my-invoices?by=id&id=48213`);
    await page.getByRole('checkbox', { name: 'Select Invoice 48213' }).check();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Review 1 invoice, $1,966.25' }).click();
    await page.getByRole('button', { name: 'Post 1 invoice, $1,966.25, to QuickBooks' }).click({ timeout: 60_000 });
    const posted = async () =>
      (await fixture.quickbooks.list('Invoice')).find((row) =>
        String(row['PrivateNote']).startsWith('Ledgerline invoice 48213'),
      );
    await expect.poll(posted, { timeout: 60_000 }).toMatchObject({ TotalAmt: 1966.25 });
    const number = (await posted())?.['DocNumber'];
    await expect.poll(() => inFile().find(({ id }) => id === 48_213)?.number, { timeout: 60_000 }).toBe(number);
    await expectNoAutotask(page);
  });
  expect(defects).toEqual([]);
});
