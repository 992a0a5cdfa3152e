/** Sentences of the registration; those of its three steps to the letter of the specification. */
export const registerWords = {
  register: 'Register',
  backToLogin: 'Back to Login',
  demoCompany: 'Demo company',
  connectApi: 'Connect API',
  anotherApiUser: 'Use another API user',
  apiKeyUsername: 'API Key (Username)',
  mustBeAssociatedWith: 'Must be associated with the QuickBooks Online integration vendor.',
  apiSecretPassword: 'API Secret (Password)',
  theSecretAssociatedWith: 'The secret associated with the API user.',
  showSecret: 'Show or hide the secret',
  connect: 'Connect',
  verifyUser: 'Verify User',
  change: 'Change',
  firstName: 'First Name',
  lastName: 'Last Name',
  primaryEmailAddress: 'Primary Email Address',
  createPassword: 'Create Password',
  email: 'Email',
  creatingAccount: 'Creating Account...',
  createAccount: 'Create Account',
  lead: (psa: string): string => `Connect your company’s ${psa}, say who you are there, and choose a password.`,
  asking: (psa: string): string => `Asking ${psa}...`,
  step: (number: number, title: string): string => `Step ${number} of 3: ${title}`,
  demo: (demo: {
    company: string;
    api_user: string;
    api_secret: string;
    first_name: string;
    last_name: string;
  }): string =>
    `A demonstration: ${demo.company} is not registered yet. Its API user is ${demo.api_user}, the secret ${demo.api_secret}; ${demo.first_name} ${demo.last_name} works there.`,
  fillIn: (company: string): string => `Fill in for ${company}`,
} as const;
