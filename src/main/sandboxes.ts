import { startAutotaskSandbox, startQuickBooksSandbox } from '@tallybridge/sandbox';
import { ConfigurationError } from './config.ts';
import { isPortError, portSentence } from './port.ts';

/** Both sandbox services, each on a separate port. */
export interface Sandboxes {
  readonly autotaskUrl: string;
  readonly quickbooksUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts both sandbox services with the sample world.
 *
 * @param place port 0 picks a free one; default host: this machine only.
 * @throws ConfigurationError if a port cannot be used.
 */
export async function startSandboxes(
  { host, ...ports }: { readonly host?: string; readonly autotask: number; readonly qbo: number },
  options: { readonly today?: string; readonly seed?: number } = {},
): Promise<Sandboxes> {
  const autotask = await startAutotaskSandbox({ port: ports.autotask, host, ...options }).catch((error: unknown) => {
    throw isPortError(error)
      ? new ConfigurationError(portSentence(ports.autotask, 'SANDBOX_AUTOTASK_PORT', error))
      : error;
  });
  try {
    const quickbooks = await startQuickBooksSandbox({ port: ports.qbo, host, ...options });
    return {
      autotaskUrl: onThisMachine(autotask.url),
      quickbooksUrl: onThisMachine(quickbooks.url),
      async stop() {
        await Promise.all([autotask.close(), quickbooks.close()]);
      },
    };
  } catch (error) {
    await autotask.close();
    throw isPortError(error) ? new ConfigurationError(portSentence(ports.qbo, 'SANDBOX_QBO_PORT', error)) : error;
  }
}

/** Returns an address that a client on this machine can open: “every address” is no address to call. */
const onThisMachine = (url: string): string => url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, 'http://127.0.0.1');
