import type { PsaEntry } from '#connectors/psa-entry.ts';
import { demoUsers } from './compose.ts';
import { readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startProduct, type Product } from './product.ts';
import { readEnvironmentFile } from './environment-file.ts';
import { isPlain } from './start-up.ts';

function announce(product: Product, isDemo: boolean): void {
  if (product.url === undefined) {
    console.log('\n  Tallybridge worker is running. Ctrl-C ends it.\n');
    return;
  }
  const lines = [`Tallybridge is running at ${product.url}`];
  if (isDemo) {
    lines.push(
      '',
      'This is a demo with made-up data: nothing leaves this machine.',
      'Log in as',
      ...demoUsers.map((user) => `  ${user.username.padEnd(30)} ${user.password}   ${user.label}`),
    );
    if (product.sandboxes !== undefined)
      lines.push(
        '',
        `“Autotask” is  ${product.sandboxes.autotaskUrl}/__sandbox`,
        `“QuickBooks” is  ${product.sandboxes.quickbooksUrl}/__sandbox`,
      );
  }
  lines.push('', 'Ctrl-C ends it; the data stays.');
  console.log(`\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`);
}

/**
 * Runs the product as a process: reads the environment, prints where it is and who may sign in, and ends it in an
 * orderly way on Ctrl-C. What keeps it from starting is printed, and the process ends with exit code 1.
 *
 * @param psa the PSA that companies connect; the one of the registry by default.
 */
export async function runProduct(psa?: PsaEntry): Promise<void> {
  try {
    readEnvironmentFile();
    const config = readConfig(process.env);
    const logger = createLogger(config.logLevel);
    let product: Product | undefined;
    let isEnding = false;
    const end = (signal: string) => {
      // The second Ctrl-C does not wait.
      if (isEnding) process.exit(130);
      isEnding = true;
      logger.info({ signal }, 'ending');
      if (product === undefined) return;
      void product.stop().then(() => process.exit(0));
    };
    process.on('SIGINT', () => end('SIGINT'));
    process.on('SIGTERM', () => end('SIGTERM'));
    product = await startProduct({ config, logger, crash: process.env['TALLYBRIDGE_CRASH'], psa });
    // Somebody pressed Ctrl-C while it was starting.
    if (isEnding) await product.stop().then(() => process.exit(0));
    announce(product, config.isDemo);
  } catch (error) {
    console.error(isPlain(error) ? error.message : error);
    process.exit(1);
  }
}
