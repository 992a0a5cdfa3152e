import { fault, type ServiceFault } from './faults.ts';

/** One condition of a WHERE clause; all must hold. `values` are texts, or booleans when unquoted. */
export interface Condition {
  readonly field: string;
  readonly operator: '=' | '<' | '>' | '<=' | '>=' | 'IN' | 'LIKE';
  readonly values: readonly (string | boolean)[];
}

/** A parsed query. Field and entity names are as typed and not yet checked against a schema. */
export interface Query {
  readonly select: 'all' | 'count' | readonly string[];
  readonly entity: string;
  readonly where: readonly Condition[];
  readonly orderBy: readonly { readonly field: string; readonly isDescending: boolean }[];
  readonly startPosition?: number;
  readonly maxResults?: number;
}

interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'sign' | 'end' | 'error';
  /** As typed; for strings the value without quotes and escapes. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** The lexer's fault at this token; raised only when the parser reaches it (recorded). */
  readonly fault?: ServiceFault;
}

const keywords = new Set(
  'select count from where and or in like order orderby by asc desc startposition maxresults true false iterator'.split(
    ' ',
  ),
);
const signs = ['<=', '>=', '=', '<', '>', '(', ')', ',', '*'];

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  let line = 1;
  let lineStart = 0;
  const lexical = (position: number, character: string, after: string): Token[] => {
    const lexicalError = fault.queryParse(
      `Invalid content. Lexical error at line ${line}, column ${position - lineStart + 1}.  Encountered: ${
        character === '' ? '<EOF>' : `"${character}" (${character.codePointAt(0) ?? 0}),`
      } after : "${after}"`,
    );
    found.push({ kind: 'error', text: '', line, column: position - lineStart + 1, fault: lexicalError });
    return found;
  };
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '\n') {
      at += 1;
      line += 1;
      lineStart = at;
      continue;
    }
    if (/\s/.test(character)) {
      at += 1;
      continue;
    }
    const column = at - lineStart + 1;
    if (character === "'") {
      let value = '';
      let end = at + 1;
      for (; end < text.length && text[end] !== "'"; end += 1) {
        if (text[end] === '\\' && end + 1 < text.length) end += 1;
        // Typographic quotes and dashes reportedly break the lexer (quickbooks reference 2.6).
        if (/[\u2010-\u201f]/.test(text[end] ?? '')) return lexical(end, text[end] ?? '', text.slice(at, end));
        value += text[end] ?? '';
      }
      if (end >= text.length) return lexical(end, '', text.slice(at));
      found.push({ kind: 'string', text: value, line, column });
      at = end + 1;
      continue;
    }
    const sign = signs.find((candidate) => text.startsWith(candidate, at));
    if (sign !== undefined) {
      found.push({ kind: 'sign', text: sign, line, column });
      at += sign.length;
      continue;
    }
    const word = /^[A-Za-z_][A-Za-z0-9_.]*/.exec(text.slice(at, at + 300))?.[0];
    if (word !== undefined) {
      found.push({ kind: 'word', text: word, line, column });
      at += word.length;
      continue;
    }
    const digits = /^-?\d+(\.\d+)?/.exec(text.slice(at, at + 50))?.[0];
    if (digits !== undefined) {
      found.push({ kind: 'number', text: digits, line, column });
      at += digits.length;
      continue;
    }
    return lexical(at, character, '');
  }
  found.push({ kind: 'end', text: '', line, column: at - lineStart + 1 });
  return found;
}

