/**
 * The PostgreSQL channel on which saved work announces itself to the workers; the payload is the tenant's id. An
 * announcement that gets lost costs two seconds and no work: the workers look at the tables as well.
 */
export const wakeChannel = 'tallybridge_wake';
/**
 * The channel on which a job that has changed announces itself to its followers; the payload is the tenant's id and the job's,
 * with a blank between. Followers look at the tables as well.
 */
export const jobChannel = 'tallybridge_job';

/** Announcements of what other processes have saved, for everybody in this one. */
export interface Announcements {
  /** Tells the payloads of a channel from now on. */
  on(channel: typeof wakeChannel | typeof jobChannel, told: (payload: string) => void): void;
  /**
   * Sees to it that announcements arrive: opens the connection on which they come again when it was lost.
   *
   * @throws an error of the database's driver.
   */
  ensure(): Promise<void>;
}
