import type { PsaEntry } from '#connectors/psa-entry.ts';
import { type Config, readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startProduct, type Product } from './product.ts';
import { readEnvironmentFile } from './environment-file.ts';
import { sentenceOf } from './start-up.ts';
import { readVersion } from './version.ts';

/** A second signal within this time belongs to the same press of Ctrl-C. */
const samePressMs = 500;

/** Prints the address and the users of a demo. In production, the log has what operators need. */
function announce(product: Product, { isProduction, isDemo, isExposedDemo: isExposed }: Config): void {
  if (isProduction && !isDemo) return;
  if (product.disabledUsers.length > 0)
    console.log(
      `\n  The users of an earlier demo were disabled, because their password is public: ${product.disabledUsers.join(', ')}.`,
    );
  if (product.url === undefined) {
    console.log(
      `\n  Tallybridge worker is running, with health and metrics on port ${product.monitoringPort}. Ctrl-C ends it.\n`,
    );
    return;
  }
  const lines = [`Tallybridge is running at ${product.url}`];
  if (isDemo) {
    lines.push(
      '',
      isExposed
        ? 'This is a demo with made-up data. Other machines can reach it, so its passwords were generated.'
        : 'This is a demo with made-up data: nothing leaves this machine.',
      'Log in as',
      ...product.demoUsers.map((user) => `  ${user.username.padEnd(30)} ${user.password}   ${user.label}`),
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
 * Runs the product as a process: reads the environment, prints its address and who may sign in, and stops cleanly on
 * Ctrl-C. If it cannot start, prints the reason and exits with code 1.
 *
 * @param options.psa the PSA that companies connect; default: the registry's.
 * @param options.migrates migrates the database of a deployment, too.
 */
export async function runProduct(
  options: { readonly psa?: PsaEntry; readonly migrates?: boolean } = {},
): Promise<void> {
  try {
    readEnvironmentFile();
    const config = readConfig(process.env);
    const logger = createLogger(config.logLevel, undefined, { role: config.role, version: readVersion() });
    let product: Product | undefined;
    let endingSince: number | null = null;
    const end = (signal: string) => {
      // The second Ctrl-C exits at once. npm forwards each signal, so the terminal's and npm's arrive together.
      if (endingSince !== null && performance.now() - endingSince > samePressMs) process.exit(130);
      if (endingSince !== null) return;
      endingSince = performance.now();
      logger.info({ signal }, 'ending');
      if (product === undefined) return;
      void product.stop().then(() => process.exit(0));
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // Replaces the launcher's handler, which ends the process at once during startup.
      process.removeAllListeners(signal);
      process.on(signal, () => end(signal));
    }
    product = await startProduct({ config, logger, crash: process.env['TALLYBRIDGE_CRASH'], ...options });
    // Ctrl-C was pressed during startup.
    if (endingSince !== null) await product.stop().then(() => process.exit(0));
    logger.info({ url: product.url, monitoringPort: product.monitoringPort }, 'started');
    announce(product, config);
  } catch (error) {
    console.error(sentenceOf(error) ?? error);
    process.exit(1);
  }
}
