import { existsSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { problems } from '#core/problems.ts';
import { definitionOf, settingKeys } from '#core/settings/definitions.ts';
import { itemSettingKeys } from '#core/settings/item-settings.ts';
import { secretVariables, variableNames } from '#main/config.ts';
import { otherSettingHelp, screenArticles, settingHelp } from '#web/data/help.ts';
import { helpPages } from '../scripts/help/pages.ts';
import { variableTexts } from '../scripts/help/variable-texts.ts';

const root = resolve(import.meta.dirname, '..');
const pages = helpPages(root);
const textOf = (path: string): string => pages.get(path) ?? '';

/** Returns the anchors of a page: explicit ones, and those that the generator derives from headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const prose = textOf(path).replace(/^```[\s\S]*?^```/gm, '');
  return new Set(
    [...prose.matchAll(/^#{1,6} (.+?)(?: \{#([\w-]+)\})?$/gm)].map(([, title = '', id]) => id ?? slugOf(title)),
  );
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[`*]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');

test.each([...pages.keys()])('every link in %s leads to a page and an anchor of the help', (path) => {
  const prose = textOf(path).replace(/^```[\s\S]*?^```/gm, '');
  const targets = [...prose.matchAll(/(?<!!)\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(\/|[a-z]+:)/.test(target));
  const missing = targets.filter((target) => {
    const [file = '', anchor] = target.split('#');
    if (/\.(jpg|svg)$/.test(file)) return !existsSync(join(root, 'docs', posix.dirname(path), file));
    const page = file === '' ? path : posix.join(posix.dirname(path), file);
    return !pages.has(page) || (anchor !== undefined && !anchorsOf(page).has(anchor));
  });
  expect(missing).toEqual([]);
});

test('every message, setting and variable has its section', () => {
  const missing = (path: string, anchors: readonly string[]) =>
    anchors.filter((anchor) => !anchorsOf(path).has(anchor));
  expect(missing('guide/messages.md', Object.keys(problems))).toEqual([]);
  expect(missing('guide/settings.md', settingKeys)).toEqual([]);
  expect(missing('guide/item-settings.md', itemSettingKeys)).toEqual([]);
  expect(variableNames.filter((name) => !textOf('operate/configuration.md').includes(`| \`${name}\` |`))).toEqual([]);
});

test('the configuration describes every variable once', () => {
  const described = Object.values(variableTexts).flatMap((section) => Object.keys(section));
  expect(described.toSorted()).toEqual(variableNames.toSorted());
  expect(secretVariables.filter((name) => !described.includes(name))).toEqual([]);
});

test('no page has a comment that was not filled', () => {
  for (const [path, text] of pages) expect([path, /<!--/.test(text)]).toEqual([path, false]);
});

/** Returns whether an address of the application leads to a page and an anchor of the help. */
function leadsToArticle(article: string): boolean {
  const [page = '', anchor] = article.split('#');
  return pages.has(`${page}.md`) && (anchor === undefined || anchorsOf(`${page}.md`).has(anchor));
}

test('the help link of every screen and group of settings leads to an article', () => {
  const source = readFileSync(join(root, 'src', 'web', 'shell', 'screens.ts'), 'utf8');
  const paths = [...source.matchAll(/(?:paths: \[|outside\()\s*'([^']+)'/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(30);
  expect(Object.keys(screenArticles)).toEqual(expect.arrayContaining(paths));
  expect(Object.values(screenArticles).filter((article) => !leadsToArticle(article))).toEqual([]);
  const groups = settingKeys.map((key) => settingHelp(definitionOf(key).tab, definitionOf(key).group));
  expect(
    [...groups, ...Object.values(otherSettingHelp)].filter((address) => !leadsToArticle(address.replace('/help/', ''))),
  ).toEqual([]);
});
