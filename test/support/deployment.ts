import type { ProcessFixture } from './process-fixture.ts';

const credentials = async (control: { readonly url: string }) =>
  (await fetch(`${control.url}/__sandbox/credentials`)).json();

/** Returns the credentials of an API user in the sandbox's Autotask. */
export async function apiUser({ autotask }: Pick<ProcessFixture, 'autotask'>) {
  const { users } = (await credentials(autotask)) as {
    users: readonly { userName: string; secret: string; apiIntegrationCode: string }[];
  };
  const [user] = users;
  if (user === undefined) throw new Error('Autotask has no API user');
  return user;
}

/** Environment variables of a deployment instead of a demo. */
export async function deployment(
  of: Pick<ProcessFixture, 'autotask' | 'quickbooks'>,
): Promise<Readonly<Record<string, string>>> {
  const accounting = (await credentials(of.quickbooks)) as Record<
    'clientId' | 'clientSecret' | 'webhookVerifier',
    string
  >;
  return {
    DEMO: 'false',
    STOP_DELAY_SECONDS: '0',
    SECRET_KEY: 'a secret key that only this journey knows',
    AUTOTASK_INTEGRATION_CODE: (await apiUser(of)).apiIntegrationCode,
    QBO_DISCOVERY_URL: `${of.quickbooks.url}/.well-known/openid_configuration`,
    QBO_CLIENT_ID: accounting.clientId,
    QBO_CLIENT_SECRET: accounting.clientSecret,
    QBO_WEBHOOK_VERIFIER: accounting.webhookVerifier,
  };
}
