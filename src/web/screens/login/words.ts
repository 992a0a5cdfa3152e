/** Sentences of the login page; those of the buttons to the letter of the specification. */
export const loginWords = {
  tab: 'Login',
  title: 'Log in to Tallybridge',
  username: 'Username',
  password: 'Password',
  showPassword: 'Show or hide the password',
  missing: 'Credentials not provided.',
  login: 'Login',
  loggingIn: 'Logging in...',
  forgot: 'Forgot your password?',
  register: 'Register',
  /** Stands behind “Unauthorized.”: nobody is told which it was, or whether an account has a second step. */
  wrong: 'The username or the password is not correct, or the code of an authenticator app is asked for as well.',
  enterCode: 'Enter a code',
  codeTitle: 'Enter your code',
  code: 'Code',
  codeHelp: 'Of your authenticator app. Without your phone, use one of your recovery codes.',
  wrongCode: 'The username, the password or the code is not correct. A code works once: wait for the next one.',
  somebodyElse: 'Log in as somebody else',
  demoUsers: 'Demo users',
  demoLead: 'A demonstration with made-up data. Log in as:',
} as const;
