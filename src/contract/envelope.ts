import { z } from 'zod';

/** One invalid field, with a message for the user. */
export const fieldError = z.strictObject({ key: z.string(), error: z.string() });

/** Body of every failure, for all statuses. */
export const failure = z.strictObject({
  success: z.literal(false),
  message: z.string().describe('Message for the user.'),
  error: z.string().describe('Error code.'),
  errors: z.array(fieldError).optional(),
});
export type Failure = z.output<typeof failure>;

/** Body of every success: the data, and optionally a message to show. */
export const success = <Data extends z.ZodType>(data: Data) =>
  z.strictObject({ success: z.literal(true), data, message: z.string().optional() });

/** Error codes that every call may return. Some calls add their own, e.g. `not_connected`. */
export const errorCodes = {
  validation_failed: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  needs_reconnect: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  service_refused: 422,
  rate_limited: 429,
  internal: 500,
  service_unavailable: 503,
  maintenance: 503,
} as const;
export type ErrorCode = keyof typeof errorCodes;
