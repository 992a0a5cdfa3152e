import { expect, type Page } from '@playwright/test';
import { submitted } from '../../scripts/seed.ts';
import { defectsOf, findingsInBothSchemes } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({
  settings: { inv_default_income_account: '2' },
  after: async ({ api }) => {
    await submitted(api, '/api/my/invoices/sync/submit/all', { mode: 'test' });
    await submitted(api, '/api/my/invoices/sync/submit/all', { mode: 'live' });
  },
});

const title = (page: Page, name: RegExp) => page.getByRole('heading', { level: 1, name });
const history = (page: Page) => page.getByRole('region', { name: 'History' });

test('the page of a document shows both systems, the history and the next action', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/documents/invoice/48213');
  await expect(title(page, /^Invoice \d+/)).toBeVisible();
  const main = page.getByRole('main');
  await expect(main.getByText('As both systems have it')).toBeVisible();
  await expect(main.getByText('Acme Dental').first()).toBeVisible();
  await expect(main.getByText('$1,966.25').first()).toBeVisible();
  for (const service of ['Autotask', 'QuickBooks'])
    await expect(main.getByRole('columnheader', { name: service, exact: true })).toBeVisible();
  const events = history(page).getByRole('listitem');
  await expect(events.last()).toContainText('Created in Autotask');
  await expect(events.filter({ hasText: 'Test passed' })).toHaveCount(1);
  const posted = events.filter({ hasText: 'Posted' });
  await expect(posted).toContainText('admin@northwind-msp.example');
  await expect(posted.getByRole('link', { name: /^Run/ })).toHaveAttribute('href', /^\/runs\//);
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await posted.getByRole('link', { name: /^Log/ }).click();
  const log = page.getByRole('dialog', { name: 'Logs' });
  await log.getByRole('link', { name: 'Document' }).click();
  await expect(page).toHaveURL('/documents/invoice/48213');
  expect(defects).toEqual([]);
});

test('in a list, a document opens beside it; the keys walk through the list and return the focus', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/my-invoices');
  const list = page.getByRole('table', { name: 'Invoices' });
  const links = list.locator('a[data-document]');
  await expect(links.nth(1)).toBeVisible();
  const panel = page.getByRole('dialog', { name: 'Document' });
  const idAt = (index: number) => links.nth(index).innerText();
  await links.first().click();
  await expect(panel.getByRole('link', { name: 'Open page' })).toHaveAttribute(
    'href',
    `/documents/invoice/${await idAt(0)}`,
  );
  await expect(page).toHaveURL('/my-invoices');
  await page.keyboard.press('ArrowDown');
  await expect(panel.getByText(/^Row 2 of /)).toBeVisible();
  await expect(panel.getByRole('link', { name: 'Open page' })).toHaveAttribute(
    'href',
    `/documents/invoice/${await idAt(1)}`,
  );
  await expect(links.nth(1)).toHaveAttribute('aria-current', 'true');
  await expect(panel.getByText('As both systems have it').or(panel.getByText('As Autotask has it'))).toBeVisible();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(links.nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await panel.getByRole('link', { name: 'Open page' }).click();
  await expect(page).toHaveURL(/\/documents\/invoice\/\d+$/);
  await expect(panel).toHaveCount(0);
  expect(defects).toEqual([]);
});

test('needs attention and runs open the same panel; the palette opens the page', async ({ page }) => {
  await page.goto('/needs-attention');
  const panel = page.getByRole('dialog', { name: 'Document' });
  await page.locator('main a[data-document]').first().click();
  await expect(panel.getByRole('link', { name: 'Fix the cause' })).toBeVisible();
  await expect(panel.getByText('Failed').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.goto('/runs');
  await page.getByRole('table', { name: 'Runs' }).getByRole('row', { name: 'Synced invoices' }).click();
  await expect(page.getByRole('main').getByText(/^\d+ posted, \$/)).toBeVisible();
  await page.locator('main a[data-document]').first().click();
  await expect(panel.getByRole('region', { name: 'History' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('48213');
  await page.getByRole('option', { name: /Acme Dental/ }).click();
  await expect(page).toHaveURL('/documents/invoice/48213');
});

test('a service that is down leaves the stored document, and is read again on request', async ({ page }) => {
  await product.quickbooks.fault({ match: {}, action: { status: 503 } });
  await page.goto('/documents/invoice/48213');
  await expect(title(page, /^Invoice \d+/)).toBeVisible();
  const failure = page.getByRole('status').filter({ hasText: 'QuickBooks could not be read.' });
  await expect(failure).toContainText('Stored data is shown instead.');
  await expect(page.getByRole('main').getByText('$1,966.25').first()).toBeVisible();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await product.quickbooks.clearFaults();
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('main').getByText('As both systems have it')).toBeVisible();
  await expect(failure).toHaveCount(0);
});

test('an unknown document says what to do', async ({ page }) => {
  await page.goto('/documents/invoice/999999');
  await expect(page.getByRole('main')).toContainText('Check the ID in Autotask, or search for the number in the logs.');
  await page.goto('/documents/nothing/1');
  await expect(page.getByRole('main')).toContainText('This address names no document.');
});
