/** Sentences of the page for a forgotten password; its button to the letter of the specification. */
export const forgotPasswordWords = {
  lookIntoYourMailbox: 'Look into your mailbox',
  thisIsADemo: 'This is a demo without a mail server.',
  seeItsMails: 'See its mails',
  backToLogin: 'Back to Login',
  forgotYourPassword: 'Forgot your password?',
  tellUsTheEmail: 'Tell us the email address you log in with, and we mail you a link to set a new password.',
  email: 'Email',
  requestingReset: 'Requesting Reset...',
  resetPassword: 'Reset Password',
  linkWorks: 'The link works once, for 30 minutes.',
  tab: 'Forgot password',
  enterEmail: 'Enter your email address.',
} as const;
