/**
 * Tables and columns that stay behind when a client's data is exported, each with the reason. All others are exported.
 * A test fails if a column that looks like a secret is missing here.
 */
export const notExported: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  alert_states: 'temporary internal state',
  close_runs: 'temporary internal state',
  connections: {
    external_id: 'encrypted',
    credentials: 'encrypted',
    external_hash: 'a keyed hash of an encrypted value',
    ended: 'encrypted',
  },
  data_keys: 'keys',
  api_keys: { key_hash: 'the hash of a valid key' },
  invitations: { token_hash: 'the hash of a valid code' },
  leases: 'temporary internal state',
  logs: { search: 'repeats the other columns' },
  notices: { once: 'repeats the other columns' },
  one_time_tokens: 'hashes of valid codes',
  sessions: {
    jti: 'part of a valid token',
    proof: 'internal state',
    roles: 'repeats the users',
    cookie_hash: 'the hash of half a session',
    user_agent: 'personal',
    address: 'personal',
  },
  metered_reads: 'internal state of the deployment',
  service_pauses: 'temporary internal state',
  sign_in_providers: { client_secret: 'encrypted' },
  stalls: 'temporary internal state',
  webhook_endpoints: { address: 'encrypted', secret: 'encrypted', old_secret: 'encrypted' },
  chats: { address: 'encrypted' },
  users: {
    password_hash: 'the hash of a password',
    psa_database_id: 'identifies the person in the PSA',
    psa_resource_id: 'identifies the person in the PSA',
  },
};