/** Reads tokens one by one and records what the grammar would have accepted instead, for the texts of fault 4000. */
class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #expected: string[] = [];
  constructor(text: string) {
    this.#tokens = tokens(text);
  }
  get #next(): Token {
    // The last token is the end or the fault; the parser never reads past it.
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)];
    if (token?.fault !== undefined) throw token.fault;
    return token ?? { kind: 'end', text: '', line: 1, column: 1 };
  }
  isWord(word: string): boolean {
    this.#expected.push(`"${word}"`);
    return this.#next.kind === 'word' && this.#next.text.toLowerCase() === word;
  }
  isSign(sign: string): boolean {
    this.#expected.push(`"${sign}"`);
    return this.#next.kind === 'sign' && this.#next.text === sign;
  }
  skip(): Token {
    const token = this.#next;
    this.#at += 1;
    this.#expected = [];
    return token;
  }
  takeWord(word: string): boolean {
    const isIt = this.isWord(word);
    if (isIt) this.skip();
    return isIt;
  }
  takeSign(sign: string): boolean {
    const isIt = this.isSign(sign);
    if (isIt) this.skip();
    return isIt;
  }
  needWord(word: string): void {
    if (!this.takeWord(word)) throw this.unexpected();
  }
  needSign(sign: string): void {
    if (!this.takeSign(sign)) throw this.unexpected();
  }
  name(): string {
    this.#expected.push('<IDENTIFIER>');
    const token = this.#next;
    if (token.kind !== 'word' || keywords.has(token.text.toLowerCase())) throw this.unexpected();
    return this.skip().text;
  }
  value(): string | boolean {
    this.#expected.push('<STRING>', '"true"', '"false"');
    const token = this.#next;
    if (token.kind === 'string') return this.skip().text;
    const word = token.kind === 'word' ? token.text.toLowerCase() : '';
    if (word === 'true' || word === 'false') return this.skip().text.toLowerCase() === 'true';
    throw this.unexpected();
  }
  number(): number {
    this.#expected.push('<INTEGER>');
    if (this.#next.kind !== 'number' || !/^-?\d+$/.test(this.#next.text)) throw this.unexpected();
    return Number(this.skip().text);
  }
  end(): void {
    this.#expected.push('<EOF>');
    if (this.#next.kind !== 'end') throw this.unexpected();
  }
  unexpected() {
    const { kind, text, line, column } = this.#next;
    const seen =
      kind === 'end'
        ? '"<EOF>"'
        : `" ${kind === 'word' && !keywords.has(text.toLowerCase()) ? '<IDENTIFIER>' : `<${kind.toUpperCase()}>`} "${text} ""`;
    const all = new Set(this.#expected.includes('"maxresults"') ? [...this.#expected, '"iterator"'] : this.#expected);
    const shown = [...all].map((token) => (token === '"and"' ? '<AND>' : token === '"or"' ? '<OR>' : token));
    const plain = (token: string) => (token === '<EOF>' ? '' : token.replaceAll(/[<>"]/g, '').toLowerCase());
    const sorted = shown.sort((a, b) => (plain(a) < plain(b) ? -1 : 1));
    const expected = sorted.map((token) => (token === '<EOF>' ? '    <EOF> \n' : `    ${token} ...\n`));
    return fault.queryParse(
      `Encountered ${seen} at line ${line}, column ${column}.\nWas expecting one of:\n${expected.join('')}    `,
    );
  }
}

function selectList(read: Reader): Query['select'] {
  if (read.takeSign('*')) return 'all';
  if (read.isWord('count')) {
    read.skip();
    read.needSign('(');
    read.needSign('*');
    read.needSign(')');
    return 'count';
  }
  const fields = [read.name()];
  while (read.takeSign(',')) fields.push(read.name());
  return fields;
}

function condition(read: Reader): Condition {
  const field = read.name();
  if (read.takeWord('in')) {
    read.needSign('(');
    const values = [read.value()];
    while (read.takeSign(',')) values.push(read.value());
    read.needSign(')');
    return { field, operator: 'IN', values };
  }
  if (read.takeWord('like')) return { field, operator: 'LIKE', values: [read.value()] };
  for (const operator of ['=', '<=', '>=', '<', '>'] as const)
    if (read.takeSign(operator)) return { field, operator, values: [read.value()] };
  throw read.unexpected();
}

/**
 * Parses one statement of the query language (quickbooks reference 2.6). Keywords work in any letter case; the two
 * paging clauses work in either order.
 *
 * @throws ServiceFault 4000 with the position of the error, or the lexer's fault
 */
export function parseQuery(text: string): Query {
  const read = new Reader(text);
  read.needWord('select');
  const select = selectList(read);
  read.needWord('from');
  const entity = read.name();
  const where: Condition[] = [];
  if (read.takeWord('where')) {
    where.push(condition(read));
    while (read.isWord('and') || read.isWord('or')) {
      // The grammar has OR, but it is documented as unsupported.
      if (read.takeWord('or')) throw fault.queryInvalid('operator OR is not supported');
      read.needWord('and');
      where.push(condition(read));
    }
  }
  const orderBy: { field: string; isDescending: boolean }[] = [];
  if (read.isWord('orderby') || read.isWord('order')) {
    if (read.skip().text.toLowerCase() === 'order') read.needWord('by');
    do {
      const field = read.name();
      const isDescending = read.takeWord('desc');
      if (!isDescending) read.takeWord('asc');
      orderBy.push({ field, isDescending });
    } while (read.takeSign(','));
  }
  const paging: { startPosition?: number; maxResults?: number } = {};
  for (let clauses = 0; clauses < 2; clauses += 1) {
    if (paging.startPosition === undefined && read.takeWord('startposition')) paging.startPosition = read.number();
    else if (paging.maxResults === undefined && read.takeWord('maxresults')) paging.maxResults = read.number();
  }
  read.end();
  return { select, entity, where, orderBy, ...paging };
}
