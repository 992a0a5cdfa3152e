import type { PsaDescriptor } from '#core/ports/psa.ts';

/** Autotask's names, and the two credentials of its API user. */
export const autotaskDescriptor: PsaDescriptor = {
  key: 'autotask',
  label: 'Autotask',
  credentials: [
    {
      name: 'userName',
      input: 'api_user',
      label: 'API Key (Username)',
      help: 'Must be associated with the QuickBooks Online integration vendor.',
      isSecret: false,
    },
    {
      name: 'secret',
      input: 'api_secret',
      label: 'API Secret (Password)',
      help: 'The secret associated with the API user.',
      isSecret: true,
    },
  ],
};
