import { type Doc, type Json, isDoc, shown } from './doc.ts';

const namespace = 'http://schema.intuit.com/finance/v3';

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const attributes = new Set(['domain', 'sparse', 'status', 'startPosition', 'maxResults', 'totalCount']);

function element(name: string, value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map((item) => element(name, item)).join('');
  if (!isDoc(value)) return `<${name}>${escape(String(value))}</${name}>`;
  // References have their name as an attribute and their value as text.
  const { value: text, name: label } = value;
  if (typeof text === 'string' && Object.keys(value).every((member) => ['value', 'name', 'type'].includes(member)))
    return `<${name}${typeof label === 'string' ? ` name="${escape(label)}"` : ''}>${escape(text)}</${name}>`;
  let own = '';
  let inner = '';
  for (const [member, part] of Object.entries(value)) {
    if (part === undefined) continue;
    if (attributes.has(member) && typeof part !== 'object') own += ` ${member}="${escape(String(part))}"`;
    else inner += element(member, part);
  }
  return `<${name}${own}>${inner}</${name}>`;
}

function faultElement(fault: Doc): string {
  const errors = Array.isArray(fault['Error']) ? fault['Error'].filter(isDoc) : [];
  const inner = errors.map((error) => {
    const { Message, Detail, code, element: member } = error;
    const at = typeof member === 'string' && member !== '' ? ` element="${escape(member)}"` : '';
    const detail = typeof Detail === 'string' ? `<Detail>${escape(Detail)}</Detail>` : '';
    return `<Error code="${escape(shown(code))}"${at}><Message>${escape(shown(Message))}</Message>${detail}</Error>`;
  });
  return `<Fault type="${escape(shown(fault['type']))}">${inner.join('')}</Fault>`;
}

/** Renders an API response as XML (envelope C of the QuickBooks reference section 4.1). */
export function toXml(body: Doc, time: string): string {
  let inner = '';
  for (const [member, value] of Object.entries(body)) {
    if (member === 'time' || value === undefined) continue;
    inner += member === 'Fault' && isDoc(value) ? faultElement(value) : element(member, value);
  }
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><IntuitResponse xmlns="${namespace}" time="${time}">${inner}</IntuitResponse>`;
}
