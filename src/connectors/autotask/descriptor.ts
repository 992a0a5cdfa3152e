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
  menus: {
    invoice: 'organization > Invoices > the invoice',
    voidInvoice: 'organization > Invoices > Void',
    processInvoices: 'Contracts > Billing > Invoices to process',
    companyTax: 'organization > Edit > Tax',
    taxRates: 'Admin > Features & Settings > Finance, Accounting & Invoicing > Tax',
  },
  apiUserSteps: [
    'Open Admin, Resources/Users (HR), and choose New API User.',
    'Enter a name, an email address, and the security level “API User (system)”.',
    'Generate key and secret, and copy both.',
    'Select the integration vendor, and save.',
  ],
};
