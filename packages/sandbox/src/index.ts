/** The public parts of the package: both services, the command, and what tests need to know about the sample data. */
export { startAutotaskSandbox } from './autotask/server.ts';
export { startQuickBooksSandbox } from './quickbooks/server.ts';
export { runSandbox } from './cli.ts';
export { picklistNumber } from './autotask/schema.ts';
export { defaultUser, secondUser } from './autotask/users.ts';
export { createRandom, type Random } from './kit/random.ts';
