import { z } from 'zod';
import { isTimeZone } from '#core/values/dates.ts';
import { route } from './define.ts';
import { psaSegment } from './services.ts';

const access = { api_user: z.string().max(254), api_secret: z.string().max(254) };
const person = { first_name: z.string().max(100), last_name: z.string().max(100), email: z.string().max(254) };
const company = z.strictObject({ id: z.int(), companyName: z.string().max(500) });

export const validatePsaAccess = route({
  method: 'POST',
  path: `/register/validate-${psaSegment}-access`,
  summary: 'Registration, step 1: tests the API user and returns the company name.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject(access),
  reply: z.strictObject({
    company,
    is_registered: z.literal(true).optional().describe('Present when the company is registered already.'),
  }),
});

export const validatePsaResource = route({
  method: 'POST',
  path: `/register/validate-${psaSegment}-resource`,
  summary: 'Registration, step 2: finds the user among the PSA’s resources.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ ...access, ...person }),
  reply: z.strictObject({
    resource: z.strictObject({ id: z.int(), firstName: z.string(), lastName: z.string(), email: z.string() }),
  }),
});

export const completeRegistration = route({
  method: 'POST',
  path: '/register/complete-registration',
  summary: 'Registration, step 3: creates the subscription and its first user.',
  event: 'registration.completed',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({
    ...access,
    ...person,
    company,
    password: z.string().max(1_000),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'Not the name of a time zone.')
      .optional()
      .describe('IANA name of the time zone for document dates; default America/Chicago.'),
  }),
  reply: z.null(),
});
