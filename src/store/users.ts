import { Refusal } from '#core/refusal.ts';
import type { RootStore } from '#core/ports/store.ts';
import { codeOf } from './errors.ts';
import type { RootScope } from './scope.ts';

const columns = [
  'id',
  'username',
  'password_hash as passwordHash',
  'roles',
  'tenant_id as tenantId',
  'is_active as isActive',
] as const;

export const users = ({ inTransaction }: RootScope): Pick<RootStore, 'findUser' | 'addUser' | 'setPassword'> => ({
  findUser: (username) =>
    inTransaction(
      async (tx) =>
        (await tx
          .selectFrom('users')
          .select(columns)
          .where('username', '=', username.toLowerCase().replaceAll('\0', ''))
          .executeTakeFirst()) ?? null,
    ),

  async addUser({ username, passwordHash, roles, tenantId, isActive }) {
    try {
      return await inTransaction((tx) =>
        tx
          .insertInto('users')
          .values({
            username: username.toLowerCase(),
            password_hash: passwordHash,
            roles,
            tenant_id: tenantId,
            is_active: isActive,
          })
          .returning(columns)
          .executeTakeFirstOrThrow(),
      );
    } catch (error) {
      if (codeOf(error) !== '23505') throw error;
      throw new Refusal('conflict', 'username_taken', 'This e-mail address is registered already.');
    }
  },

  setPassword: (userId, passwordHash) =>
    inTransaction(async (tx) => {
      await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
    }),
});
