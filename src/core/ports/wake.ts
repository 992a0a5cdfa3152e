/**
 * The PostgreSQL channel on which saved work announces itself to the workers; the payload is the tenant's id. An
 * announcement that gets lost costs two seconds and no work: the workers look at the tables as well.
 */
export const wakeChannel = 'tallybridge_wake';
