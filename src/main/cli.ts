#!/usr/bin/env node
/** `npx tallybridge …`: the sandbox services by themselves, or what the operator of a deployment does on its machine. */
if (process.argv[2] === 'sandbox') {
  const { runSandbox } = await import('#sandbox/cli.ts');
  process.exitCode = await runSandbox(process.argv.slice(3), process.env);
} else await import('./admin.ts');
