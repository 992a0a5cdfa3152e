/** States of a user of a client; `invited`: an invitation exists, possibly expired, and no user yet. */
export const personStates = ['active', 'invited', 'deactivated'] as const;
export type PersonState = (typeof personStates)[number];
