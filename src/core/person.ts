/** States of a person at a client; `invited`: there is an invitation, over or not, and no user yet. */
export const personStates = ['active', 'invited', 'deactivated'] as const;
export type PersonState = (typeof personStates)[number];
