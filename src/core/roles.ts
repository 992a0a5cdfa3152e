/**
 * Roles by what a logged-in person may do: `clientadmin` everything for one tenant, `accountant` read everything of it
 * and sign its months, `sysadmin` look after the deployment (screens reference 1.6).
 */
export const roles = ['clientadmin', 'accountant', 'sysadmin'] as const;
export type Role = (typeof roles)[number];

/** The roles of a tenant's own people, which an invitation can name. */
export const clientRoles = ['clientadmin', 'accountant'] as const satisfies readonly Role[];
export type ClientRole = (typeof clientRoles)[number];
