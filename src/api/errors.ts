import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { errorCodes, type ErrorCode, type Failure } from '#contract/envelope.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { type StoreFailure, StoreUnavailable } from '#core/records/unavailable.ts';
import { BadPsaQuery } from '#core/psa-query.ts';
import { Refusal, type FieldError, type RefusalKind } from '#core/refusal.ts';
import { isReadRefusal, ServiceError } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { never } from '#core/values/assert.ts';
import type { App } from '#flows/context.ts';
import { TooManyCalls } from './rates.ts';

/** A failure as the response reports it. */
export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
}

const statusOf: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unprocessable: 422,
  too_slow: 408,
  too_large: 413,
  misdirected: 421,
  throttled: 429,
  overloaded: 503,
  maintenance: 503,
};

const standard = (code: ErrorCode, message: string): Answer => ({ status: errorCodes[code], code, message });

export const notFound = (): Answer => standard('not_found', 'Not found.');

const minuteMs = 60_000;
const waitText = (waitMs = 0): string =>
  waitMs <= minuteMs ? 'in a moment' : `in ${Math.ceil(waitMs / minuteMs).toLocaleString('en-US')} minutes`;

/** Returns the response for a request that failed at a connected service. */
function serviceAnswer(error: ServiceError, { psa, accounting }: App['descriptors']): Answer {
  const { about } = error;
  const { label } = about.service === 'psa' ? psa : accounting;
  switch (about.next) {
    case 'reconnect':
      return standard(
        'needs_reconnect',
        `${label} needs to be reconnected. Please connect it again under Connections.`,
      );
    case 'refuse':
    case 'stop_run':
      return {
        ...standard('service_refused', isReadRefusal(about) ? about.detail : `${label} refused: ${about.detail}`),
        code: about.code,
      };
    case 'try_again':
      return {
        ...standard('service_unavailable', `${about.detail} Please try again ${waitText(about.waitMs)}.`),
        retryAfterSeconds: Math.max(1, Math.ceil((about.waitMs ?? 5_000) / 1_000)),
      };
    default:
      return never(about.next);
  }
}

/** Responses for the error codes of the HTTP library. */
const libraryAnswers: Readonly<Record<string, Answer>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: standard('payload_too_large', 'The request is too large for this call.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: standard('unsupported_media_type', 'Only JSON is accepted.'),
};

/** Decides the response for a failure. Every unknown failure is a bug: 500, without internal details. */
export function answerOf(error: FastifyError | Error, app: Pick<App, 'descriptors'>): Answer {
  if (error instanceof Refusal)
    return {
      status: statusOf[error.kind],
      code: error.code,
      message: error.message,
      ...(error.errors.length === 0 ? {} : { errors: error.errors }),
      ...(error.kind === 'overloaded' && { retryAfterSeconds: overloadRetrySeconds }),
      ...(error.kind === 'maintenance' && { retryAfterSeconds: maintenanceRetrySeconds }),
    };
  if (error instanceof ProcessStopping)
    return {
      ...standard('service_unavailable', 'The server restarts. Please try again in a moment.'),
      retryAfterSeconds: overloadRetrySeconds,
    };
  if (error instanceof TooManyCalls)
    return { ...standard('rate_limited', error.message), retryAfterSeconds: error.retryAfterSeconds };
  if (error instanceof ServiceError) return serviceAnswer(error, app.descriptors);
  if (error instanceof BadPsaQuery) return standard('validation_failed', error.message);
  if (error instanceof LeaseLost) return standard('conflict', 'This was changed meanwhile. Please try again.');
  if (error instanceof StoreUnavailable)
    return {
      ...standard('service_unavailable', failureMessages[error.failure]),
      retryAfterSeconds: databaseRetrySeconds,
    };
  if (hasZodFastifySchemaValidationErrors(error)) return validationAnswer(error);
  const known = 'code' in error ? libraryAnswers[error.code] : undefined;
  if (known !== undefined) return known;
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 429) return standard('rate_limited', 'Too many requests. Please wait a moment.');
  return status === undefined || status >= 500
    ? internal
    : standard('validation_failed', 'The request cannot be read.');
}

const failureMessages: Readonly<Record<StoreFailure, string>> = {
  unreachable: 'The database is not available right now. Nothing is lost; please try again in a moment.',
  full: 'The database disk is full, so nothing can be saved. Ask your operator to free space; saved data is not lost.',
  read_only:
    'The database is read-only right now, so nothing can be saved. Saved data is not lost; try again in two minutes.',
  mismatch:
    'The database has a different version than this server. Saved data is not lost; ask your operator to restart the server.',
};

/** A full queue has free places after this many seconds. */
const overloadRetrySeconds = 2;
/** Maintenance lasts minutes to hours; programs try again this often, in seconds. */
export const maintenanceRetrySeconds = 60;
/** A restarting database is available after this many seconds. */
const databaseRetrySeconds = 5;

const internal = standard('internal', 'Server error.');

interface ValidationFailure {
  readonly validationContext?: string | undefined;
  readonly validation: readonly {
    readonly instancePath: string;
    readonly message?: string;
    readonly params: unknown;
  }[];
}

function validationAnswer({ validationContext, validation }: ValidationFailure): Answer {
  // A malformed id in a path gets the same response as an unknown id.
  if (validationContext === 'params') return notFound();
  const errors = validation.slice(0, maxErrors).map(({ instancePath, message, params }) => ({
    key: [...instancePath.split('/').filter(Boolean), ...unknownKeyOf(params)].join('.'),
    error: message ?? 'Not valid.',
  }));
  return { ...standard('validation_failed', errors[0]?.error ?? 'The request is not valid.'), errors };
}

/** Returns the first unknown key of an object, which the path of the issue does not include. */
function unknownKeyOf(params: unknown): readonly string[] {
  const keys = typeof params === 'object' && params !== null && 'keys' in params ? params.keys : null;
  return Array.isArray(keys) && typeof keys[0] === 'string' ? [keys[0]] : [];
}

/** Maximum number of errors reported for one body. */
const maxErrors = 50;

/** Sends a failure in the standard envelope. */
export function sendFailure(
  reply: FastifyReply,
  { status, code, message, errors, retryAfterSeconds }: Answer,
): FastifyReply {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  const body: Failure = {
    success: false,
    message,
    error: code,
    ...(errors === undefined ? {} : { errors: [...errors] }),
  };
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}

/** Logs a failure at the level that its status deserves, without the body or the query of the request. */
export function logFailure(app: Pick<App, 'logger'>, request: FastifyRequest, error: Error, answer: Answer): void {
  const fields = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url,
    status: answer.status,
  };
  if (error instanceof Refusal && error.kind === 'maintenance') return;
  if (answer.status >= 500 && !(error instanceof ServiceError))
    app.logger.error({ ...fields, err: error }, 'a request failed');
  else if (error instanceof ServiceError) app.logger.warn({ ...fields, ...error.about }, 'an outside service failed');
}
