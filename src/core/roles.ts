/** What a signed-in person may do: `clientadmin` for one tenant, `sysadmin` for the deployment (screens reference 1.6). */
export const roles = ['clientadmin', 'sysadmin'] as const;
export type Role = (typeof roles)[number];
