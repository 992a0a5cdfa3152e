import { Client } from 'pg';
import { wakeChannel } from '#core/ports/wake.ts';

/** Hears announcements of saved work, as long as its connection stands. */
export interface Listener {
  /** Opens the connection again when it was lost; does nothing while it stands. @throws what the driver throws. */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens on a connection of its own, because a pool may hand a listening connection to somebody else.
 *
 * @param onWake is told the tenant that has work.
 */
export function createListener(connectionString: string, onWake: (tenantId: string) => void): Listener {
  let client: Client | null = null;
  return {
    async ensure() {
      if (client !== null) return;
      const opened = new Client({ connectionString, application_name: 'tallybridge wake' });
      const forget = () => {
        if (client === opened) client = null;
      };
      opened.on('notification', ({ payload }) => {
        if (payload !== undefined && payload !== '') onWake(payload);
      });
      opened.on('error', forget);
      opened.on('end', forget);
      client = opened;
      try {
        await opened.connect();
        await opened.query(`listen ${wakeChannel}`);
      } catch (error) {
        forget();
        throw error;
      }
    },
    async close() {
      const last = client;
      client = null;
      await last?.end();
    },
  };
}
