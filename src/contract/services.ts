import { z } from 'zod';

/** Path segment and service key of the PSA. The labels come from the connector's descriptor at run time. */
export const psaSegment = 'autotask';
/** Path segment and service key of the accounting service. */
export const accountingSegment = 'qbo';

/** A service key in routes and connections. */
export const serviceKey = z.enum([psaSegment, accountingSegment]);
export type ServiceKey = z.output<typeof serviceKey>;
