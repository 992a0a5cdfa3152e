import { expect, type Page } from '@playwright/test';
import axe from 'axe-core';
import type { ApiClient } from './api-client.ts';
import { type CalendarDate, dateIn, instant } from '#core/values/dates.ts';

/** Fills in the login page. */
export const logIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
};

/** Waits until a page is complete: its heading is visible and nothing is loading. */
export async function hasSettled(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

/** Rules of axe that depend on colors. Other results are equal in both color schemes. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** List portals of the component library are outside the landmarks. That rule is only a recommendation. */
const notChecked = { region: { enabled: false } };

/**
 * Returns axe violations and horizontal overflow of a page as text.
 *
 * @param rules `colors` if the page was already checked in the other color scheme.
 */
export async function findingsOn(page: Page, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options = {
    ...(rules === 'colors' ? { runOnly: colorRules, preload: false } : { rules: notChecked }),
    // Selectors of elements without a violation take half of the time.
    resultTypes: ['violations'],
  };
  return page.evaluate<string[]>(`(async () => {
    // An open modal dialog hides the rest of the page from everyone.
    const isModal = document.querySelector('[aria-modal="true"]') !== null;
    const shown = isModal ? { include: [...document.body.children].filter(({ id }) => id !== 'root') } : document;
    const { violations } = await axe.run(shown, ${JSON.stringify(options)});
    const overflow = document.documentElement.scrollWidth - innerWidth;
    return [
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)),
      ...(overflow > 0 ? ['the page overflows by ' + overflow + ' px'] : []),
    ];
  })()`);
}

/** Switches the color scheme and waits for its transitions. Halfway through one, a color belongs to neither scheme. */
async function switchTo(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // The page changes its own attribute in the next frame.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))',
  );
}

/** Returns the violations of the current page in both color schemes. */
export async function findingsInBothSchemes(page: Page): Promise<string[]> {
  await switchTo(page, 'light');
  const light = await findingsOn(page);
  await switchTo(page, 'dark');
  return [...light, ...(await findingsOn(page, 'colors')).map((finding) => `dark: ${finding}`)];
}

/** Expects no axe violation in either color scheme or on a phone, and no horizontal overflow. */
export async function isAccessible(page: Page): Promise<void> {
  const size = page.viewportSize();
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await hasSettled(page);
    await switchTo(page, colorScheme);
    expect([page.url(), colorScheme, await findingsOn(page)]).toEqual([page.url(), colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size !== null) await page.setViewportSize(size);
}

/** Collects errors that a page logs. Rejected requests are expected in tests. */
export function defectsOf(page: Page): string[] {
  const defects: string[] = [];
  page.on('pageerror', (error) => defects.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4|503)/.test(message.text())) defects.push(message.text());
  });
  return defects;
}

/** Returns today's date of the sample client. Near midnight it differs from the test machine's date. */
export const clientToday = (): CalendarDate => dateIn(instant(Date.now()), 'America/Chicago');

/** Returns the current month of the sample client, for example `2025-03`. */
export const clientMonth = (): string => clientToday().slice(0, 7);

/** Reconciles a month and waits for the result. */
export async function prepareMonth(api: ApiClient, month: string): Promise<void> {
  await api.data('POST', `/api/my/closes/${month}/prepare`, {});
  const preparedAt = async () =>
    ((await api.data('GET', `/api/my/closes/${month}`))['close'] as { prepared_at?: unknown }).prepared_at;
  await expect.poll(preparedAt, { timeout: 60_000 }).toEqual(expect.any(String));
}
