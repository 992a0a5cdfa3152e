import type { Call } from '../define.ts';
import type * as routes from '../reviews.ts';

export const readReview: Call<typeof routes.readReview> = { method: 'GET', path: '/api/my/jobs/:id/review' };
