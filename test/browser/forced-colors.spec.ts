import { expect, type Locator } from '@playwright/test';
import { hasSettled } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

newProduct({ settings: { inv_default_income_account: '2' } });

test.use({ contextOptions: { forcedColors: 'active', reducedMotion: 'reduce' } });

/** The parts of a computed style that show a choice. */
interface BoxStyle {
  readonly backgroundColor: string;
  readonly borderBottomColor: string;
  readonly borderBottomWidth: string;
  readonly outlineStyle: string;
  readonly outlineColor: string;
}

/** Returns what a user sees of an element's box, as the browser paints it with the system's colors. */
const boxOf = (element: Locator): Promise<string> =>
  element.evaluate((node) => {
    const { getComputedStyle } = globalThis as unknown as { getComputedStyle: (of: unknown) => BoxStyle };
    const style = getComputedStyle(node);
    const outline = style.outlineStyle === 'none' ? 'none' : `${style.outlineStyle} ${style.outlineColor}`;
    return [style.backgroundColor, style.borderBottomColor, style.borderBottomWidth, outline].join(', ');
  });

test('what is chosen looks different with forced colors', async ({ page }) => {
  await page.goto('/settings');
  await hasSettled(page);
  const tabs = page.getByRole('tab');
  expect(await boxOf(tabs.nth(0))).not.toBe(await boxOf(tabs.nth(1)));

  const box = page.getByRole('checkbox', { name: 'Automatic invoice sync' });
  const unchecked = await boxOf(box);
  await box.check();
  await box.blur();
  expect(await boxOf(box)).not.toBe(unchecked);

  const menu = page.getByRole('navigation').getByRole('link');
  expect(await boxOf(menu.filter({ hasText: /^Settings$/ }))).not.toBe(await boxOf(menu.filter({ hasText: /^Logs$/ })));

  await page.goto('/my-invoices');
  await hasSettled(page);
  const rows = page.getByRole('table').first().locator('tbody tr');
  await rows.nth(0).getByRole('checkbox').check();
  await page.mouse.move(0, 0);
  expect(await boxOf(rows.nth(0))).not.toBe(await boxOf(rows.nth(1)));

  await page.goto('/my');
  await page.getByRole('button', { name: 'Sync Now' }).first().click();
  const choices = page.getByRole('dialog').getByRole('radio');
  await choices.nth(1).check();
  await choices.nth(1).blur();
  expect(await boxOf(choices.nth(1))).not.toBe(await boxOf(choices.nth(0)));
});
