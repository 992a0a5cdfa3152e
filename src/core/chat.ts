/** Chats that get notices, by the format of their incoming webhooks. */
export const chatKinds = ['slack', 'teams'] as const;
export type ChatKind = (typeof chatKinds)[number];

export const chatLabels: Readonly<Record<ChatKind, string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
};

/** Maximum number of targets of a client. */
export const maxChats = 5;

/** Characters at the end of an address that are shown. */
const shownCharacters = 4;

/** Returns the part of a secret address that people may see: its host and its last characters. */
export function maskedAddress({ host, pathname, search }: URL): string {
  if (pathname === '/' && search === '') return host;
  return `${host}/…${pathname.length > 4 * shownCharacters ? pathname.slice(-shownCharacters) : ''}`;
}
