import type { Kind } from './kinds.ts';
import type { Settings } from './settings/definitions.ts';
import { addSeconds, epochMs, instant, type Instant } from './values/dates.ts';

/** Rules by which this deployment runs by itself. */
export interface ScheduleRules {
  /** Minutes from one cycle of a tenant to its next (`SYNC_INTERVAL_MINUTES`). */
  readonly intervalMinutes: number;
  /** The deployment's voids flag. */
  readonly voidsEnabled: boolean;
}

/** Cycles vary by so much, so that tenants of one second do not stay together (domain reference 11.1). */
const maxJitterSeconds = 60;
/** Waiting after a service refused our access: the first time, and from then on. */
const failureBackoffMinutes = [30, 60] as const;
/** Waiting for somebody to do something in the service itself, e.g. to renew a subscription (fault row A8). */
const needsActionMinutes = 24 * 60;

/**
 * Moment at which the next cycle of a tenant is due. Each tenant has a place of its own within the interval, by a hash
 * of its id, so that all tenants together are spread evenly; a cycle that took longer than the interval skips the
 * places it missed.
 *
 * @param consecutiveFailures cycles in a row that ended because a service refused our access
 * @param needsAction the service waits for somebody to do something there
 * @param random from 0 up to, not including, 1
 * @returns an instant later than `now`
 */
export function nextSyncAt(of: {
  readonly now: Instant;
  readonly tenantId: string;
  readonly intervalMinutes: number;
  readonly consecutiveFailures: number;
  readonly needsAction?: boolean;
  readonly random: number;
}): Instant {
  const intervalMs = of.intervalMinutes * 60_000;
  // A short interval is not lost in its own jitter.
  const jitterSeconds = of.random * Math.min(maxJitterSeconds, intervalMs / 4_000);
  const pause =
    of.needsAction === true
      ? needsActionMinutes
      : failureBackoffMinutes[Math.min(of.consecutiveFailures, failureBackoffMinutes.length) - 1];
  if (pause !== undefined) return addSeconds(of.now, Math.max(pause, of.intervalMinutes) * 60 + jitterSeconds);
  const place = hash(of.tenantId) % intervalMs;
  const passed = Math.floor((epochMs(of.now) - place) / intervalMs);
  return addSeconds(instant(place + (passed + 1) * intervalMs), jitterSeconds);
}

/** FNV-1a over the text, as a whole number below 2^32. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

/** The order within a cycle: voids first, so that an invoice that was voided and issued anew does not clash. */
export const cycleOrder = ['void', 'invoice', 'payment', 'purchase_order', 'expense_report'] as const satisfies Kind[];

/** Whether the schedule takes up documents of a kind. */
export function isAutomatic(kind: Kind, settings: Settings, rules: Pick<ScheduleRules, 'voidsEnabled'>): boolean {
  switch (kind) {
    case 'invoice':
      return settings.inv_sync_active;
    case 'void':
      return rules.voidsEnabled && settings.void_sync_active;
    case 'payment':
      return settings.pay_sync_active;
    case 'purchase_order':
      return settings.po_sync_active;
    case 'difference':
      return false;
    default:
      return settings.exp_sync_active;
  }
}
