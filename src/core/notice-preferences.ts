import { noticeKinds, noticeRoles, type NoticeKind } from './notices.ts';
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

/** What users call each group. */
export const noticeGroupLabels: Readonly<Record<NoticeGroup, string>> = {
  failed_documents: 'Failed documents',
  failed_runs: 'Failed runs',
  sync_paused: 'Paused or stalled syncs',
  connection_lost: 'Lost connections',
  expiring: 'Expiring access',
  approval: 'Waiting for approval',
  requests: 'Requests',
  month_signed: 'Signed months',
};

/** `app`: on the Notices screen. `email` and `digest` add an email at once, or once a day. `off`: not at all. */
export const noticeChannels = ['off', 'app', 'email', 'digest'] as const;
export type NoticeChannel = (typeof noticeChannels)[number];
/** What users call each channel. */
export const noticeChannelLabels: Readonly<Record<NoticeChannel, string>> = {
  off: 'Off',
  app: 'In the app',
  email: 'In the app and by email',
  digest: 'In the app and in the daily email',
};

const groupOfKind: Readonly<Record<NoticeKind, NoticeGroup>> = {
  documents_failed: 'failed_documents',
  run_failed: 'failed_runs',
  sync_stalled: 'sync_paused',
  service_paused: 'sync_paused',
  connection_lost: 'connection_lost',
  webhook_paused: 'connection_lost',
  connection_ending: 'expiring',
  api_key_ending: 'expiring',
  drafts_waiting: 'approval',
  approval_asked: 'requests',
  signature_asked: 'requests',
  month_signed: 'month_signed',
  signature_outdated: 'requests',
};

export const groupOf = (kind: NoticeKind): NoticeGroup => groupOfKind[kind];

const defaults: Readonly<Record<NoticeGroup, NoticeChannel>> = {
  failed_documents: 'email',
  failed_runs: 'app',
  sync_paused: 'email',
  connection_lost: 'email',
  expiring: 'app',
  approval: 'app',
  requests: 'email',
  month_signed: 'app',
};

/** Returns the channels that a user can choose for a group. */
export const channelsOf = (group: NoticeGroup): readonly NoticeChannel[] =>
  // Another user waits for an answer.
  group === 'requests' ? noticeChannels.filter((channel) => channel !== 'off') : noticeChannels;

/** Returns the groups with notices for users with one of these roles. */
export const groupsFor = (roles: readonly Role[]): readonly NoticeGroup[] =>
  noticeGroups.filter((group) =>
    noticeKinds.some((kind) => groupOf(kind) === group && noticeRoles(kind).some((role) => roles.includes(role))),
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
  const byDefault = defaults[group];
  return byDefault === 'email' && isMailedElsewhere ? 'app' : byDefault;
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
