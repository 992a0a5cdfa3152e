import { keepPreviousData } from '@tanstack/react-query';
import { listWebhookDeliveries, listWebhookEndpoints } from '#contract/calls/webhook-endpoints.ts';
import type { RequestOf } from '#contract/define.ts';
import type * as routes from '#contract/webhook-endpoints.ts';
import { queryOf } from '../../data/queries.ts';

/** A delivery takes seconds, so results appear soon. */
const refreshMs = 5_000;

export const endpointsQuery = () => ({
  ...queryOf(listWebhookEndpoints, {}, 'webhook-endpoints'),
  refetchInterval: 6 * refreshMs,
});

export type DeliveryFilter = NonNullable<RequestOf<typeof routes.listWebhookDeliveries>['query']>;

/** One page of the deliveries to an endpoint. */
export const deliveriesQuery = (id: string, query: DeliveryFilter) => ({
  ...queryOf(listWebhookDeliveries, { params: { id }, query }, 'webhook-endpoints', id, query),
  placeholderData: keepPreviousData,
  refetchInterval: refreshMs,
});
