import { call } from '../define.ts';
import type * as routes from '../environment.ts';

export const readEnvironment = call<typeof routes.readEnvironment>('GET', '/api/environment');
