import { GuideError, type Section } from './documents.ts';

/** What was done, for readers: the documented command or sentence, its output and its time. */
export interface Transcript {
  /** Begins a part with its own title. */
  part(title: string): void;
  /**
   * Runs a step and records it.
   *
   * @param words the command or sentence of the document
   * @param act returns the output
   * @throws GuideError with the document and the step when it failed.
   */
  step(of: Pick<Section, 'document' | 'heading'>, words: string, act: () => Promise<string>): Promise<string>;
  /** Returns all parts. */
  text(): string;
  readonly steps: () => number;
}

const maxLines = 24;
const maxWidth = 150;

/** @param print called with each line as soon as it is known. */
export function newTranscript(print: (line: string) => void): Transcript {
  const lines: string[] = [];
  let steps = 0;
  let last = '';
  const add = (line: string) => {
    lines.push(line);
    print(line);
  };
  return {
    part: (title) => {
      for (const line of ['', title, '='.repeat(title.length)]) add(line);
      last = '';
    },
    async step({ document, heading }, words, act) {
      const place = `${document} · ${heading}`;
      if (place !== last) for (const line of ['', place]) add(line);
      last = place;
      const began = performance.now();
      let output: string;
      try {
        output = await act();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new GuideError(`${document}, “${heading}”, step “${words}”: ${why}`);
      }
      steps += 1;
      const seconds = (performance.now() - began) / 1_000;
      const time = seconds < 0.1 ? '' : ` · ${seconds.toFixed(1)} s`;
      add(`  ${words.replace(/\s+# .*$/, '')}${time}`);
      for (const line of shortened(output)) add(`      ${line}`);
      return output;
    },
    text: () => `${lines.join('\n').trimStart()}\n`,
    steps: () => steps,
  };
}

/** Returns the lines of an output that a reader needs, without parts that differ from run to run. */
function shortened(output: string): readonly string[] {
  const lines = withoutUnstable(output)
    .split('\n')
    .map((line) => line.trimEnd().slice(0, maxWidth))
    .filter((line) => line !== '' && !/^(npm (warn|notice)|Cloning into|> |[{}]$)/.test(line));
  const half = maxLines / 2;
  return lines.length <= maxLines ? lines : [...lines.slice(0, half), '…', ...lines.slice(-half)];
}

const unstable: readonly (readonly [RegExp, string])[] = [
  // eslint-disable-next-line no-control-regex
  [/\u001B\[[\d;]*\w/g, ''],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'ID'],
  [/\d{4}-\d\d-\d\dT\d\d:?\d\d(:\d\d(\.\d+)?)?Z?/g, 'TIME'],
  [/\bin \d+m?s\b/g, ''],
  [/password=\S+|:[^:@/\s]+@/g, ':…@'],
];

const withoutUnstable = (text: string): string =>
  unstable.reduce((result, [pattern, instead]) => result.replace(pattern, instead), text);
