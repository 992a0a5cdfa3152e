import { expect, type Locator, type Page } from '@playwright/test';
import { defectsOf, findingsInBothSchemes } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

/** Uses each setup screen with the keyboard only. */

newProduct({ settings: { inv_default_income_account: '2' } });

async function press(control: Locator, key = 'Enter'): Promise<void> {
  await expect(control).toBeEnabled();
  await control.focus();
  await control.press(key);
}

/** Presses a button of the open dialog after the dialog got the focus. */
async function pressInDialog(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator(':focus')).toHaveCount(1);
  await press(dialog.getByRole('button', { name }));
}

/** Types into a combobox and chooses the first result. */
async function take(page: Page, text: string): Promise<string> {
  await page.keyboard.type(text);
  const first = page.getByRole('listbox').getByRole('option').first();
  await expect(first).toBeVisible();
  await page.keyboard.press('ArrowDown');
  const name = (await first.textContent()) ?? '';
  await page.keyboard.press('Enter');
  return name;
}

test('vendors and items are selected with the space bar, mapped in the dialog, and unmapped', async ({ page }) => {
  await page.goto('/vendor-mappings');
  await page.getByPlaceholder('Search Autotask Vendor Companies').focus();
  await page.keyboard.press('Enter');
  for (const [screen, tab, button] of [
    ['/vendor-mappings', null, 'Map to Vendor'],
    ['/item-mappings', null, 'Map to Item'],
    ['/item-mappings', 'Purchase Orders', 'Map to Item'],
  ] as const) {
    if (screen === '/item-mappings') await page.goto(screen);
    if (tab !== null) {
      await page.getByRole('tab', { name: 'Invoices' }).focus();
      await page.keyboard.press('ArrowRight');
      await expect(page.getByRole('tab', { name: tab, selected: true })).toBeVisible();
    }
    const row = page.getByRole('row').filter({ hasText: '- not mapped -' }).first();
    await expect(row).toBeVisible();
    const name = (await row.getAttribute('aria-label')) ?? '';
    const mapped = page.getByRole('row', { name, exact: true });
    await press(mapped, 'Space');
    await press(page.getByRole('button', { name: button }));
    const target = await take(page, 'a');
    await pressInDialog(page, 'Save');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(mapped).not.toContainText('- not mapped -');
    expect(target).not.toBe('');
    await press(mapped.getByRole('button', { name: /^Delete mapping of/ }));
    await pressInDialog(page, 'Delete');
    await expect(mapped).toContainText('- not mapped -');
  }
});

test('short lists are edited in place, and Cancel reverts the edit', async ({ page }) => {
  await page.goto('/expense-mappings');
  for (const [screen, heading, text] of [
    ['/expense-mappings', 'Expense Mappings', 'a'],
    ['/lines-of-business', 'Lines of Business', 'a'],
    // QuickBooks has no locations here.
    ['/locations', 'Locations', null],
    ['/tax-regions', 'Tax Regions', 't'],
  ] as const) {
    if (screen !== '/expense-mappings') await page.goto(screen);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    const edit = page.getByRole('button', { name: /^Edit / }).first();
    const name = ((await edit.getAttribute('aria-label')) ?? '').slice('Edit '.length);
    const row = page.getByRole('row').filter({ hasText: name }).first();
    await press(edit);
    await press(row.getByRole('button', { name: 'Cancel' }));
    await expect(row).toContainText('- not mapped -');
    if (text === null) continue;
    await press(edit);
    await row.getByRole('combobox').focus();
    await take(page, text);
    await press(row.getByRole('button', { name: 'Save' }));
    await expect(page.getByText('1 mapping saved.')).toBeVisible();
    await expect(row).not.toContainText('- not mapped -');
    await press(row.getByRole('button', { name: /^Delete mapping of/ }));
    await pressInDialog(page, 'Delete');
    await expect(row).toContainText('- not mapped -');
  }
});

test('a custom field is mapped to a field of Autotask', async ({ page }) => {
  await page.goto('/custom-fields');
  const edit = page.getByRole('button', { name: /^Edit / }).first();
  const name = ((await edit.getAttribute('aria-label')) ?? '').slice('Edit '.length);
  const row = page.getByRole('row').filter({ hasText: name }).first();
  await press(edit);
  await row.getByRole('combobox').focus();
  await page.keyboard.type('Order');
  await press(row.getByRole('button', { name: 'Save' }));
  await expect(row).toContainText('Order Number');
});

