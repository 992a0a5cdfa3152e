/** Longer texts are no address. The longest one has a zone, brackets and a port. */
const maxLength = 100;
/** Caller of all requests whose address cannot be read: only a broken or hostile proxy sends one. */
const unreadable = 'unknown';

/**
 * Returns the key under which calls from a network address are counted. One household or attacker owns a whole IPv6
 * /64, so all of it counts as one caller; an IPv4 address mapped into IPv6 counts as the IPv4 address.
 *
 * @param address as the socket or a trusted proxy reports it, e.g. `203.0.113.7` or `2001:db8::1`.
 */
export function callerOf(address: string): string {
  if (address.length > maxLength) return unreadable;
  const [plain = ''] = withoutPort(address).split('%', 1);
  if (isIpv4(plain)) return plain;
  const groups = groupsOf(plain);
  if (groups === null) return unreadable;
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [, , , , , , high = 0, low = 0] = groups;
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${hex(groups.slice(0, 4))}::/64`;
}

/** A network of {@link networkOf} may do this many times as much as one of its callers. */
export const networkShare = 4;

/**
 * Returns the key of the IPv6 /56 that a caller belongs to; null for other callers. Providers often assign a /56 to one
 * customer, who can use 256 callers.
 *
 * @param caller from {@link callerOf}.
 */
export function networkOf(caller: string): string | null {
  if (!caller.endsWith('::/64')) return null;
  const groups = caller
    .slice(0, -'::/64'.length)
    .split(':')
    .map((group) => Number.parseInt(group, 16));
  return `${hex([...groups.slice(0, 3), (groups[3] ?? 0) & 0xff00])}::/56`;
}

const hex = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

const isIpv4 = (text: string): boolean => /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(text);

/**
 * Removes the port that some proxies add: `203.0.113.7:4711`, `[2001:db8::1]:4711`. It changes with each connection.
 */
function withoutPort(address: string): string {
  if (address.startsWith('[')) return address.slice(1).split(']', 1)[0] ?? '';
  const [host = '', , ...more] = address.split(':');
  return more.length === 0 ? host : address;
}

/** Returns the eight groups of an IPv6 address; null for any other text. */
function groupsOf(address: string): readonly number[] | null {
  const url = `http://[${address}]`;
  if (!/^[\da-f:.]+$/i.test(address) || !URL.canParse(url)) return null;
  // The parser checks the address and writes it in one form, without dots.
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
