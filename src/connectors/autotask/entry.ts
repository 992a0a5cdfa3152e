import type { PsaEntry } from '../psa-entry.ts';
import { autotaskDescriptor } from './descriptor.ts';
import { autotaskPsa } from './psa.ts';

/** Autotask among the PSAs that the product can be connected to. */
export const autotask: PsaEntry = {
  descriptor: autotaskDescriptor,
  create: ({ service, ...parts }) =>
    autotaskPsa({ ...parts, zoneUrl: service.url, integrationCode: service.integrationCode }),
};
