import { useQuery } from '@tanstack/react-query';
import type { DataOf } from '#contract/define.ts';
import type { readEnvironment } from '#contract/environment.ts';
import { environmentQuery } from './queries.ts';

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
  accounting: { key: 'qbo', label: 'QuickBooks Online', short_label: 'QuickBooks' },
};

/** The names of the deployment and of the two services; placeholders until the server has answered. */
export const useEnvironment = (): Environment => useQuery(environmentQuery()).data ?? unknown;
