import { expect, type Page } from '@playwright/test';
import { findingsOn, hasSettled } from '../support/browser.ts';
import { names } from './extreme-names.ts';

/** Collects errors, failed requests, scripts that ran, and requests to other sites. */
async function watch(page: Page, origin: string): Promise<string[]> {
  const seen: string[] = [];
  await page.exposeFunction('hit', (number: number) => void seen.push(`script ${number} ran`));
  await page.exposeFunction('reportViolation', (what: string) => void seen.push(`policy: ${what}`));
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) =>
       window.reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`,
  );
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  /** Addresses that a busy server answered with “still reading”, after which the page asks again. */
  const late = new Set<string>();
  const failedToLoad = (url: string) => `error: Failed to load ${url}`;
  page.on('console', (message) => {
    const { url } = message.location();
    if (/^Failed to load resource.* 503 /.test(message.text())) {
      if (!late.has(url)) seen.push(failedToLoad(url));
    } else if (['error', 'warning'].includes(message.type())) seen.push(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const to = new URL(request.url());
    if (/^https?:$/.test(to.protocol) && to.origin !== origin) seen.push(`fetched ${to.href}`);
  });
  page.on('response', (response) => {
    const isLate = response.status() === 503 && response.headers()['still-reading'] === 'yes';
    if (isLate) {
      late.add(response.url());
      // The message may come before the response.
      const at = seen.indexOf(failedToLoad(response.url()));
      if (at !== -1) seen.splice(at, 1);
    } else if (response.status() >= 400)
      seen.push(`${response.status()}: ${response.request().method()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    // The browser cancels requests of a page that the user leaves.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') seen.push(`failed: ${request.method()} ${request.url()}`);
  });
  return seen;
}

/** Overflow, names parsed as HTML, cut text, misaligned headers, and buttons explained only by a tooltip. */
const layoutDefects = `(() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const over = document.documentElement.scrollWidth - window.innerWidth;
  if (over > 0) wrong.push('the page is ' + over + ' pixels too wide');
  if (document.querySelector('img[src="x"], main b, [role=dialog] b') !== null) wrong.push('a name became an element');
  for (const one of all('[role=dialog]')) {
    const box = one.getBoundingClientRect();
    if (box.width > 0 && (box.left < -1 || box.right > window.innerWidth + 1)) wrong.push('a dialog leaves the window');
  }
  for (const one of all('button, a[role=button], [role=tab]'))
    if (one.getBoundingClientRect().width > window.innerWidth)
      wrong.push('a button is wider than the window: ' + one.textContent.slice(0, 60));
  for (const one of all('[role=dialog]'))
    for (const control of one.querySelectorAll('button, a, label'))
      if (control.getBoundingClientRect().right > one.getBoundingClientRect().right + 1)
        wrong.push('outside its dialog: ' + control.textContent.slice(0, 60));
  // Punctuation and numbers beside a right-to-left name would move to its other side.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const { data, parentElement } = texts.currentNode;
    if (/^\\d+ \\u0634\\u0631\\u0643/.test(data) && parentElement.closest('bdi, pre, title, option, [role=option]') === null)
      wrong.push('a right-to-left name is not isolated: ' + parentElement.outerHTML.slice(0, 160));
  }
  for (const one of all('[role=dialog] button, [role=option]'))
    if (one.scrollWidth > one.clientWidth + 1) wrong.push('cut away: ' + one.textContent.slice(0, 60));
  for (const one of all('tr[aria-label*="test"], tr[aria-label*="live"]'))
    if (one.getBoundingClientRect().height > 200) wrong.push('one entry of the log fills the screen');
  const side = ({ textAlign }) => ({ left: 'start', right: 'end' })[textAlign] ?? textAlign;
  const room = ({ paddingLeft, paddingRight }) => [paddingLeft, paddingRight].join(' ');
  for (const table of all('table')) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    const row = [...table.tBodies].flatMap((body) => [...body.rows]).find(({ cells }) => cells.length === heads.length);
    for (const [index, head] of heads.entries()) {
      const cell = row?.cells[index];
      if (cell === undefined || head.textContent.trim() === '' || head.offsetParent === null) continue;
      // The table of a chart is only for screen readers.
      if (table.parentElement.offsetWidth <= 1) continue;
      const [above, below] = [getComputedStyle(head), getComputedStyle(cell)];
      // On a phone rows are cards, each value with its own label.
      if (below.display !== 'table-cell') continue;
      if (side(above) !== side(below) || room(above) !== room(below))
        wrong.push('the header “' + head.textContent + '” is not aligned with its column');
    }
  }
  // Neither touch nor the keyboard can reach a tooltip.
  const text = ['main', 'nav'].map((one) => document.querySelector(one)?.innerText ?? '').join(' ');
  for (const { title, textContent } of all('button:disabled[title], [aria-disabled="true"][title]'))
    if (!text.includes(title)) wrong.push('only a tooltip explains the disabled button “' + textContent + '”');
  const targets = all('a[href], area[href], form[action], iframe, object, embed, base, svg a')
    .map((one) => one.href?.baseVal ?? one.href ?? one.action ?? one.tagName);
  for (const target of targets) if (!/^(https?:|mailto:)/.test(target)) wrong.push('a harmful link: ' + target);
  for (const { name } of all('*').flatMap((one) => [...one.attributes]))
    if (/^on/i.test(name)) wrong.push('a script in the attribute ' + name);
  return wrong;
})()`;

