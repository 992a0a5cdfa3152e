import type { JobReply } from '#contract/jobs.ts';
import type { Subscription } from '#contract/subscription.ts';
import { readinessOf } from './subscription.ts';

export const setupSteps = ['connect', 'check', 'match', 'test', 'go-live'] as const;
export type SetupStep = (typeof setupSteps)[number];

/** Which steps of the setup are done. The server knows all of it, so every user sees the same. */
export type SetupProgress = Readonly<Record<SetupStep, boolean>>;

/** @param jobs the newest jobs; undefined until they load */
export function setupProgress(subscription: Subscription, jobs: readonly JobReply[] | undefined): SetupProgress {
  const { kinds, state } = subscription;
  const { connectionsOk, settingsOk } = readinessOf(subscription);
  const isLive = kinds.some(({ is_on: isOn }) => isOn);
  const wasSynced = [state.last_inv_sync, state.last_po_sync, state.last_exp_sync].some((at) => at !== null);
  const wasTested = jobs?.some(({ mode, succeeded }) => mode === 'test' && succeeded > 0) === true;
  return {
    connect: connectionsOk,
    check: connectionsOk && settingsOk,
    match: connectionsOk && kinds.every(({ missing }) => missing.every(({ path }) => !path.includes('-mappings'))),
    test: wasTested || wasSynced || isLive,
    'go-live': connectionsOk && settingsOk && isLive,
  };
}

export const countDone = (progress: SetupProgress): number => setupSteps.filter((step) => progress[step]).length;

/** Returns the first step that is not done; null when all are done. */
export const nextStep = (progress: SetupProgress): SetupStep | null =>
  setupSteps.find((step) => !progress[step]) ?? null;

/**
 * Returns true while the menu and the Overview lead to the setup: until the settings are complete and an automatic sync
 * is on, or until a user closes it. A user can reopen it.
 */
export function isSetupShown({ status, guide, kinds, settings_valid: settingsOk }: Subscription): boolean {
  if (status === 'suspended' || status === 'cancelled' || guide === 'closed') return false;
  return guide === 'open' || !settingsOk || kinds.every(({ is_on: isOn }) => !isOn);
}
