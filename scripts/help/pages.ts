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
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').replace('## Unreleased\n\n## ', '## ');
  const news = [
    ['whats-new.md', changesFor('administrators', changelog)],
    ['operate/whats-new.md', changesFor('operators', changelog)],
  ] as const;
  return new Map([...articles, ...news].map(([path, text]) => [path, withoutOtherLinks(path, filled(text))]));
}

const forOperators = /^- Operators: /;

/** Returns the changelog with the entries for one kind of reader. Entries for operators begin with “Operators:”. */
export function changesFor(reader: 'administrators' | 'operators', changelog: string): string {
  const isTheirs = (line: string): boolean => forOperators.test(line) === (reader === 'operators');
  const [title, lead] =
    reader === 'operators'
      ? ['What’s new for operators', 'Changes for operators, and what to do.']
      : ['What’s new', 'Changes for administrators, and what to do.'];
  const lines = changelog
    .split('\n')
    .filter((line) => !line.startsWith('- ') || isTheirs(line))
    .map((line) => line.replace(forOperators, '- ').replace(/^- [a-z]/, (start) => start.toUpperCase()));
  return lines.join('\n').replace(/^# .+\n\n.+/, `# ${title}\n\n${lead}`);
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
    // The changelog is in the root of the project.
    if (/^docs\/(guide|operate)\/[\w-]+\.md(#.*)?$/.test(target))
      return `[${label}](${posix.relative(posix.dirname(path), target.replace(/^docs\//, ''))})`;
    const file = posix.join(posix.dirname(path), target.replace(/#.*$/, ''));
    return /^(index|(guide|operate)\/[\w-]+)\.md$/.test(file) ? link : label;
  });
}