/** A user at a page. */
export interface Visitor {
  /** Opens a page by its URL, waits until it is complete, and checks it. */
  open(path: string): Promise<void>;
  /** The same with a link of the menu. */
  follow(path: string): Promise<void>;
  /** Checks the page as it is. */
  look(where: string): Promise<void>;
  /** The paths of the menu. */
  menu(): Promise<readonly string[]>;
  /** Number of names found on the pages so far. */
  shown(): number;
  /** Expects that no page had a problem. */
  expectNoProblem(): void;
}

/** @param origin the address of the product */
export async function visitorOf(page: Page, origin: string, options: { readonly withAxe: boolean }): Promise<Visitor> {
  const events = await watch(page, origin);
  const seen: Record<string, readonly string[]> = {};
  let shown = 0;
  const links = page.locator('nav a[href^="/"]');
  const visitor: Visitor = {
    async look(where) {
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      const found = await page.evaluate<string[]>(layoutDefects);
      if (options.withAxe) found.push(...(await findingsOn(page)));
      const text = await page.evaluate<string>('document.body.innerText');
      shown += names.filter((name) => text.includes(name.slice(0, 30))).length;
      seen[where] = [...found, ...events.splice(0)];
    },
    async open(path) {
      await page.goto(path);
      await hasSettled(page);
      // These lists begin empty.
      if (path === '/customer-mappings' || path === '/vendor-mappings')
        await page.getByRole('button', { name: 'Search', exact: true }).click();
      await visitor.look(path);
    },
    async follow(path) {
      if (new URL(page.url()).pathname === path) return visitor.look(path);
      const link = page.locator(`nav a[href="${path}"]`).first();
      if ((await link.count()) === 0) return visitor.open(path);
      const heading = page.locator('h1').first();
      const before = await heading.innerText();
      // Some links do nothing while a request runs.
      await link.and(page.locator(':not([aria-disabled="true"])')).dispatchEvent('click');
      await expect(heading).not.toHaveText(before);
      await expect(page).toHaveURL(new RegExp(`${path}(\\?|$)`));
      await visitor.look(path);
    },
    menu: () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')),
    shown: () => shown,
    expectNoProblem() {
      expect(Object.keys(seen).length).toBeGreaterThan(3);
      expect(Object.entries(seen).filter(([, problems]) => problems.length > 0)).toEqual([]);
    },
  };
  return visitor;
}
