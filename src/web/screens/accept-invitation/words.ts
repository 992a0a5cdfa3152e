/** Sentences of the page that accepts an invitation. */
export const invitationWords = {
  welcome: 'Welcome',
  pleaseLogin: 'Please Login',
  thisInvitationCannotBe: 'This invitation cannot be accepted',
  thisLinkIsNot: 'This link is not complete. Open it from the mail again.',
  tryAgain: 'Try again',
  toTheLogin: 'To the login',
  acceptAnInvitation: 'Accept an invitation',
  chooseAPasswordAnd: 'Choose a password, and your account is ready.',
  username: 'Username',
  createAccount: 'Create account',
  join: (client: string): string => `Join ${client}`,
  ready: (username: string): string => `Your account is ready. Your user name is ${username}.`,
} as const;
