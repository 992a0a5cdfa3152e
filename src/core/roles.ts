/**
 * Roles of signed-in users: `clientadmin` does everything for one tenant, `accountant` reads everything of it and signs
 * its months, `sysadmin` runs the deployment (screens reference 1.6).
 */
export const roles = ['clientadmin', 'accountant', 'sysadmin'] as const;
export type Role = (typeof roles)[number];

/** The roles of a tenant's users, which an invitation can name. */
export const clientRoles = ['clientadmin', 'accountant'] as const satisfies readonly Role[];
export type ClientRole = (typeof clientRoles)[number];
