import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

/**
 * Sentences that people see stand in the `words.ts` of their folder and not in the components, so that they can be
 * translated. These folders keep to it.
 */
const folders = [
  'accept-invitation',
  'approval',
  'audit',
  'clients',
  'close',
  'connections',
  'forgot-password',
  'item-settings',
  'jobs',
  'login',
  'logs',
  'mappings',
  'needs-attention',
  'overview',
  'overview/guide',
  'preview',
  'register',
  'security',
  'sessions',
  'set-password',
  'settings',
  'sync',
  'users',
  '../shell',
] as const;

/** Attributes, and members of columns and options, that people see or hear. */
const visible = new Set([
  'aria-label',
  'cancelLabel',
  'description',
  'head',
  'hint',
  'label',
  'lead',
  'note',
  'nothingFoundMessage',
  'placeholder',
  'submitLabel',
  'text',
  'title',
  'what',
  'word',
]);

/** Functions whose first argument people see. */
const saying: ReadonlySet<string> = new Set(['showMessage', 'useTabTitle']);

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const hasLetters = (text: unknown): text is string => typeof text === 'string' && /\p{L}{2}/u.test(text);

/** The texts that an expression comes to by itself, whatever is called or looked up in it aside. */
function textsOf(value: unknown): readonly string[] {
  if (!isNode(value)) return [];
  switch (value.type) {
    case 'Literal':
      return hasLetters(value['value']) ? [value['value']] : [];
    case 'TemplateLiteral':
      return (value['quasis'] as readonly { readonly value: { readonly raw: string } }[]).flatMap(
        ({ value: { raw } }) => (hasLetters(raw) ? [raw] : []),
      );
    case 'ConditionalExpression':
      return [...textsOf(value['consequent']), ...textsOf(value['alternate'])];
    case 'LogicalExpression':
      return [...textsOf(value['left']), ...textsOf(value['right'])];
    case 'JSXExpressionContainer':
      return textsOf(value['expression']);
    default:
      return [];
  }
}

function collect(value: unknown, found: string[]): void {
  if (Array.isArray(value)) for (const one of value) collect(one, found);
  if (!isNode(value)) return;
  const { type } = value;
  if (type === 'JSXText' && hasLetters(value['value'])) found.push(value['value'].trim());
  if (type === 'JSXElement' || type === 'JSXFragment')
    found.push(...(value['children'] as readonly unknown[]).flatMap((one) => textsOf(one)));
  const [name, of] = type === 'JSXAttribute' ? [value['name'], value['value']] : [value['key'], value['value']];
  if ((type === 'JSXAttribute' || type === 'Property') && isNode(name) && visible.has(String(name['name'])))
    found.push(...textsOf(of));
  if (type === 'CallExpression' && isNode(value['callee']) && saying.has(String(value['callee']['name'])))
    found.push(...textsOf((value['arguments'] as readonly unknown[])[0]));
  for (const [key, one] of Object.entries(value)) if (key !== 'type') collect(one, found);
}

test.each(folders)('%s has its sentences in its words', (folder) => {
  const root = join(import.meta.dirname, folder);
  const files = globSync(join(root, '*.tsx'));
  expect(files.length).toBeGreaterThan(0);
  const found = Object.fromEntries(
    files.map((file) => {
      const texts: string[] = [];
      collect(parseSync(file, readFileSync(file, 'utf8')).program, texts);
      return [relative(root, file), texts];
    }),
  );
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((file) => [file, []])));
});
