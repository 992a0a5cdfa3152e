import type { Shape, Verified } from './suite.ts';

/** A run of the suite, to be reported. */
export interface Run {
  /** Calendar date of the run, e.g. `2026-11-28`. */
  readonly date: string;
  /** Hosts without data of the account, e.g. `sandbox-quickbooks.api.intuit.com`. */
  readonly hosts: readonly string[];
  readonly version: string;
  readonly results: readonly Verified[];
  /** What the run could not remove or restore, as sentences. */
  readonly leftovers: readonly string[];
}

const count = (results: readonly Verified[], wanted: Verified['finding']['result']): number =>
  results.filter(({ finding }) => finding.result === wanted).length;

/** Returns the counts as a sentence. */
export const summary = (results: readonly Verified[]): string =>
  `${count(results, 'holds')} hold, ${count(results, 'differs')} differ, ${count(results, 'not tried')} not tried.`;

const shown = (shape: Shape): string => JSON.stringify(shape);

/** Returns one result as lines for a terminal. */
export function lineOf({ facts, title, finding }: Verified): string {
  const head = `${finding.result.padEnd(9)}  ${facts.join(', ')}: ${title}`;
  if (finding.result === 'not tried') return `${head}\n           ${finding.reason}`;
  if (finding.result === 'holds') return head;
  return `${head}\n           expected ${shown(finding.expected)}\n           seen     ${shown(finding.seen)}`;
}

/** Returns the whole report as Markdown, to be committed beside the fact pages. */
export function markdownOf({ date, hosts, version, results, leftovers }: Run): string {
  const detail = ({ finding }: Verified): string => {
    if (finding.result === 'holds') return '';
    if (finding.result === 'not tried') return finding.reason;
    return `expected \`${shown(finding.expected)}\`, seen \`${shown(finding.seen)}\``.replaceAll('|', String.raw`\|`);
  };
  return [
    `# Services verified on ${date}`,
    '',
    `Tallybridge ${version} checked ${hosts.join(' and ')}: ${summary(results)}`,
    '',
    '| Facts | Expected | Result | Detail |',
    '|---|---|---|---|',
    ...results.map((one) => `| ${one.facts.join(', ')} | ${one.title} | ${one.finding.result} | ${detail(one)} |`),
    '',
    ...leftovers.map((sentence) => `- ${sentence}`),
    ...(leftovers.length > 0 ? [''] : []),
  ].join('\n');
}
