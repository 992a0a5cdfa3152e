import { z } from 'zod';

/** Path segment and service key of the PSA; the labels come from the connector's descriptor at run time. */
export const psaSegment = 'autotask';
/** Path segment and service key of the accounting service. */
export const booksSegment = 'qbo';

/** A service as routes and connections name it. */
export const serviceKey = z.enum([psaSegment, booksSegment]);
export type ServiceKey = z.output<typeof serviceKey>;
