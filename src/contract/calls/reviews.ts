import { call } from '../define.ts';
import type * as routes from '../reviews.ts';

export const readReview = call<typeof routes.readReview>('GET', '/api/my/jobs/:id/review');
