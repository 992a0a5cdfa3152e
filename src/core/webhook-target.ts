/** Chats that get notices, by the format of their incoming webhooks. */
export const webhookTargetKinds = ['slack', 'teams'] as const;
export type WebhookTargetKind = (typeof webhookTargetKinds)[number];

export const webhookTargetLabels: Readonly<Record<WebhookTargetKind, string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
};

/** Maximum number of targets of a client. */
export const maxWebhookTargets = 5;

/** Characters at the end of an address that are shown. */
const shownCharacters = 4;

/** Returns the part of a secret address that people may see: its host and its last characters. */
export function maskedAddress({ host, pathname, search }: URL): string {
  if (pathname === '/' && search === '') return host;
  return `${host}/…${pathname.length > 4 * shownCharacters ? pathname.slice(-shownCharacters) : ''}`;
}