test('settings: switches tabs with the arrow keys, changes, saves and restores defaults', async ({ page }) => {
  await page.goto('/settings');
  const tabs = page.getByRole('tablist').getByRole('tab');
  await tabs.first().focus();
  const count = await tabs.count();
  for (let at = 1; at < count; at += 1) {
    await page.keyboard.press('ArrowRight');
    await expect(tabs.nth(at)).toHaveAttribute('aria-selected', 'true');
  }
  await page.keyboard.press('Home');
  await expect(tabs.first()).toHaveAttribute('aria-selected', 'true');
  const age = page.getByLabel('Invoice max age');
  await age.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('45');
  await press(page.getByRole('button', { name: 'Save' }));
  await expect(page.getByText('Saved changes.')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Invoice max age')).toHaveValue('45');

  await test.step('typing replaces the chosen account, and a saved field keeps the focus', async () => {
    const account = page.getByRole('combobox', { name: 'Income account to use' });
    await account.click();
    await page.keyboard.type('project');
    await page.getByRole('option', { name: 'Project Income' }).click();
    await page.getByLabel('Invoice max age').fill('44');
    await page.keyboard.press('Enter');
    await expect(page.getByText('No changes.')).toBeVisible();
    await expect(account).toHaveValue('Project Income');
    await expect(page.getByLabel('Invoice max age')).toBeFocused();
  });

  await test.step('a tested connection keeps the focus', async () => {
    await page.goto('/connections');
    const button = page.getByRole('button', { name: 'Test Connection' }).first();
    await press(button);
    await expect(page.getByText('Connected OK.')).toBeVisible();
    await expect(button).toBeFocused();
    await press(page.getByRole('button', { name: 'Refresh' }));
    await expect(page.getByRole('button', { name: 'Refresh' })).toBeFocused();
  });

  await page.goto('/item-settings');
  const choice = page.getByRole('combobox').first();
  const was = await choice.inputValue();
  await press(choice, 'ArrowDown');
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(choice).not.toHaveValue(was);
  await press(page.getByRole('button', { name: 'Save' }));
  await expect(page.getByText('Saved changes.')).toBeVisible();
  await press(page.getByRole('button', { name: 'Restore Defaults' }));
  await press(page.getByRole('button', { name: 'Click Again to Restore' }));
  await expect(page.getByText('Item Settings reset to defaults.')).toBeVisible();
  await expect(choice).toHaveValue(was);
});

test('settings: a link opens a field, a search finds fields of all tabs, and a dot marks unsaved tabs', async ({
  page,
}) => {
  const defects = defectsOf(page);
  await page.goto('/my');
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  await page.goto('/settings#po_max_age_days');
  const age = page.getByLabel('Purchase order max age');
  await expect(age).toBeFocused();
  await expect(page.getByRole('tab', { name: 'Purchase Orders' })).toHaveAttribute('aria-selected', 'true');
  await expect(age.locator('xpath=..').getByText('days', { exact: true })).toBeVisible();
  await age.fill('45');
  const dot = page.getByRole('tab', { name: 'Purchase Orders' }).getByLabel('Changes are not saved');
  await expect(dot).toBeVisible();

  await test.step('a section', async () => {
    await page.getByRole('tab', { name: 'Invoices' }).click();
    const section = page
      .getByRole('navigation', { name: 'Groups of Invoices' })
      .getByRole('link', { name: 'Sales tax' });
    await press(section);
    await expect(page).toHaveURL('/settings#invoices-sales-tax');
    await expect(page.getByRole('heading', { name: 'Sales tax' })).toBeInViewport();
    await expect(dot).toBeVisible();
    await expect(
      page.getByLabel('Hold when tax differs by more than').locator('xpath=..').getByText('USD'),
    ).toBeVisible();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  await test.step('the search', async () => {
    await page.locator('main').press('/');
    await page.keyboard.type('max age');
    await expect(page.getByRole('heading', { name: 'Expense Reports: Automatic sync' })).toBeVisible();
    await expect(page.getByLabel('Expense report max age')).toBeVisible();
    await expect(age).toHaveValue('45');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('nothing like this');
    await expect(page.getByText('No setting matches.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('combobox', { name: 'Income account to use' })).toBeVisible();
  });
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(dot).toHaveCount(0);
  expect(defects).toEqual([]);
});
