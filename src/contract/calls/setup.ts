import { call } from '../define.ts';
import type * as routes from '../setup.ts';

export const readDetected = call<typeof routes.readDetected>('GET', '/api/my/setup/detected');
