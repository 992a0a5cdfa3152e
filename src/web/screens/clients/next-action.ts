import type { ClientState } from '#contract/clients.ts';
import { formatCount } from '../../data/format.ts';

/** Days before the end of a consent when it is shown as a problem. */
const soonDays = 14;
const dayMs = 86_400_000;

/** Returns true if the consent of QuickBooks ends soon. */
export const endsSoon = (at: string, nowMs: number): boolean => Date.parse(at) - nowMs < soonDays * dayMs;

/** Returns the services that are not connected, by their labels. */
export const missingServices = (
  client: Pick<ClientState, 'psa' | 'accounting'>,
  labels: { readonly psa: string; readonly accounting: string },
): readonly string[] =>
  (['psa', 'accounting'] as const).filter((service) => client[service] !== 'active').map((service) => labels[service]);

/**
 * Returns what the operator does next for a client, and the client's screen for it; null if there is nothing to do.
 *
 * @param labels names of both services
 */
export function nextActionOf(
  client: Omit<ClientState, 'id' | 'name' | 'needs_help' | 'last_synced_at' | 'posted_by_day'>,
  { nowMs, ...labels }: { readonly psa: string; readonly accounting: string; readonly nowMs: number },
): { readonly label: string; readonly path: string } | null {
  if (client.status === 'suspended' || client.status === 'cancelled') return null;
  if (client.status === 'pending') return { label: 'Finish setup', path: '/setup' };
  if (client.stalled_since !== null) return { label: 'Check stopped syncs', path: '/runs' };
  const missing = missingServices(client, labels);
  if (missing.length > 1) return { label: 'Connect both services', path: '/connections' };
  if (missing.length > 0) return { label: `Connect ${missing.join('')}`, path: '/connections' };
  if (client.failed > 0) return { label: `Fix ${formatCount(client.failed)} failed`, path: '/needs-attention' };
  if (client.consent_ends_at !== null && endsSoon(client.consent_ends_at, nowMs))
    return { label: 'Renew consent', path: '/connections' };
  if (client.held > 0) return { label: `Check ${formatCount(client.held)} on hold`, path: '/needs-attention' };
  return null;
}
