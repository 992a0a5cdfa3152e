import {
  alertGroups,
  channelOf,
  groupsFor,
  noticeChannelLabels,
  noticeGroupLabels,
  type ChosenChannels,
  type NoticeChannel,
  type NoticeGroup,
  type NoticePreferences,
} from '#core/notice-preferences.ts';
import {
  ChangedMeanwhile,
  changedRefusal,
  requireUnchanged,
  type FieldText,
  type FieldValues,
} from '#core/changed-meanwhile.ts';
import { Refusal } from '#core/refusal.ts';
import { inParallel } from '#core/in-parallel.ts';
import { actorOf, type Principal } from '../access/principal.ts';
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
  const [preferences, settings] = await inParallel([store.readNoticePreferences(userId), store.readSettings()]);
  return effective(preferences, { roles }, settings.alert_emails.length > 0);
}

function effective(
  { channels, digestHour }: NoticePreferences,
  { roles }: Pick<Principal, 'roles'>,
  isMailedElsewhere: boolean,
): EffectivePreferences {
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
 * @param was choices that another window of the user showed; see `requireUnchanged`.
 * @throws Refusal `masquerading`, `changed_meanwhile` (409).
 */
export async function saveNoticePreferences(
  context: TenantContext,
  principal: Principal,
  changed: { readonly channels: ChosenChannels; readonly digestHour?: number | undefined },
  was?: FieldValues,
): Promise<EffectivePreferences> {
  const { store, clock } = context;
  if (principal.masquerader !== null)
    throw new Refusal('conflict', 'masquerading', 'These notices go to the users of the client, not to you.');
  const { alert_emails: alertEmails } = await store.readSettings();
  const wanted = {
    ...changed.channels,
    ...(changed.digestHour !== undefined && { digest_hour: changed.digestHour }),
  };
  try {
    await store.changeNoticePreferences(principal.userId, clock.now(), (before) => {
      const { channels, digestHour } = effective(before, principal, alertEmails.length > 0);
      requireUnchanged(was, { ...Object.fromEntries(channels), digest_hour: digestHour }, wanted);
      return {
        channels: { ...before.channels, ...changed.channels },
        digestHour: changed.digestHour ?? before.digestHour,
      };
    });
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    const self = actorOf(principal);
    // Only the user can change them.
    const authors = Object.fromEntries(error.keys.map((key) => [key, self]));
    throw changedRefusal(error, { self, authors, textOf: preferenceText });
  }
  return readNoticePreferences(context, principal);
}

function preferenceText(key: string, stored: FieldValues): FieldText {
  const value = String(stored[key]);
  if (key === 'digest_hour') return { label: 'Daily email', value: `${value}:00` };
  return { label: noticeGroupLabels[key as NoticeGroup], value: noticeChannelLabels[value as NoticeChannel] };
}
