import {
  alertGroups,
  channelOf,
  groupsFor,
  type ChosenChannels,
  type NoticeChannel,
  type NoticeGroup,
  type NoticePreferences,
} from '#core/notice-preferences.ts';
import { Refusal } from '#core/refusal.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Principal } from '../access/principal.ts';
import type { TenantContext } from '../context.ts';

/** How a user gets each group of notices that the user's role can get. */
export interface EffectivePreferences {
  readonly channels: ReadonlyMap<NoticeGroup, NoticeChannel>;
  readonly digestHour: number;
}

export async function readNoticePreferences(
  { store }: TenantContext,
  { userId, roles }: Principal,
): Promise<EffectivePreferences> {
  const [{ channels, digestHour }, settings] = await inParallel([
    store.readNoticePreferences(userId),
    store.readSettings(),
  ]);
  const isMailedElsewhere = settings.alert_emails.length > 0;
  return {
    channels: new Map(
      groupsFor(roles).map((group) => [
        group,
        channelOf(group, channels, isMailedElsewhere && alertGroups.includes(group)),
      ]),
    ),
    digestHour,
  };
}

/**
 * Saves choices of the user; groups without a choice are unchanged.
 *
 * @throws Refusal `masquerading` (409).
 */
export async function saveNoticePreferences(
  context: TenantContext,
  principal: Principal,
  changed: { readonly channels: ChosenChannels; readonly digestHour?: number | undefined },
): Promise<EffectivePreferences> {
  const { store, clock } = context;
  if (principal.masquerader !== null)
    throw new Refusal('conflict', 'masquerading', 'These notices go to the users of the client, not to you.');
  const before = await store.readNoticePreferences(principal.userId);
  const preferences: NoticePreferences = {
    channels: { ...before.channels, ...changed.channels },
    digestHour: changed.digestHour ?? before.digestHour,
  };
  await store.saveNoticePreferences(principal.userId, preferences, clock.now());
  return readNoticePreferences(context, principal);
}
