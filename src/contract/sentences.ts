import { z } from 'zod';
import { settingDefinitions } from '#core/settings/definitions.ts';

/**
 * Returns the message for a value that a schema rejects, for the user who filled in the field: "Email is missing."
 * Messages that the schema itself defines are unchanged. Numbers come from the schema, and the field name is the label
 * on screens.
 *
 * @param issue from zod, with its path.
 */
export function sentenceOf(issue: z.core.$ZodRawIssue): string {
  const name = labelOf(issue.path ?? []);
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return `${name} is missing.`;
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownField(issue.keys[0] ?? '');
    case 'invalid_type':
      return `${name} must be ${nouns[issue.expected] ?? 'of another type'}.`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `${name} must be ${String(issue.values[0])}.`
        : `${name} must be one of: ${issue.values.slice(0, maxNamed).map(String).join(', ')}${issue.values.length > maxNamed ? ', …' : ''}.`;
    case 'too_small':
      return tooSmall(name, issue);
    case 'too_big':
      return tooBig(name, issue);
    case 'invalid_format':
      return `${name} is not ${formats[issue.format] ?? 'written as it has to be'}.`;
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return `${name} is not valid.`;
    default:
      return `${name} is not valid.`;
  }
}

/** Makes every schema of the process report errors with {@link sentenceOf}. */
export const useSentences = (): void => void z.config({ customError: sentenceOf });

export const unknownField = (key: string): string => `There is no field “${key.slice(0, maxKeyLength)}”.`;

/** Maximum number of list values in a message. */
const maxNamed = 12;
const maxKeyLength = 100;

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'empty',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  uuid: 'an id',
  url: 'an address',
  date: 'a date',
  datetime: 'a date with a time',
};

function tooSmall(name: string, { origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (origin === 'string')
    return Number(minimum) === 1 ? `${name} is missing.` : `${name} needs at least ${minimum} characters.`;
  if (origin === 'array' || origin === 'set')
    return Number(minimum) === 1 ? `${name} is empty.` : `${name} needs at least ${minimum} entries.`;
  return `${name} must be ${inclusive === false ? 'more than' : 'at least'} ${minimum}.`;
}

function tooBig(name: string, { origin, maximum }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (origin === 'string') return `${name} may have at most ${maximum} characters.`;
  if (origin === 'array' || origin === 'set') return `${name} may have at most ${maximum} entries.`;
  return `${name} must be at most ${maximum}.`;
}

/** Screen labels of fields whose name alone is unclear; settings use the label of their form. */
const labels: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(settingDefinitions).map(([key, { label }]) => [key, label])),
  username: 'Email',
  email: 'Email',
  api_user: 'API Key (Username)',
  api_secret: 'API Secret (Password)',
  invoice_ids: 'The list of invoices',
  po_ids: 'The list of purchase orders',
  expense_report_ids: 'The list of expense reports',
  ids: 'The list of ids',
  xrefs: 'The list of mappings',
  psa_id: 'The id of the document',
  q: 'The search',
  source_value_label: 'The name of the mapped record',
  target_value_label: 'The name of what it is mapped to',
};

/**
 * Returns the label of the last name in a path, with the entry number if it is in a list: `Source value of entry 3`.
 */
export function labelOf(path: readonly PropertyKey[]): string {
  const last = path.findLast((part) => typeof part === 'string');
  if (last === undefined) return path.length === 0 ? 'The request' : `Entry ${Number(path.at(-1)) + 1}`;
  const name =
    labels[last] ??
    capitalized(last.replaceAll('_', ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  const entry = path.findLast((part) => typeof part === 'number');
  if (entry === undefined) return name;
  return path.at(-1) === entry
    ? `Entry ${entry + 1} of ${name.slice(0, 1).toLowerCase()}${name.slice(1)}`
    : `${name} of entry ${entry + 1}`;
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
