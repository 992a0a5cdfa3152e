import { startAutotaskSandbox } from '#sandbox/autotask/server.ts';
import { startQuickBooksSandbox } from '#sandbox/quickbooks/server.ts';
import { ConfigurationError } from './config.ts';
import { isPortTrouble, portSentence } from './port.ts';

/** Both sandbox services, each on a separate port. */
export interface Sandboxes {
  readonly autotaskUrl: string;
  readonly quickbooksUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts both sandbox services with the sample world.
 *
 * @param ports 0 picks a free one.
 * @throws ConfigurationError if a port cannot be used.
 */
export async function startSandboxes(
  ports: { readonly autotask: number; readonly qbo: number },
  options: { readonly today?: string; readonly seed?: number } = {},
): Promise<Sandboxes> {
  const autotask = await startAutotaskSandbox({ port: ports.autotask, ...options }).catch((error: unknown) => {
    throw isPortTrouble(error)
      ? new ConfigurationError(portSentence(ports.autotask, 'SANDBOX_AUTOTASK_PORT', error))
      : error;
  });
  try {
    const quickbooks = await startQuickBooksSandbox({ port: ports.qbo, ...options });
    return {
      autotaskUrl: autotask.url,
      quickbooksUrl: quickbooks.url,
      async stop() {
        await Promise.all([autotask.close(), quickbooks.close()]);
      },
    };
  } catch (error) {
    await autotask.close();
    throw isPortTrouble(error) ? new ConfigurationError(portSentence(ports.qbo, 'SANDBOX_QBO_PORT', error)) : error;
  }
}
