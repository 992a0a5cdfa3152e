import { parseSync } from 'vite';

/** One small change of a source that a test should notice. */
export interface Mutation {
  /** Offset of the replaced text, in characters. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const otherOperator: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
};

/** Types and texts for people have no behavior. */
const withoutBehavior =
  /^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|^(Import|Export(All|Named)Specifier)/;

/** Finds the operator between two operands, because the syntax tree lacks its position. */
function operatorOf(source: string, left: Node, right: Node, operator: string): Mutation | null {
  const replacement = otherOperator[operator];
  const at = source.indexOf(operator, left.end);
  if (replacement === undefined || at < 0 || at >= right.start) return null;
  return { start: at, end: at + operator.length, replacement };
}

function mutationsAt(source: string, node: Node): readonly (Mutation | null)[] {
  const { type, start, end } = node;
  switch (type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return isNode(node['left']) && isNode(node['right'])
        ? [operatorOf(source, node['left'], node['right'], String(node['operator']))]
        : [];
    case 'UnaryExpression':
      return node['operator'] === '!' ? [{ start, end: start + 1, replacement: '' }] : [];
    case 'ConditionalExpression':
    case 'IfStatement': {
      const test = node['test'];
      return isNode(test)
        ? [{ start: test.start, end: test.end, replacement: `!(${source.slice(test.start, test.end)})` }]
        : [];
    }
    case 'Literal': {
      const value = node['value'];
      if (typeof value === 'boolean') return [{ start, end, replacement: String(!value) }];
      if (typeof value === 'number') return [{ start, end, replacement: String(value + 1) }];
      return [];
    }
    case 'ReturnStatement':
      return isNode(node['argument']) && node['argument'].type === 'ArrayExpression'
        ? [{ start, end, replacement: 'return [];' }]
        : [];
    default:
      return [];
  }
}

/**
 * Returns every mutation of a source: an inverted operator, a negated condition, a changed boolean or number, an
 * emptied list.
 *
 * @param source the text of a TypeScript module
 * @throws Error when it cannot be parsed
 */
export function mutationsOf(source: string): readonly Mutation[] {
  const { program, errors } = parseSync('module.ts', source);
  if (errors.length > 0) throw new Error(`The module cannot be parsed: ${errors[0]?.message ?? ''}`);
  const found: Mutation[] = [];
  const visit = (node: Node): void => {
    if (withoutBehavior.test(node.type)) return;
    for (const one of mutationsAt(source, node))
      if (one !== null && source.slice(one.start, one.end) !== one.replacement) found.push(one);
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(child)) visit(child);
  };
  visit(program as unknown as Node);
  return found;
}

/** Returns the source with the mutation applied. */
export const mutated = (source: string, { start, end, replacement }: Mutation): string =>
  source.slice(0, start) + replacement + source.slice(end);

/** Returns the line, counted from 1, on which a mutation begins. */
export const lineOf = (source: string, { start }: Mutation): number => source.slice(0, start).split('\n').length;
