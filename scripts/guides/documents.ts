import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');

/** A step of a guide failed or is missing. The message names the document and the step. */
export class GuideError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GuideError';
  }
}

/** A part of a document, from its heading to the next one. */
export interface Section {
  /** Path from the root of the project. */
  readonly document: string;
  readonly heading: string;
  readonly text: string;
}

const textOf = (document: string): string => readFileSync(join(root, document), 'utf8');

/** Returns the headings of a document's sections, without anchors. */
export const headingsOf = (document: string): readonly string[] =>
  [...textOf(document).matchAll(/^## (.+?)(?: \{#[\w-]+\})?$/gm)].map(([, heading = '']) => heading);

/** @throws GuideError if the section is missing. */
export function sectionOf(document: string, heading: string): Section {
  const parts = textOf(document).split(/^##? /m);
  const part = parts.find((one) => one.replace(/(?: \{#[\w-]+\})?\n[^]*$/, '') === heading);
  if (part === undefined) throw new GuideError(`${document} has no section “${heading}” any more.`);
  return { document, heading, text: part };
}

/**
 * Returns the lines of a fenced code block.
 *
 * @param number of the block in the section, from 1
 * @throws GuideError if the section has fewer blocks.
 */
export function blockOf({ document, heading, text }: Section, number = 1): readonly string[] {
  const block = [...text.matchAll(/^ *```\w*\n([^]*?)^ *```$/gm)][number - 1]?.[1];
  if (block === undefined) throw new GuideError(`${document}, “${heading}”: code block ${number} is missing.`);
  return block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** @throws GuideError if the section does not contain the words, regardless of line breaks. */
export function assertSays({ document, heading, text }: Section, words: string): void {
  if (!text.replace(/\s+/g, ' ').includes(words))
    throw new GuideError(`${document}, “${heading}” does not say “${words}” any more.`);
}
