import { variableTexts } from './variable-texts.ts';

/** Returns the Markdown table of the variables of a section. */
export function variablesPart(section: string): string {
  const rows = Object.entries(variableTexts[section] ?? {}).map(
    ([name, { default: value, meaning }]) => `| \`${name}\` | ${value} | ${meaning} |`,
  );
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}
