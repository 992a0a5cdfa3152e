import type { GuideState } from '#core/tenant.ts';
import type { TenantContext } from '../context.ts';

/** Closes the setup for all users of the client, or opens it again. */
export async function saveGuide({ store }: TenantContext, state: Exclude<GuideState, 'new'>): Promise<GuideState> {
  await store.setGuide(state);
  return state;
}
