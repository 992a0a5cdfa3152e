/**
 * `npx tallybridge …`: starts the product or the sandbox services, or runs an operator command. Loaded by
 * bin/tallybridge.cjs, which has checked the version of Node.
 */
import { join } from 'node:path';
import { ConfigurationError } from './config.ts';
import { readEnvironmentFile } from './environment-file.ts';
import { buildScreens, isBuilt, isOutdated } from './screens.ts';
import { printStep } from './start-up.ts';

const root = join(import.meta.dirname, '..', '..');

/** Starts the product in this process, so that a signal to it ends the product. */
async function start(options: readonly string[]): Promise<void> {
  readEnvironmentFile();
  if (options.includes('--build')) {
    if (await isOutdated(root)) {
      printStep('Building the screens, up to a minute…');
      await buildScreens(root);
    }
  } else if (process.env['TALLYBRIDGE_ROLE'] !== 'worker' && !isBuilt(root))
    throw new ConfigurationError('The screens are not built: run “npm ci” and “npm run build”, then start again.');
  await import('./start.ts');
}

async function run([command, ...rest]: readonly string[]): Promise<void> {
  if (command === 'start') return start(rest);
  if (command !== 'sandbox') return void (await import('./admin.ts'));
  const { runSandbox } = await import('#sandbox/cli.ts');
  process.exitCode = await runSandbox(rest, process.env);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof ConfigurationError ? error.message : error);
  process.exit(1);
});
