import type { Call } from '../define.ts';
import type * as routes from '../setup.ts';

export const readDetected: Call<typeof routes.readDetected> = { method: 'GET', path: '/api/my/setup/detected' };
