/**
 * Returns the key under which calls from a network address are counted. One household or attacker owns a whole IPv6
 * /64, so all of it counts as one caller; an IPv4 address mapped into IPv6 counts as the IPv4 address.
 *
 * @param address as the socket or a trusted proxy reports it, e.g. `203.0.113.7` or `2001:db8::1`.
 */
export function callerOf(address: string): string {
  const plain = withoutPort(address).replace(/%.*$/, '').toLowerCase();
  const mapped = /^(?:0*:)*:?(?:0*:)*ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!plain.includes(':')) return plain;
  const groups = groupsOf(plain);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [, , , , , , high = 0, low = 0] = groups;
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/**
 * Removes the port that some proxies add: `203.0.113.7:4711`, `[2001:db8::1]:4711`. It changes with each connection.
 */
const withoutPort = (address: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/, '$1');

/** Returns the eight groups of an IPv6 address, with `::` expanded. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16) || 0));
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  return [...before, ...Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => 0), ...after];
}
