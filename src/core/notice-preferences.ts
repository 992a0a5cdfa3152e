import { noticeRoles, type NoticeKind } from './notices.ts';
import type { Role } from './roles.ts';
import { addDays, addSeconds, dateIn, instantAt, type Instant } from './values/dates.ts';

/** Kinds of notices as users know them. */
export const noticeGroups = [
  'failed_documents',
  'failed_runs',
  'sync_paused',
  'connection_lost',
  'expiring',
  'approval',
  'requests',
  'month_signed',
] as const;
export type NoticeGroup = (typeof noticeGroups)[number];

/** `app`: on the Notices screen. `email` and `digest` add an email at once, or once a day. `off`: not at all. */
export const noticeChannels = ['off', 'app', 'email', 'digest'] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

interface Group {
  readonly kinds: readonly NoticeKind[];
  readonly byDefault: NoticeChannel;
  /** Another user waits for an answer, so it cannot be turned off. */
  readonly isAlwaysShown?: true;
}

const groups: Readonly<Record<NoticeGroup, Group>> = {
  failed_documents: { kinds: ['documents_failed'], byDefault: 'email' },
  failed_runs: { kinds: ['run_failed'], byDefault: 'app' },
  sync_paused: { kinds: ['sync_stalled', 'service_paused'], byDefault: 'email' },
  connection_lost: { kinds: ['connection_lost', 'webhook_paused'], byDefault: 'email' },
  expiring: { kinds: ['connection_ending', 'api_key_ending'], byDefault: 'app' },
  approval: { kinds: ['drafts_waiting'], byDefault: 'app' },
  requests: { kinds: ['approval_asked', 'signature_asked'], byDefault: 'email', isAlwaysShown: true },
  month_signed: { kinds: ['month_signed'], byDefault: 'app' },
};

export const kindsOfGroup = (group: NoticeGroup): readonly NoticeKind[] => groups[group].kinds;

/** Returns the channels that a user can choose for a group. */
export const channelsOf = (group: NoticeGroup): readonly NoticeChannel[] =>
  groups[group].isAlwaysShown === true ? noticeChannels.filter((channel) => channel !== 'off') : noticeChannels;

/** Returns the groups with notices for users with one of these roles. */
export const groupsFor = (roles: readonly Role[]): readonly NoticeGroup[] =>
  noticeGroups.filter((group) =>
    groups[group].kinds.some((kind) => noticeRoles(kind).some((role) => roles.includes(role))),
  );

/** The channels that a user has chosen; other groups have their default. */
export type ChosenChannels = { readonly [group in NoticeGroup]?: NoticeChannel | undefined };

export interface NoticePreferences {
  readonly channels: ChosenChannels;
  /** Hour of the daily email, 0 to 23, in the time zone of the client. */
  readonly digestHour: number;
}

export const defaultPreferences: NoticePreferences = { channels: {}, digestHour: 8 };

/**
 * Returns how a user gets a group of notices.
 *
 * @param isMailedElsewhere the emails about it go to the addresses in the client's settings, so by default the user
 *   gets none.
 */
export function channelOf(group: NoticeGroup, chosen: ChosenChannels, isMailedElsewhere = false): NoticeChannel {
  const channel = chosen[group];
  if (channel !== undefined && channelsOf(group).includes(channel)) return channel;
  const { byDefault } = groups[group];
  return byDefault === 'email' && isMailedElsewhere ? 'app' : byDefault;
}

export function groupOf(kind: NoticeKind): NoticeGroup {
  const group = noticeGroups.find((one) => groups[one].kinds.includes(kind));
  if (group === undefined) throw new RangeError(`the notice ${kind} has no group`);
  return group;
}

/** The groups whose emails go to the addresses in the client's settings, if there are any. */
export const alertGroups: readonly NoticeGroup[] = ['failed_documents', 'sync_paused', 'connection_lost'];

/**
 * Notices that are saved within this time before a daily email are in the next one. A transaction that takes longer to
 * commit would cause a second email on the same day.
 */
const closingSeconds = 60;

/** Returns the time of the daily email that a notice belongs to. @param hour 0 to 23 in this time zone */
export function digestAt(at: Instant, hour: number, timeZone: string): Instant {
  const after = addSeconds(at, closingSeconds);
  for (let date = dateIn(at, timeZone); ; date = addDays(date, 1)) {
    const next = instantAt(date, hour, timeZone);
    if (next > after) return next;
  }
}
