import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Networks that cannot contain a vendor's service: this machine, private, link-local, translated and documentation
 * networks (all entries of the IANA special-purpose address registries for IPv4 and IPv6).
 */
const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 63],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  special.addSubnet(network, bits, 'ipv6');

/**
 * Returns true if an address may belong to a service on the internet: not loopback, private, link-local or otherwise
 * special (reliability reference 2.3, row 17).
 *
 * @param address an IPv4 or IPv6 address as text; any other text is not public.
 */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.replace(/^\[|\]$/g, '').split('%', 1);
  const family = isIP(bare);
  if (family === 4) return !special.check(bare, 'ipv4');
  // The block list also checks IPv4 addresses that are written as IPv6.
  return family === 6 && !special.check(bare, 'ipv6');
}

const maxUrlLength = 2_000;

/**
 * Parses an address that a user typed. It must be https at a public host without a port; names without a dot belong to a
 * private network.
 *
 * @param isAllowed exceptions that may also use http and a port: sandboxes, by explicit configuration only.
 * @returns null when the address must not be called.
 */
export function parsePublicUrl(text: string, isAllowed: (url: URL) => boolean): URL | null {
  const url = text.length > maxUrlLength ? null : URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || !/^https?:$/.test(url.protocol)) return null;
  if (isAllowed(url)) return url;
  if (url.protocol !== 'https:' || url.port !== '') return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isPublicAddress(host) ? url : null;
  return /\.[a-z]/i.test(host) && !/\.(localhost|local|internal)\.?$/i.test(host) ? url : null;
}

/** A name resolved to an address that is not public; nothing was sent. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_NOT_PUBLIC';

  constructor(host: string) {
    super(`${host} is at an address that is not public`);
    this.name = 'AddressRefused';
  }
}

/** Resolves names to addresses; the machine's resolver, or a test's. */
export type Resolver = (
  host: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a lookup function for sockets that refuses a name if any of its addresses is not public. It checks the
 * addresses that are then used, so changing a name's address between check and use does not help an attacker.
 */
export function publicLookup(resolver: Resolver = resolve): LookupFunction {
  return (host, options, callback) => {
    resolver(host, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) return callback(error, '', 0);
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new AddressRefused(host), '', 0);
      if (options.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
