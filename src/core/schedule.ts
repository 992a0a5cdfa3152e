import type { Kind } from './kinds.ts';
import type { Settings } from './settings/definitions.ts';
import { addSeconds, epochMs, instant, type Instant } from './values/dates.ts';
import { shortHash } from './values/text.ts';

/** Rules of the automatic sync in this deployment. */
export interface ScheduleRules {
  /** Minutes between two cycles of a tenant (`SYNC_INTERVAL_MINUTES`). */
  readonly intervalMinutes: number;
  /** The deployment's voids flag. */
  readonly voidsEnabled: boolean;
}

/** Maximum random delay of a cycle, so that tenants in the same second spread out (domain reference 11.1). */
const maxJitterSeconds = 60;
/** Minutes to wait after a service rejected our access: after the first time, and after each later one. */
const failureBackoffMinutes = [30, 60] as const;
/** Minutes to wait while a user has to act in the service, e.g. renew a subscription (fault row A8). */
const needsActionMinutes = 24 * 60;

/**
 * Returns when the next cycle of a tenant is due. A hash of the tenant's id sets its place within the interval, so
 * tenants are spread evenly. A cycle that took longer than the interval skips the places it missed.
 *
 * @param consecutiveFailures cycles in a row that ended because a service rejected our access
 * @param needsAction a user has to act in the service
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
  // Keeps the jitter small for a short interval.
  const jitterSeconds = of.random * Math.min(maxJitterSeconds, intervalMs / 4_000);
  const pause =
    of.needsAction === true
      ? needsActionMinutes
      : failureBackoffMinutes[Math.min(of.consecutiveFailures, failureBackoffMinutes.length) - 1];
  if (pause !== undefined) return addSeconds(of.now, Math.max(pause, of.intervalMinutes) * 60 + jitterSeconds);
  const place = shortHash(of.tenantId) % intervalMs;
  const passed = Math.floor((epochMs(of.now) - place) / intervalMs);
  return addSeconds(instant(place + (passed + 1) * intervalMs), jitterSeconds);
}

/** Order within a cycle: voids first, so that a voided and re-issued invoice does not clash with its old number. */
export const cycleOrder = ['void', 'invoice', 'payment', 'purchase_order', 'expense_report'] as const satisfies Kind[];

/** Whether the schedule syncs documents of a kind. */
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
