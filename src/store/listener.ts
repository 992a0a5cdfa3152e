import { Client } from 'pg';
import { jobChannel, tokensChannel, wakeChannel, type Announcements } from '#core/ports/announcements.ts';

const channels = [wakeChannel, jobChannel, tokensChannel] as const;
const connectionTimeoutMillis = 10_000;

/**
 * Listens on a dedicated connection, because a pool may hand a listening connection to other code. The connection is
 * opened on first use.
 */
export function createListener(connectionString: string): Announcements & { close(): Promise<void> } {
  const handlers = new Map<string, ((payload: string) => void)[]>();
  let client: Client | null = null;
  let opening: Promise<void> | null = null;

  async function open(): Promise<void> {
    const opened = new Client({ connectionString, connectionTimeoutMillis, application_name: 'tallybridge wake' });
    const forget = () => {
      if (client === opened) [client, opening] = [null, null];
    };
    opened.on('notification', ({ channel, payload }) => {
      if (payload !== undefined && payload !== '') for (const handle of handlers.get(channel) ?? []) handle(payload);
    });
    opened.on('error', forget);
    opened.on('end', forget);
    client = opened;
    try {
      await opened.connect();
      await opened.query(channels.map((channel) => `listen ${channel}`).join('; '));
    } catch (error) {
      forget();
      throw error;
    }
  }

  return {
    on: (channel, handler) => void handlers.set(channel, [...(handlers.get(channel) ?? []), handler]),
    ensure: () => (opening ??= open()),
    async close() {
      const last = client;
      [client, opening] = [null, null];
      await last?.end();
    },
  };
}
