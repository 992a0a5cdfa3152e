import type { Call } from '../define.ts';
import type * as routes from '../users.ts';

export const listUsers: Call<typeof routes.listUsers> = { method: 'GET', path: '/api/my/users' };
export const inviteUser: Call<typeof routes.inviteUser> = { method: 'POST', path: '/api/my/users/invitations' };
export const resendInvitation: Call<typeof routes.resendInvitation> = {
  method: 'POST',
  path: '/api/my/users/invitations/:id/resend',
};
export const withdrawInvitation: Call<typeof routes.withdrawInvitation> = {
  method: 'DELETE',
  path: '/api/my/users/invitations/:id',
};
export const deactivateUser: Call<typeof routes.deactivateUser> = {
  method: 'POST',
  path: '/api/my/users/:id/deactivate',
};
export const reactivateUser: Call<typeof routes.reactivateUser> = {
  method: 'POST',
  path: '/api/my/users/:id/reactivate',
};
export const removeUser: Call<typeof routes.removeUser> = { method: 'DELETE', path: '/api/my/users/:id' };
export const endUserSessions: Call<typeof routes.endUserSessions> = {
  method: 'POST',
  path: '/api/my/users/:id/end-sessions',
};
export const readInvitation: Call<typeof routes.readInvitation> = { method: 'POST', path: '/auth/read-invitation' };
export const acceptInvitation: Call<typeof routes.acceptInvitation> = {
  method: 'POST',
  path: '/auth/accept-invitation',
};
