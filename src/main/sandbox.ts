/** `npm run sandbox`: the two stand-in services alone, for anyone who integrates with either service. */
import { ConfigurationError, readConfig } from './config.ts';
import { startSandboxes } from './sandboxes.ts';

try {
  const { sandboxPorts } = readConfig({
    SANDBOX_AUTOTASK_PORT: process.env['SANDBOX_AUTOTASK_PORT'],
    SANDBOX_QBO_PORT: process.env['SANDBOX_QBO_PORT'],
    DEMO: 'true',
  });
  const sandboxes = await startSandboxes(sandboxPorts);
  console.log(`Autotask sandbox    ${sandboxes.autotaskUrl}/__sandbox`);
  console.log(`QuickBooks sandbox  ${sandboxes.quickbooksUrl}/__sandbox`);
  console.log('Stand-ins with made-up data in memory. Ctrl-C ends them.');
  const stop = () => void sandboxes.stop().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
