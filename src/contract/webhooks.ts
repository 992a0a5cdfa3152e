import { z } from 'zod';
import { route } from './define.ts';
import { booksSegment } from './services.ts';

export const booksWebhook = route({
  method: 'POST',
  path: `/webhooks/${booksSegment}`,
  summary: 'Change notifications of the accounting service, signed by it.',
  roles: 'public',
  tenantIds: [],
  body: z.unknown(),
  reply: z.null(),
});
