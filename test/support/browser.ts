import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Fills in the login page. */
export const logIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
};

/** A page stands there whole: its heading is seen and nothing of it is still loading. */
export async function hasSettled(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

/** Rules of axe whose findings depend on colours; of all others, what holds in one scheme holds in the other. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * Findings of axe on a page, and whether it is wider than its window, in words that a failing test can show.
 *
 * @param rules `colors` for a page that was looked at already in the other scheme.
 */
export async function findingsOn(page: Page, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  // Nothing stands in frames of other origins, for which axe would open a page of its own each time.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  // List portals of the component library stand outside the landmarks; that rule is advice, not a criterion.
  const chosen = rules === 'all' ? axe.disableRules(['region']) : axe.withRules(colorRules);
  const { violations } = await chosen.analyze();
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  return [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
    ),
    ...(overflow > 0 ? [`the page is ${overflow} pixels too wide`] : []),
  ];
}

/** Findings on a page as it stands, in light colours and then in dark ones. */
export async function findingsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await findingsOn(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  return [...light, ...(await findingsOn(page, 'colors')).map((finding) => `dark: ${finding}`)];
}

/** Axe finds nothing, in either scheme and on a phone, and nothing is wider than the window. */
export async function isAccessible(page: Page): Promise<void> {
  const size = page.viewportSize();
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await hasSettled(page);
    expect([page.url(), colorScheme, await findingsOn(page)]).toEqual([page.url(), colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size !== null) await page.setViewportSize(size);
}

/** Defects that a page shows by itself, collected as they come; answers that refuse are part of the journeys. */
export function defectsOf(page: Page): string[] {
  const defects: string[] = [];
  page.on('pageerror', (error) => defects.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4|503)/.test(message.text())) defects.push(message.text());
  });
  return defects;
}

/** The present month of the sample client, e.g. `2025-03`: near midnight it is not the month of the test's machine. */
export const clientMonth = (): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago', year: 'numeric', month: '2-digit' }).format();
