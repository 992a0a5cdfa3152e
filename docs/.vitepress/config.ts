import { createHash } from 'node:crypto';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig, type DefaultTheme } from 'vitepress';

const root = resolve(import.meta.dirname, '..', '..');
const base = '/help/';
const colorSchemeKey = 'color-scheme';
const outDir = join(root, 'dist', 'help');

const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [
      { text: 'Getting started', link: '/guide/start' },
      { text: 'The API user in Autotask', link: '/guide/autotask-user' },
      { text: 'Switching from another tool', link: '/guide/switching' },
    ],
  },
  {
    text: 'Use',
    items: [
      { text: 'Screens', link: '/guide/screens' },
      { text: 'Month-end close', link: '/guide/month-end' },
      { text: 'Messages', link: '/guide/messages' },
      { text: 'Questions', link: '/guide/questions' },
    ],
  },
  {
    text: 'Accounting',
    items: [
      { text: 'Documents', link: '/guide/documents' },
      { text: 'Payments and voids', link: '/guide/payments' },
      { text: 'Taxes', link: '/guide/taxes' },
      { text: 'Prepaid money', link: '/guide/prepaid' },
    ],
  },
  {
    text: 'Set up',
    items: [
      { text: 'Settings', link: '/guide/settings' },
      { text: 'Item Settings', link: '/guide/item-settings' },
      { text: 'Mappings', link: '/guide/mappings' },
      { text: 'Sign in with Microsoft or Google', link: '/guide/company-sign-in' },
    ],
  },
];

const operate: DefaultTheme.SidebarItem[] = [
  {
    text: 'Set up',
    items: [
      { text: 'Install', link: '/operate/install' },
      { text: 'Configuration', link: '/operate/configuration' },
      { text: 'TLS and proxy', link: '/operate/proxy' },
      { text: 'Database', link: '/operate/database' },
      { text: 'Register with Intuit', link: '/operate/register-with-intuit' },
      { text: 'Register with Autotask', link: '/operate/register-with-autotask' },
      { text: 'Sizing', link: '/operate/sizing' },
      { text: 'High availability', link: '/operate/high-availability' },
    ],
  },
  {
    text: 'Run',
    items: [
      { text: 'Commands', link: '/operate/commands' },
      { text: 'Verify the services', link: '/operate/verify-services' },
      { text: 'Monitoring', link: '/operate/monitoring' },
      { text: 'Runbooks', link: '/operate/runbooks' },
      { text: 'Upgrade and rollback', link: '/operate/upgrade' },
      { text: 'Backup and restore', link: '/operate/backup' },
      { text: 'Rotate keys', link: '/operate/keys' },
      { text: 'The guides, tried', link: '/operate/tried' },
      { text: 'What’s new for operators', link: '/operate/whats-new' },
    ],
  },
];

const api: DefaultTheme.SidebarItem[] = [
  {
    text: 'API',
    link: '/api/',
    items: globSync('*.md', { cwd: join(root, '.cache', 'help', 'api') })
      .map((name) => name.replace(/\.md$/, ''))
      .filter((name) => name !== 'index')
      .toSorted()
      .map((name) => ({ text: name, link: `/api/${name}` })),
  },
];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Moves an inline script into a file, because the content security policy allows no inline scripts. */
function moveScript(text: string): string {
  const name = `assets/inline.${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`;
  mkdirSync(join(outDir, 'assets'), { recursive: true });
  writeFileSync(join(outDir, name), text);
  return `<script src="${base}${name}"></script>`;
}

/** What screen readers get wrong in the search box of VitePress: it is a dialog with a list of links. */
const searchRoles = [
  ['role="button"', 'role="dialog"'],
  [`:aria-owns="results?.length ? 'localsearch-list' : undefined"`, ''],
  ['aria-expanded="true"', ''],
  ['aria-haspopup="listbox"', ''],
  [`:role="results?.length ? 'listbox' : undefined"`, ''],
  [`:aria-selected="selectedIndex === index ? 'true' : 'false'"`, ''],
  ['role="option"', ''],
  ['<kbd :aria-label', '<kbd role="img" :aria-label'],
] as const;

/**
 * Articles come before calls of the API. VitePress passes functions of its configuration as text, which the content
 * security policy forbids to run.
 */
const ranking = ['fuzzy: .2,', `fuzzy: .2, boostDocument: (id) => (id.startsWith('${base}api/') ? 0.05 : 1),`] as const;

const betterSearch = {
  name: 'better-search',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith('VPLocalSearchBox.vue')) return undefined;
    if (!code.includes(ranking[0])) throw new Error('The search box of VitePress changed: adapt its ranking.');
    return [...searchRoles, ranking].reduce((result, [wrong, right]) => result.replaceAll(wrong, right), code);
  },
};

/** `scripts/help.ts` writes the pages into `.cache/help`, then builds them into `dist/help`. */
export default defineConfig({
  title: 'Tallybridge Help',
  description: 'Guides for administrators and operators of Tallybridge.',
  lang: 'en-US',
  base,
  srcDir: join(root, '.cache', 'help'),
  outDir,
  cacheDir: join(root, '.cache', 'vitepress'),
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  // The same key and values as the application; the switch without transitions would write an inline style.
  appearance: { storageKey: colorSchemeKey, disableTransition: false },
  markdown: { highlight: (text) => `<pre v-pre tabindex="0"><code>${escaped(text)}</code></pre>` },
  transformHtml: (html) =>
    html
      .replace(/<script id="[\w-]+">([^]*?)<\/script>/g, (_, text: string) =>
        moveScript(text.replace('vitepress-theme-appearance', colorSchemeKey)),
      )
      // The policy allows no style attributes; theme/style.css has these rules.
      .replace(/(<[a-z][^>]*?) style="[^"]*"/g, '$1'),
  vite: { plugins: [betterSearch] },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    nav: [
      { text: 'Guide', link: '/guide/start', activeMatch: '/guide/' },
      { text: 'Operate', link: '/operate/install', activeMatch: '/operate/' },
      { text: 'API', link: '/api/', activeMatch: '/api/' },
      { text: 'What’s new', link: '/whats-new' },
    ],
    sidebar: { '/guide/': guide, '/operate/': operate, '/api/': api },
    outline: { label: 'On this page', level: 2 },
    docFooter: { prev: false, next: false },
    externalLinkIcon: true,
  },
});
