import type { Mail } from '#core/ports/mailer.ts';
import { renderMail } from './template.ts';

/** The mails to the other administrators of a client about new ways to get in. */

interface Change {
  readonly appUrl: string;
  /** Name of the client. */
  readonly client: string;
  /** The user who made the change; names a system administrator as such. */
  readonly by: string;
}

const unexpected = 'If you did not expect this, revoke it and talk to that user.';

/** Returns the mails about a new API key, one per administrator. */
export const apiKeyMails =
  (
    { appUrl, client, by }: Change,
    { name, allows, until }: { readonly name: string; readonly allows: string; readonly until: string },
  ) =>
  (administrators: readonly string[]): readonly Mail[] =>
    administrators.map((to) =>
      renderMail(
        {
          to,
          subject: `New API key for “${client}”`,
          paragraphs: [`${by} created the API key “${name}” for “${client}”. It allows ${allows}, until ${until}.`],
          button: { label: 'Show the API keys', address: `${appUrl}/api-keys` },
          after: [unexpected],
        },
        appUrl,
      ),
    );

/** Returns the mails about a change of company sign-in, one per administrator. @param did what the user did */
export const signInProviderMails =
  ({ appUrl, client, by }: Change, did: string) =>
  (administrators: readonly string[]): readonly Mail[] =>
    administrators.map((to) =>
      renderMail(
        {
          to,
          subject: `Company sign-in of “${client}” changed`,
          paragraphs: [`${by} ${did} for “${client}”. It decides how all users of the company log in.`],
          button: { label: 'Show company sign-in', address: `${appUrl}/security` },
          after: ['If you did not expect this, change it back and talk to that user.'],
        },
        appUrl,
      ),
    );
