/**
 * The PostgreSQL channel that announces saved work to the workers; the payload is the tenant's id. A lost announcement
 * only delays work by two seconds, because the workers poll the tables as well.
 */
export const wakeChannel = 'tallybridge_wake';
/**
 * The channel that announces a changed job to its followers; the payload is the tenant's id and the job's id, separated
 * by a space. Followers poll the tables as well.
 */
export const jobChannel = 'tallybridge_job';
/**
 * The channel that announces to sessions that a client's tokens of QuickBooks were replaced or removed; the payload is
 * the tenant's id. Sessions also read them every ten seconds.
 */
export const tokensChannel = 'tallybridge_tokens';

/** Announcements of changes that other processes saved, for all listeners in this process. */
export interface Announcements {
  /** Calls the listener with the payload of each announcement on a channel. */
  on(channel: typeof wakeChannel | typeof jobChannel | typeof tokensChannel, listener: (payload: string) => void): void;
  /**
   * Ensures that announcements arrive; reopens a lost connection.
   *
   * @throws an error of the database's driver.
   */
  ensure(): Promise<void>;
}
