import { describeNotice, type NoticeText } from '#core/notices.ts';
import type { Page } from '#core/records/page.ts';
import type { StoredNotice } from '#core/records/notices.ts';
import { Refusal } from '#core/refusal.ts';
import type { Principal } from '../access/principal.ts';
import type { TenantContext } from '../context.ts';

/** Returns one page of the user's notices with their texts, newest first. */
export async function listNotices(
  { store }: TenantContext,
  { userId }: Principal,
  page: Page,
): Promise<{
  readonly notices: readonly (StoredNotice & { readonly text: NoticeText })[];
  readonly total: number;
  readonly unread: number;
}> {
  const { timeZone } = await store.readTenant();
  const { notices, ...counts } = await store.listNotices(userId, page);
  return {
    ...counts,
    notices: notices.map((notice) => ({ ...notice, text: describeNotice(notice.notice, timeZone) })),
  };
}

/**
 * Marks a notice of the user as read.
 *
 * @throws Refusal `not_found`.
 */
export async function readNotice({ store, clock }: TenantContext, { userId }: Principal, id: string): Promise<void> {
  if (!(await store.markNoticeRead(userId, id, clock.now())))
    throw new Refusal('not_found', 'not_found', 'Notice not found.');
}

/** Marks all notices of the user as read. @returns how many were unread */
export const readAllNotices = ({ store, clock }: TenantContext, { userId }: Principal): Promise<number> =>
  store.markAllNoticesRead(userId, clock.now());
