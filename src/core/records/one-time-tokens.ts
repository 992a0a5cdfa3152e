import type { Instant } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

export interface OneTimeToken {
  readonly hash: string;
  readonly purpose:
    | 'connect_psa'
    | 'connect_accounting'
    | 'oauth_state'
    | 'provider_state'
    | 'sign_on'
    | 'reset_password'
    | 'prove_email';
  readonly userId: string | null;
  readonly tenantId: string | null;
  readonly data: JsonObject;
  readonly endsAt: Instant;
}
