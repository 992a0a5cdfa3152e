import { isIP } from 'node:net';

/** No deployment has more proxies; a larger number would trust addresses that a caller invents. */
const maxHops = 5;
/** Shorter prefixes cover more networks than one organization has. */
const minPrefix = { 4: 8, 6: 16 } as const;

/** Names of networks that the address library knows. */
const namedNetworks: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Parses `TRUST_PROXY`: the number of proxies, or their addresses and networks.
 *
 * @returns false without proxies; a number of hops; or a list for the address library.
 * @throws Error with the reason for an invalid value, which would let every caller, or none, choose its address.
 */
export function trustedProxies(text: string | undefined): false | number | readonly string[] {
  if (text === undefined) return false;
  if (/^\d+$/.test(text)) {
    const hops = Number(text);
    if (hops < 1 || hops > maxHops)
      throw new Error(`must be between 1 and ${maxHops} proxies, their addresses, or not set`);
    return hops;
  }
  const networks = text.split(',').map((one) => one.trim());
  for (const network of networks)
    if (!isNetwork(network)) throw new Error(`“${network}” is no address or network of a proxy`);
  return networks;
}

function isNetwork(text: string): boolean {
  if (namedNetworks.includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (rest.length > 0 || (family !== 4 && family !== 6)) return false;
  if (prefix === undefined) return address !== '0.0.0.0' && address !== '::';
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= minPrefix[family] && Number(prefix) <= (family === 4 ? 32 : 128);
}
