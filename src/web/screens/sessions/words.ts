import { countOf } from '../../lib/format.ts';

/** Sentences of the sessions. */
export const sessionsWords = {
  yourSessions: 'Your sessions',
  theBrowsersAndPrograms:
    'The browsers and programs in which you are logged in. End what you do not know, and then set a new password.',
  endAllOthers: 'End all others',
  device: 'Device',
  thisOne: 'This one',
  networkAddress: 'Network address',
  loggedIn: (zone: string): string => `Logged in (${zone})`,
  lastUsed: 'Last used',
  end: 'End',
  endEffect: (count: number): string => `${countOf(count, 'device')} will be logged out.`,
  actingAs: (client: string): string => `acting as ${client}`,
  ended: 'The session was ended.',
  countEnded: (count: number): string => `${countOf(count, 'session was', 'sessions were')} ended.`,
} as const;
