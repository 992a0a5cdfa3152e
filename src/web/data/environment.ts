import type * as environmentRoutes from '#contract/environment.ts';
import { useSyncExternalStore } from 'react';
import type { DataOf } from '#contract/define.ts';
import { readEnvironment } from '#contract/calls/environment.ts';
import { call } from './call.ts';

export type Environment = DataOf<typeof environmentRoutes.readEnvironment>;

/** Used until the deployment responds, and when it does not: no badge, no optional features. */
const unknown: Environment = {
  environment_label: '',
  voids_enabled: false,
  is_demo: false,
  demo_users: [],
  registration_open: true,
  demo_registration: null,
  version: '',
  psa: { key: 'autotask', label: 'Autotask', api_user_steps: [] },
  accounting: { key: 'qbo', label: 'QuickBooks Online', short_label: 'QuickBooks', lists: {} },
};

let environment = unknown;
const listeners = new Set<() => void>();

const firstPauseMs = 2_000;
const maxPauseMs = 60_000;

/** Loads the names of the deployment and of the two services once per visit; retries until it succeeds. */
export async function loadEnvironment(pauseMs = firstPauseMs): Promise<void> {
  try {
    environment = (await call(readEnvironment, {})).data;
    for (const listener of listeners) listener();
  } catch {
    setTimeout(() => void loadEnvironment(Math.min(2 * pauseMs, maxPauseMs)), pauseMs);
  }
}

/** The names of the deployment and of the two services; placeholders until the server responds. */
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
