import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { differencesPart } from './differences.ts';
import { messagesPart } from './messages.ts';
import { itemSettingsPart, settingsPart } from './settings.ts';
import { variablesPart } from './variables.ts';

/** Returns the transcript that `npm run guides -- --write` stored. */
function triedPart(): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operate', 'tried.txt'), 'utf8');
  return `\`\`\`\n${text}\`\`\``;
}

/** Comments in an article, and the functions that generate the text in their place. */
const generated: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/<!-- settings -->/, settingsPart],
  [/<!-- item settings -->/, itemSettingsPart],
  [/<!-- messages -->/, messagesPart],
  [/<!-- differences -->/, differencesPart],
  [/<!-- variables: (.+) -->/, variablesPart],
  [/<!-- tried -->/, triedPart],
];

/**
 * Returns the pages of the help as Markdown, with the generated parts.
 *
 * @param root folder of the project
 * @returns path below `/help`, for example `guide/start.md` → text
 */
export function helpPages(root: string): ReadonlyMap<string, string> {
  const paths = globSync(['index.md', '{guide,operate}/*.md'], { cwd: join(root, 'docs') });
  const articles = paths.map((path): [string, string] => [
    path.replaceAll('\\', '/'),
    readFileSync(join(root, 'docs', path), 'utf8'),
  ]);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    .replace(/^# .+/, '# What’s new')
    .replace('## Unreleased\n\n## ', '## ');
  return new Map(
    [...articles, ['whats-new.md', changelog] as const].map(([path, text]) => [
      path,
      withoutOtherLinks(path, filled(text)),
    ]),
  );
}

const filled = (text: string): string =>
  generated.reduce(
    (result, [marker, part]) =>
      result.replace(new RegExp(marker, 'g'), (_, name: string | number) => part(String(name))),
    text,
  );

/** Replaces links to files of the project that are not in the help by their text. */
function withoutOtherLinks(path: string, text: string): string {
  return text.replace(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (link, label: string, target: string) => {
    if (/^(#|\/|[a-z]+:)/.test(target)) return link;
    const file = posix.join(posix.dirname(path), target.replace(/#.*$/, ''));
    if (/^docs\/(guide|operate)\/[\w-]+\.md$/.test(file)) return `[${label}](./${target.replace(/^docs\//, '')})`;
    return /^(index|(guide|operate)\/[\w-]+)\.md$/.test(file) ? link : label;
  });
}
