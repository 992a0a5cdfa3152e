import { z } from 'zod';
import { route } from './define.ts';
import { accountingSegment } from './services.ts';

/**
 * A message contains the changes of several minutes, about 400 bytes each ([decision
 * 11](../../docs/adr/0010-following-quickbooks.md)).
 */
const bodyBytes = 1_048_576;

export const accountingNotification = route({
  method: 'POST',
  path: `/webhooks/${accountingSegment}`,
  inMaintenance: true,
  summary: 'Change notifications of the accounting service, signed by it.',
  roles: 'public',
  tenantIds: [],
  body: z.unknown(),
  bodyBytes,
  reply: z.null(),
});
