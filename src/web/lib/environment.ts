import { useSyncExternalStore } from 'react';
import type { DataOf } from '#contract/define.ts';
import { readEnvironment } from '#contract/environment.ts';
import { call } from './call.ts';

export type Environment = DataOf<typeof readEnvironment>;

/** Stands in until the deployment has answered, and when it does not: no badge, nothing optional. */
const unknown: Environment = {
  environment_label: '',
  voids_enabled: false,
  is_demo: false,
  demo_users: [],
  demo_registration: null,
  version: '',
  psa: { key: 'autotask', label: 'Autotask' },
  accounting: { key: 'qbo', label: 'QuickBooks Online', short_label: 'QuickBooks', lists: {} },
};

let environment = unknown;
const listeners = new Set<() => void>();

const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

/** Asks for the names of the deployment and of the two services, once per visit, and again until it was answered. */
export async function loadEnvironment(pauseMs = firstPauseMs): Promise<void> {
  try {
    environment = (await call(readEnvironment, {})).data;
    for (const listener of listeners) listener();
  } catch {
    setTimeout(() => void loadEnvironment(Math.min(2 * pauseMs, longestPauseMs)), pauseMs);
  }
}

/** The names of the deployment and of the two services; placeholders until the server has answered. */
export const useEnvironment = (): Environment =>
  useSyncExternalStore(
    subscribe,
    () => environment,
    () => unknown,
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
