import { call } from '../define.ts';
import type * as routes from '../deployment.ts';

export const readDeployment = call<typeof routes.readDeployment>('GET', '/api/deployment');
export const changeMaintenance = call<typeof routes.changeMaintenance>('PUT', '/api/maintenance');
