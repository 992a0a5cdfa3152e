import type { PsaEntry } from '../psa-entry.ts';
import { autotaskDescriptor } from './descriptor.ts';
import { autotaskPsa } from './psa.ts';

/** Registers Autotask as one of the PSAs that the product supports. */
export const autotask: PsaEntry = {
  descriptor: autotaskDescriptor,
  create: ({ service, ...parts }) =>
    autotaskPsa({ ...parts, zoneUrl: service.url, integrationCode: service.integrationCode }),
};
