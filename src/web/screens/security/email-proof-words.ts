/** Words of the notice that asks for a confirmed address; few, because the first page shows it. */
export const emailProofWords = {
  sendANewLink: 'Send a new link',
  confirmAddress: (address: string): string =>
    `Confirm your email address: open the link in the mail to ${address}. Until then nothing is posted to your books, and nobody can be invited.`,
};
