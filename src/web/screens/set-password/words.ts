/** Sentences of the page for a new password, most of them to the letter of the specification. */
export const setPasswordWords = {
  setYourPassword: 'Set your password.',
  yourPasswordWasChanged: 'Your password was changed successfully.',
  pleaseLogin: 'Please Login',
  thisLinkIsNot: 'This link is not complete.',
  getANewLink: 'Get a new link',
  save: 'Save',
  tab: 'Set your password',
} as const;
