import type { SettingTab } from '#core/settings/definition.ts';

/** Article of each screen, by its first path: page and section below `/help/`. */
export const screenArticles: Readonly<Record<string, string>> = {
  '/my': 'guide/screens#overview',
  '/setup': 'guide/start#setup',
  '/needs-attention': 'guide/screens#needs-attention',
  '/approval': 'guide/screens#approval',
  '/my-invoices': 'guide/documents#invoices',
  '/my-purchase-orders': 'guide/documents#purchase-orders',
  '/my-expenses': 'guide/documents#expense-reports',
  '/documents/:kind/:id': 'guide/screens#document',
  '/runs': 'guide/screens#runs',
  '/customer-mappings': 'guide/mappings#customers',
  '/vendor-mappings': 'guide/mappings#vendors',
  '/expense-mappings': 'guide/mappings#expenses',
  '/item-mappings': 'guide/mappings#items',
  '/lines-of-business': 'guide/mappings#lines-of-business',
  '/locations': 'guide/mappings#locations',
  '/tax-regions': 'guide/mappings#tax-regions',
  '/custom-fields': 'guide/mappings#custom-fields',
  '/month-end': 'guide/month-end',
  '/logs': 'guide/screens#logs',
  '/clients': 'guide/screens#clients',
  '/status': 'operate/maintenance#status',
  '/audit': 'guide/screens#audit',
  '/connections': 'guide/screens#connections',
  '/quickbooks/launch': 'guide/screens#connections',
  '/quickbooks/reconnect': 'guide/screens#connections',
  '/quickbooks/disconnected': 'guide/screens#connections',
  '/settings': 'guide/settings',
  '/item-settings': 'guide/item-settings',
  '/users': 'guide/screens#users',
  '/api-keys': 'guide/screens#api-keys',
  '/webhooks': 'guide/screens#webhooks',
  '/notices': 'guide/screens#notices',
  '/sessions': 'guide/screens#security',
  '/security': 'guide/screens#security',
  '/login': 'guide/screens#login',
  '/forgot-password': 'guide/screens#login',
  '/password/:token': 'guide/screens#login',
  '/invitation/:token': 'guide/screens#users',
  '/register': 'guide/autotask-user',
};

const address = (article: string): string => `/help/${article}`;

/** Returns the address of the article of a screen. @param path of the screen, also an earlier or a longer one */
export function screenHelp(path: string): string {
  const [, first = ''] = path.split('/');
  const withId = Object.keys(screenArticles).find((one) => one.startsWith(`/${first}/:`)) ?? '';
  return address(screenArticles[path] ?? screenArticles[`/${first}`] ?? screenArticles[withId] ?? '');
}

/** Returns the anchor of a group of settings in the article on settings. */
export const settingAnchor = (tab: SettingTab, group: string): string =>
  `${tab}-${group}`.toLowerCase().replace(/[^a-z]+/g, '-');

/** Returns the address of the article of a group of settings. */
export const settingHelp = (tab: SettingTab, group: string): string =>
  address(`guide/settings#${settingAnchor(tab, group)}`);

/** Addresses of the sections of Settings that are not in the table of settings. */
export const otherSettingHelp = {
  timeZone: address('guide/settings#time-zone'),
  file: address('guide/settings#settings-file'),
} as const;

/** Returns the address of the article of a message. @param code of the catalogue, e.g. `ITEM_NOT_MAPPED` */
export const messageHelp = (code: string): string => address(`guide/messages#${code}`);

export const helpHome = address('');
export const newsPage = address('whats-new');

const newsKey = (username: string): string => `tallybridge-news-${username}`;

/** Returns true if the user has not opened the news of this version in this browser. */
export const hasNews = (username: string, version: string): boolean =>
  version !== '' && localStorage.getItem(newsKey(username)) !== version;

/** Remembers that the user opened the news of this version. */
export const readNews = (username: string, version: string): void => localStorage.setItem(newsKey(username), version);
